"""Walks of a story in a process of its own, on a display that is there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.desktop.xvfb.looks import LOOKS
from tests.waiting import LONGEST

ROOT = Path(__file__).parents[3]


def walked(module: str, story: str, look: str, display: str, folder: Path) -> dict[str, Any]:
    """``{"clicks": …, "keys": …, "steps": […]}`` of a story of ``tests.desktop.xvfb.<module>`` that came to its end."""
    environment = {
        **os.environ,
        "DISPLAY": display,
        "QT_QPA_PLATFORM": "xcb",
        "QT_SCALE_FACTOR": str(LOOKS[look].scale),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "HOME": str(folder),
        "SKERRY_PASSPHRASE": "correct horse",
        "PYTHONFAULTHANDLER": "1",
    }
    command = [sys.executable, "-m", f"tests.desktop.xvfb.{module}", story, str(folder), look]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=2 * LONGEST, check=False
    )
    assert done.returncode == 0, done.stderr
    took: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return took
