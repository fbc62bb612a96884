"""Folders for measurements, apart from what was deleted on the same disk."""

from __future__ import annotations

import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path


def apart() -> Path:
    """A new folder, left behind: deleting thousands of files slows the next round (README.md, Traps).

    ext4 puts what is made in a folder that ``chattr`` calls the top of a hierarchy into another part of the
    disk: inodes that were freed lately are not in its way there. Elsewhere it is a folder as any other.
    """
    top = Path(tempfile.mkdtemp(prefix="skerry-benchmark-"))
    with suppress(FileNotFoundError):
        subprocess.run(["chattr", "+T", top], stderr=subprocess.DEVNULL, check=False)
    made = top / "place"
    made.mkdir(mode=0o700)
    return made
