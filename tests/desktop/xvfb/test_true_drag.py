"""True drag and drop, on a virtual X server with a window manager: what the offscreen platform cannot do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.waiting import LONGEST

ROOT = Path(__file__).parents[3]


def test_a_job_type_is_dragged_onto_the_canvas(display: str, tmp_path: Path) -> None:
    assert len(said_by("drag", display, tmp_path)) == 2


def test_a_waiting_job_is_dragged_to_the_head_of_the_queue(display: str, tmp_path: Path) -> None:
    assert said_by("drag_in_queue", display, tmp_path) == ["d", "b", "c"]


def said_by(module: str, display: str, folder: Path) -> list[str]:
    """The words that a script prints which uses the pointer of the display."""
    environment = {
        **os.environ,
        "DISPLAY": display,
        "QT_QPA_PLATFORM": "xcb",
        "XDG_CONFIG_HOME": str(folder / "config"),
        "PYTHONFAULTHANDLER": "1",
    }
    command = [sys.executable, "-m", f"tests.desktop.xvfb.{module}", str(folder / "workspace")]
    began = time.monotonic()

    output = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=2 * LONGEST
    )

    assert output.returncode == 0, (output.stderr, time.monotonic() - began)
    return output.stdout.split()
