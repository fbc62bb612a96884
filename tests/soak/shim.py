"""Programs that run on a disk which can be made to fail: ``shim.c`` is built and loaded into them."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

_SOURCE = Path(__file__).with_name("shim.c")
_ROOT = Path(__file__).resolve().parents[2]


def missing() -> str | None:
    """Why it cannot be used here, or None."""
    if sys.platform != "linux":
        return "LD_PRELOAD is for Linux"
    return None if shutil.which("gcc") else "gcc is not installed"


def run(
    module: str, *arguments: str, folder: Path, timeout: float | None
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m module`` with the shim, built in ``folder``."""
    library = folder / "shim.so"
    built = ["gcc", "-shared", "-fPIC", "-O2", "-w", "-o", str(library), str(_SOURCE), "-ldl", "-lpthread"]
    subprocess.run(built, check=True)
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=_ROOT,
        env={**os.environ, "LD_PRELOAD": str(library)},
        timeout=timeout,
        capture_output=True,
        text=True,
        check=False,
    )


class Shim:
    """The loaded shim, seen from inside such a program; RuntimeError when it is not loaded."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        if not hasattr(self._library, "shim_watch"):
            raise RuntimeError("start this with LD_PRELOAD, see tests/soak/shim.py")
        self._library.shim_arm.argtypes = [ctypes.c_long, ctypes.c_long]
        self._library.shim_count.restype = ctypes.c_long
        self._library.shim_mark.argtypes = [ctypes.c_int64]

    def watch(self, folder: Path) -> None:
        """Only files below this folder count."""
        self._library.shim_watch(os.fsencode(folder))

    def arm(self, first: int, many: int) -> None:
        """Of the calls that need room from now on, number ``first`` and the ones after it fail."""
        self._library.shim_arm(first, many)

    def disarm(self) -> int:
        """Nothing fails any more; gives how many calls there were."""
        count = int(self._library.shim_count())
        self._library.shim_arm(-1, 0)
        return count

    def record(self, file: Path) -> None:
        """Write down every write, sync and truncation from now on."""
        if self._library.shim_record(os.fsencode(file)) < 0:
            raise OSError(f"{file} cannot be written")

    def mark(self, number: int) -> None:
        """A number between the writes: what was acknowledged up to here."""
        self._library.shim_mark(number)
