"""True drag and drop, on a virtual X server with a window manager: what the offscreen platform cannot do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_a_job_type_is_dragged_onto_the_canvas(display: str, tmp_path: Path) -> None:
    environment = {
        **os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }  # fmt: skip
    command = [sys.executable, "-m", "tests.desktop.xvfb.drag", str(tmp_path / "workspace")]
    began = time.monotonic()

    output = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)

    assert output.returncode == 0, output.stderr
    assert len(output.stdout.split()) == 2, (output.stdout, output.stderr, time.monotonic() - began)
