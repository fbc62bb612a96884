"""What the command leaves belongs to its user alone, whatever the umask."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

from tests import commands

TOUR = Path(__file__).parents[2] / "examples" / "tour.yaml"


def test_every_file_is_private_under_an_open_umask(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    command = [*commands.skerry(), "--workspace", str(root), "run", str(TOUR)]

    subprocess.run([*command, "--task", "tour"], umask=0, check=True, capture_output=True)

    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in (root, *root.rglob("*"))}
    open_ones = {path: oct(mode) for path, mode in modes.items() if mode & 0o077}
    assert len(modes) > 100
    assert open_ones == {}
