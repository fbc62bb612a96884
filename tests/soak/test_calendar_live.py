"""The scripted live run of ``examples/calendar-live.yaml``; it takes a minute or two."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.timeout(400)
def test_the_live_example_fires_waits_is_repaired_from_the_window_and_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.soak.calendar_live", "--to", str(tmp_path)]

    done = subprocess.run(command, capture_output=True, text=True, timeout=380, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert {each.stem.split("-")[0] for each in tmp_path.glob("*.png")} == {"storm", "repaired"}
