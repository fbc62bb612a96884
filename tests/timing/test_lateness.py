"""What was missed while nobody was at work: each catch-up, the alert that counts, and the misfire threshold."""

from __future__ import annotations

import pytest

from engine.model.codes.timing import TIMES_MISSED
from engine.runtime.timing.backfill_request import BackfillRequest
from tests.timing.conftest import AN_HOUR, TimedSite

HOURLY = {"level": "hour", "every": 1}


def ten_hours_off(site: TimedSite, **schedule: object) -> None:
    """An hourly task is online, then no engine is at work from 08:00 until 18:30."""
    site.online("t", HOURLY | schedule)
    site.engine.close()
    site.clock.forward(hours=10, minutes=30)
    site.engine = site._made()
    site.start()
    for _ in range(12):
        site.settle()


@pytest.mark.parametrize(
    ("schedule", "times"),
    [
        ({"catchup": "none"}, []),
        ({"catchup": "latest"}, ["21 18:00"]),
        ({}, ["21 18:00"]),
        ({"catchup": "all"}, [f"21 {hour:02}:00" for hour in range(9, 19)]),
        ({"catchup": "all", "max": 3}, ["21 16:00", "21 17:00", "21 18:00"]),
    ],
)
def test_after_ten_hours_off_the_catch_up_decides(
    site: TimedSite, schedule: dict[str, object], times: list[str]
) -> None:
    ten_hours_off(site, **schedule)

    assert site.times() == times
    assert set(site.states()) <= {"succeeded"}
    [alert] = site.alerts("schedule")
    assert alert.code == TIMES_MISSED.number
    assert alert.message == f"10 scheduled times were missed, {len(times)} of them are caught up: t"
    site.forward(minutes=30)
    assert site.times() == [*times, "21 19:00"]


def test_what_is_caught_up_runs_one_after_another_whatever_overlaps_otherwise(site: TimedSite) -> None:
    site.online("t", {**HOURLY, "catchup": "all", "overlap": "parallel"}, AN_HOUR)
    site.engine.close()
    site.clock.forward(hours=3, minutes=30)
    site.engine = site._made()
    site.start().settle()

    assert site.states() == ["running", "waiting", "waiting"]
    site.engine.cancel(site.instances()[0].id)
    site.settle()
    assert site.states() == ["cancelled", "running", "waiting"]


def test_what_a_person_has_backfilled_is_caught_up_already_and_nothing_instead_of_it(
    site: TimedSite,
) -> None:
    site.online("t", HOURLY)
    site.engine.close()
    site.clock.forward(hours=3, minutes=30)
    site.engine = site._made()
    site.start(fires=False)
    site.engine.backfill(BackfillRequest("t", "2026-11-21T11:00", "2026-11-21T11:00"))

    site.engine.fire()
    site.settle()

    assert (site.times(), site.states()) == (["21 11:00"], ["succeeded"])


def test_what_a_backfill_begins_in_the_turn_in_which_the_others_are_passed_over_runs(site: TimedSite) -> None:
    site.online("t", {**HOURLY, "catchup": "none"})
    engine, loop = site.engine, site.engine.services.loop

    def begin() -> None:
        site.clock.forward(hours=3, minutes=30)
        asked = BackfillRequest("t", "2026-11-21T10:00", "2026-11-21T10:00")
        engine.backfills.begin(engine.plan_backfill(asked), "anna")
        loop.after_commit(engine.scheduler.look)

    loop.ask(begin)
    site.settle()
    site.forward(minutes=30)

    assert site.times() == ["21 10:00", "21 12:00"]
    assert [each.code for each in site.alerts("schedule")] == [TIMES_MISSED.number]


def test_a_fire_that_is_late_but_within_the_threshold_was_not_missed(site: TimedSite) -> None:
    site.online("t", {**HOURLY, "catchup": "none"})

    site.forward(hours=1, seconds=60)

    assert site.times() == ["21 09:00"]
    assert site.alerts("schedule") == []


def test_a_fire_beyond_the_threshold_was(site: TimedSite) -> None:
    site.online("t", {**HOURLY, "catchup": "none"})

    site.forward(hours=1, seconds=61)

    assert site.times() == []
    assert len(site.alerts("schedule")) == 1


def test_one_alert_tells_of_all_tasks(site: TimedSite) -> None:
    for name in "abcde":
        site.online(name, {**HOURLY, "catchup": "none"})

    site.forward(hours=3, minutes=5)

    [alert] = site.alerts("schedule")
    assert alert.message == "15 scheduled times were missed, 0 of them are caught up: a, b, c, …"


def test_times_before_it_went_online_are_not_caught_up(site: TimedSite) -> None:
    site.online("t", {**HOURLY, "catchup": "all"})
    site.service.move_tasks(["t"], "offline")
    site.forward(hours=5)
    site.online("t", {**HOURLY, "catchup": "all"})
    site.forward(hours=1)

    assert site.times() == ["21 14:00"]


def test_years_of_a_schedule_by_the_second_are_not_walked_through(site: TimedSite) -> None:
    site.online("t", {"interval": "1s", "catchup": "latest"})
    site.engine.close()
    site.clock.forward(days=1000)
    site.engine = site._made()
    site.start().settle()

    [alert] = site.alerts("schedule")
    assert alert.message == "more than 10000 scheduled times were missed, 1 of them are caught up: t"
