"""``skerry`` without a command: opens the window on a workspace."""

from __future__ import annotations

import os
import sys
from pathlib import Path

PACKAGES = (
    "libglib2.0-0 libgl1 libegl1 libdbus-1-3 libfontconfig1 libfreetype6 libxkbcommon0 libxcb-cursor0 "
    "libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 "
    "libxcb-xkb1 libxkbcommon-x11-0 libx11-xcb1"
)
MISSING = f"""the window needs some system libraries that are not there: {{problem}}
on Debian, as root: apt-get install {PACKAGES}
"""


def main(root: Path) -> int:
    """Show the window until it is closed; the exit status."""
    try:
        from PySide6 import QtWidgets  # noqa: F401  (says what is missing before anything else is made)
    except ImportError as problem:
        sys.stderr.write(MISSING.format(problem=problem))
        return 4
    from app.desktop.shell.running import run

    return run(Path(os.path.abspath(root)))
