"""The engine is killed at random moments, again and again: nothing is lost, doubled or started twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.effort import effort
from tests.runtime.crashing import Crashes


@pytest.mark.parametrize("seed", range(1, effort(1, all=3) + 1))
def test_a_killed_engine_loses_and_doubles_nothing(tmp_path: Path, seed: int) -> None:
    # given an engine at work on jobs that succeed, fail, are tried again and depend on each other
    crashes = Crashes(tmp_path, jobs=effort(20, all=30), kills=effort(8, all=15), seed=seed)

    # when it is killed again and again, and each time another one takes up what it left
    crashes.run(longest=0.08)
    seen = crashes.seen()

    # then everything is as if it had never been killed
    assert crashes.killed > 2
    assert crashes.wrongs(seen) == []
