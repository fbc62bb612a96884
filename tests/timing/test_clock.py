"""A clock that is set: nothing fires twice, nothing is silent, and what is too far holds all schedules."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from engine.model.codes.timing import CLOCK_JUMPED, CLOCK_RIGHT
from engine.model.errors import Refused
from engine.planning.schedules.clock_jumps import ClockReading
from engine.runtime.submission import Submission
from engine.runtime.timers import Timer
from engine.runtime.timing.clock_document import clock_document
from tests.timing.conftest import TimedSite
from tests.waiting import until


def test_an_hour_back_nothing_fires_twice_and_the_next_time_comes(site: TimedSite) -> None:
    site.online("t", {"level": "minute", "every": 20})
    for _ in range(3):
        site.forward(minutes=20)
    before = site.times()

    site.set_clock(hours=-1)
    for _ in range(4):
        site.forward(minutes=20)

    assert before == ["21 08:20", "21 08:40", "21 09:00"]
    assert site.times() == [*before, "21 09:20"]


def test_an_hour_ahead_is_caught_up_as_any_other_delay(site: TimedSite) -> None:
    site.online("t", {"level": "minute", "every": 20})

    site.set_clock(hours=1, minutes=5)

    assert site.times() == ["21 09:00"]
    assert site.alerts("clock") == []


def test_three_years_ahead_holds_everything_until_the_clock_is_right_again(site: TimedSite) -> None:
    site.online("t", {"level": "hour", "every": 1})
    site.set_clock(days=1095)
    site.forward(hours=2)

    assert site.instances() == []
    [alert] = site.alerts("clock")
    assert alert.code == CLOCK_JUMPED.number
    document = site.service.clock()
    assert (document["held"], document["reason"]) == (True, "the clock was set 94608000 s ahead")

    site.set_clock(days=-1095)
    assert site.times() == ["21 09:00", "21 10:00"]  # the first one was missed meanwhile
    assert site.service.clock()["held"] is False
    site.forward(hours=1)
    assert site.times() == ["21 09:00", "21 10:00", "21 11:00"]


def test_a_hold_outlives_the_engine(site: TimedSite) -> None:
    site.online("t", {"level": "hour", "every": 1})
    site.set_clock(days=1095)

    site.again()
    site.forward(hours=2)

    assert site.instances() == []
    assert len(site.alerts("clock")) == 1


def test_what_retention_took_does_not_fire_again_when_a_clock_that_was_years_back_is_right_again(
    site: TimedSite,
) -> None:
    site.online("t", {"level": "hour", "every": 1, "catchup": "all"})
    site.forward(hours=2)
    fired, alerts = [row.id for row in site.instances()], site.alerts("schedule")
    site.engine.store.remove_instances(fired)
    site.set_clock(days=-1095)

    site.again()
    site.set_clock(days=1095)
    site.settle()

    assert fired
    assert site.times() == []
    assert site.alerts("schedule") == alerts


def test_a_clock_that_is_accepted_lets_schedules_go_on_from_there(site: TimedSite) -> None:
    site.online("t", {"level": "hour", "every": 1})
    site.set_clock(days=400, minutes=5)

    document = site.service.accept_clock()
    site.settle()

    assert document["held"] is False
    assert [row.scheduled_time[:13] for row in site.instances()] == ["2027-12-26T08"]
    assert [(row.actor, row.action) for row in site.engine.store.audit()][-1] == ("anna", "accept")


def test_there_is_nothing_to_accept_while_nothing_is_held(site: TimedSite) -> None:
    with pytest.raises(Refused) as refused:
        site.service.accept_clock()

    assert refused.value.entry is CLOCK_RIGHT


def test_a_clock_once_years_ahead_does_not_silence_a_task(site: TimedSite) -> None:
    """The machine was started with a wrong clock, and the task fired by it."""
    site.engine.close()
    site.clock.wall = site.clock.wall.replace(year=2029)
    site.clock.started = "wrong"
    site.engine = site._made()
    site.start()
    site.online("cron", {"level": "hour", "every": 1})
    site.online("interval", {"interval": "1h"})
    site.forward(hours=1)
    site.engine.close()
    site.clock.wall = site.clock.wall.replace(year=2026)
    site.clock.started = "right"
    site.engine = site._made()
    site.start().settle()

    site.forward(hours=1)

    for task in ("cron", "interval"):
        assert [row.scheduled_time[:13] for row in site.instances(task) if row.scheduled_time < "2027"] == [
            "2026-11-21T10"
        ]


def test_a_day_back_within_the_limit_does_not_silence_what_went_online_meanwhile(site: TimedSite) -> None:
    site.set_clock(hours=20)
    site.online("t", {"interval": "1h"})
    site.set_clock(hours=-20)

    site.forward(hours=1)

    assert "21 09:00" in site.times()


@pytest.mark.parametrize("hours", [2, -3, 20_000])
def test_a_clock_that_is_set_between_two_engines_leaves_the_pause_before_a_retry_as_long_as_it_is(
    site: TimedSite, hours: float
) -> None:
    nodes = {"a": {"type": "wait", "for": "0s"}, "b": {"type": "condition", "value": "1 / 0", "after": ["a"]}}
    task = {"nodes": nodes, "retry": {"times": 1, "interval": "20m"}}
    site.engine.store.save_definitions({"tasks": {"t": task}})
    instance = site.engine.submit(Submission("t"))
    until(lambda: site.engine.store.runs(instance)[0].ended_at)
    site.forward(minutes=15)

    site.again(hours=hours).settle()
    before = len(site.engine.store.runs(instance))
    site.forward(minutes=5)

    assert (before, len(site.engine.store.runs(instance))) == (1, 2)


def test_a_clock_that_is_set_back_does_not_change_which_job_a_run_failed_by(site: TimedSite) -> None:
    # given job "first" fails a minute before "second", whose end has an earlier time
    failing = {"type": "condition", "value": "1 / 0"}
    nodes = {
        "a": {"type": "wait", "for": "1m"},
        "first": {**failing, "after": ["a"]},
        "b": {"type": "wait", "for": "2m"},
        "second": {**failing, "after": ["b"]},
        "c": {"type": "wait", "for": "3m"},
    }
    site.engine.store.save_definitions({"tasks": {"t": {"nodes": nodes}}})
    instance = site.engine.submit(Submission("t"))
    site.forward(minutes=1)
    site.set_clock(hours=-1)
    site.forward(minutes=1)

    # when another engine goes on with the run
    site.again().forward(minutes=3)

    # then it names the job that failed first
    row = site.engine.store.instance(instance)
    assert row is not None
    assert (row.status, str(row.error_message)[:11]) == ("failed", "job 'first'")


def test_a_clock_that_fell_behind_by_less_than_a_millisecond_was_not_set() -> None:
    right = ClockReading(datetime(2026, 11, 21, 8, tzinfo=UTC), 100.0, "boot")
    reading = ClockReading(right.wall + timedelta(seconds=10), 110.0004, "boot")
    kept = {"right": {"wall": right.wall.isoformat(), "uptime": right.uptime, "boot": right.boot}}

    assert str(clock_document(reading, kept, UTC)["ahead"]) == "0.0"


def test_while_a_task_is_online_the_clock_is_looked_at_every_five_seconds(
    site: TimedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, naps = site.engine.services.loop, list[float]()
    later = loop.later

    def noted(seconds: float, call: Callable[[], None]) -> Timer:
        naps.extend([seconds] if call == site.engine.scheduler.look else [])
        return later(seconds, call)

    monkeypatch.setattr(loop, "later", noted)

    site.settle()
    assert naps == []

    site.online("t", {"level": "year", "month": 6, "day": 6})
    assert naps
    assert max(naps) == 5
