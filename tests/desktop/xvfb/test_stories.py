"""How many clicks the stories take that operators and supporters go through most, with a real pointer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.desktop.xvfb.stories import STORIES

ROOT = Path(__file__).parents[3]
CLICKS = {
    "first task from nothing": 3,
    "failed run to cause": 0,
    "failed run to changed rerun": 4,
    "failed run to stick": 3,
    "failed run to stick by keys": 0,
    "rule from a failure": 3,
    "rule from a failure by keys": 0,
    "start a task": 2,
    "start a task by keys": 0,
    "file to failing job": 2,
    "fix with a changed node": 6,
    "fix with a changed node by keys": 0,
}


def test_each_story_has_its_number_of_clicks() -> None:
    assert set(CLICKS) == set(STORIES)


@pytest.mark.parametrize("story", CLICKS)
def test_a_story_takes_no_more_clicks_than_it_is_known_for(story: str, display: str, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "DISPLAY": display,
        "QT_QPA_PLATFORM": "xcb",
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "HOME": str(tmp_path),
        "SKERRY_PASSPHRASE": "correct horse",
    }
    command = [sys.executable, "-m", "tests.desktop.xvfb.stories", story, str(tmp_path)]

    walked = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=280, check=False
    )

    assert walked.returncode == 0, walked.stderr
    took = json.loads(walked.stdout.splitlines()[-1])
    assert took["clicks"] <= CLICKS[story], took["steps"]
