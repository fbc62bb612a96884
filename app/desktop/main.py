"""``skerry`` without a command: opens the window on a workspace."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path

PACKAGES = (
    "libglib2.0-0 libgl1 libegl1 libdbus-1-3 libfontconfig1 libfreetype6 libxkbcommon0 libxcb-cursor0 "
    "libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 "
    "libxcb-xkb1 libxkbcommon-x11-0 libx11-xcb1"
)
MISSING = (
    "the window needs some system libraries that are not there: {problem}\n"
    "on Debian, as root: apt-get install {packages}"
)
_X11 = ("xcb", "")  # what QT_QPA_PLATFORM says where Qt talks to an X server


def main(root: Path, tell: Callable[..., str]) -> int:
    """Show the window until it is closed; the exit status. ``tell`` words a sentence for the terminal."""
    try:
        _look_for_libraries()
    except (ImportError, OSError) as problem:
        sys.stderr.write(f"{tell(MISSING, problem=problem, packages=PACKAGES)}\n")
        return 4
    from app.desktop.shell.window_process import run

    return run(Path(os.path.abspath(root)))


def _look_for_libraries() -> None:
    """Raise where Qt itself would end the process without naming what is missing."""
    from PySide6 import QtWidgets

    on_x11 = os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY")
    if on_x11 and os.environ.get("QT_QPA_PLATFORM", "") in _X11:
        ctypes.CDLL(str(Path(QtWidgets.__file__).parent / "Qt" / "plugins" / "platforms" / "libqxcb.so"))
