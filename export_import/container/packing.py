"""A bundle in one file: the same parts on one tape."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from export_import.container import tape

_FIRST = ("BUNDLE.json", "BUNDLE.json.sig", "README.txt")


def pack(folder: Path, target: Path) -> None:
    """Write the parts of ``folder`` into the new file ``target`` and remove the folder; all or nothing."""
    names = sorted((each.name for each in folder.iterdir()), key=lambda name: (name not in _FIRST, name))
    draft = target.with_name(target.name + ".tmp")
    draft.unlink(missing_ok=True)
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(fd, "wb") as out:
        for name in names:
            size = (folder / name).stat().st_size
            out.write(tape.member(name, size))
            with open(folder / name, "rb") as part:
                shutil.copyfileobj(part, out, 1 << 20)
            out.write(tape.padding(size))
        out.write(tape.END)
        out.flush()
        os.fsync(out.fileno())
    os.rename(draft, target)
    shutil.rmtree(folder, ignore_errors=True)
