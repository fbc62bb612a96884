"""When the outcome of an asynchronous job is checked next does not follow a wall clock that is set."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from engine.runtime.clock import SystemClock
from tests.runtime.site import Site, shell, task
from tests.waiting import until

HOUR = 3600.0
CHECK = {"after": HOUR, "every": HOUR, "times": 2, "success": "1 < 2"}


def pass_without_engine(monkeypatch: pytest.MonkeyPatch, *, truly: float, by_the_clock: float) -> None:
    """So many seconds pass since the machine began, and so many by the wall clock."""
    now, monotonic = SystemClock.now, SystemClock.monotonic
    monkeypatch.setattr(SystemClock, "now", lambda clock: now(clock) + timedelta(seconds=by_the_clock))
    monkeypatch.setattr(SystemClock, "monotonic", lambda clock: monotonic(clock) + truly)


@pytest.mark.parametrize("by_the_clock", [5 * HOUR, -5 * HOUR], ids=["ahead", "back"])
def test_the_next_engine_checks_after_the_time_that_is_left(
    site: Site, monkeypatch: pytest.MonkeyPatch, by_the_clock: float
) -> None:
    # given an asynchronous job that is checked in an hour
    instance = site.begin(task({"a": shell("true", mode="async", check=CHECK)}))
    site.until_state(instance, "a", "checking")
    before = site.see(instance)["a"].because.facts["at"]
    site.close()

    # when half of it has passed, and the wall clock was set
    pass_without_engine(monkeypatch, truly=HOUR / 2, by_the_clock=HOUR / 2 + by_the_clock)
    site.again()
    at = until(lambda: [at for at in [site.see(instance)["a"].because.facts["at"]] if at != before])[0]

    # then the other half is left
    left = datetime.fromisoformat(at) - SystemClock().now()
    assert abs(left.total_seconds() - HOUR / 2) < 60
