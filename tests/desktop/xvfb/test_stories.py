"""How many clicks the stories take that operators and supporters go through most, with a real pointer or by keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.desktop.xvfb.looks import LOOKS
from tests.desktop.xvfb.stories import STORIES
from tests.desktop.xvfb.walking import walked
from tests.effort import ALL

CLICKS = {
    "first task from nothing": 3,
    "first task from nothing by keys": 0,
    "failed run to cause": 0,
    "failed run to cause by keys": 0,
    "failed run to changed rerun": 4,
    "failed run to changed rerun by keys": 0,
    "failed run to stick": 3,
    "failed run to stick by keys": 0,
    "rule from a failure": 3,
    "rule from a failure by keys": 0,
    "start a task": 2,
    "start a task by keys": 0,
    "task to dry run": 4,
    "file to failing job": 2,
    "file to failing job by keys": 0,
    "fix with a changed node": 6,
    "fix with a changed node by keys": 0,
}
_HARDEST = "800x500 at 200 %, Chinese, dark"
WALKS = [
    (story, look)
    for story in CLICKS
    for look in LOOKS
    if ALL or look == (_HARDEST if story.endswith("by keys") else "usual")
]


def test_each_story_has_its_number_of_clicks() -> None:
    assert set(CLICKS) == set(STORIES)


@pytest.mark.parametrize(("story", "look"), WALKS)
def test_a_story_takes_no_more_clicks_than_it_is_known_for(
    story: str, look: str, display: str, tmp_path: Path
) -> None:
    took = walked("stories", story, look, display, tmp_path)

    assert took["clicks"] <= CLICKS[story], took["steps"]
