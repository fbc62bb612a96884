"""Schedules fire at their times, once each, only where they may, and wait for or pass over what overlaps."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.api.documents import InstanceQuery
from engine.model.codes.timing import CANNOT_FIRE
from engine.runtime.submission import Submission
from engine.store.changes import Changes
from tests.timing.conftest import AN_HOUR, TimedSite


def test_it_fires_at_each_of_its_times(site: TimedSite) -> None:
    site.online("t", {"level": "hour", "every": 2})

    for _ in range(5):
        site.forward(hours=1)

    assert site.times() == ["21 10:00", "21 12:00"]
    assert site.states() == ["succeeded", "succeeded"]
    assert {row.trigger for row in site.instances()} == {"schedule"}
    assert [row.due_at for row in site.instances()] == [row.scheduled_time for row in site.instances()]


def test_an_interval_fires_first_when_it_goes_online(site: TimedSite) -> None:
    site.online("t", {"interval": "90s"})
    site.forward(seconds=89)
    site.forward(seconds=1)

    assert [row.scheduled_time[11:19] for row in site.instances()] == ["08:00:00", "08:01:30"]


def test_once_fires_once(site: TimedSite) -> None:
    site.online("t", {"once": "2026-11-21T08:30"})
    for _ in range(4):
        site.forward(minutes=30)

    assert site.times() == ["21 08:30"]


def test_a_second_engine_goes_on_where_the_first_one_was(site: TimedSite) -> None:
    site.online("t", {"level": "minute", "every": 1})
    site.forward(minutes=1)

    site.again()
    site.settle()
    site.forward(minutes=1)

    assert site.times() == ["21 08:01", "21 08:02"]


def test_an_engine_that_may_not_fire_fires_nothing(tmp_path: Path) -> None:
    site = TimedSite(tmp_path / "quiet").start(fires=False)
    site.online("t", {"level": "minute", "every": 1})
    site.forward(minutes=10)

    assert site.instances() == []
    assert site.service.clock()["fires"] is False
    site.engine.close()


def test_an_engine_that_would_end_when_idle_stays_once_a_window_lets_it_fire(tmp_path: Path) -> None:
    site = TimedSite(tmp_path / "workspace").start(fires=False)
    site.online("t", {"level": "hour", "every": 1})
    site.forward(hours=1)
    before = (site.times(), site.service.idle(), site.service.clock()["fires"])

    document = site.service.fire_schedules()
    site.settle()
    site.forward(hours=1)

    assert before == ([], True, False)
    assert (document["fires"], site.service.idle()) == (True, False)
    assert site.times()[-1] == "21 10:00"
    site.engine.close()


def test_a_task_that_is_offline_does_not_fire(site: TimedSite) -> None:
    site.online("t", {"level": "minute", "every": 1})
    site.service.move_tasks(["t"], "offline")
    site.forward(minutes=1)

    assert site.instances() == []


def test_while_an_earlier_one_is_unfinished_the_next_is_skipped_and_says_why(site: TimedSite) -> None:
    site.online("t", {"level": "minute", "every": 1}, AN_HOUR)
    site.forward(minutes=1)
    site.forward(minutes=1)

    first, second = site.instances()

    assert (first.status, second.status, second.run, second.directory) == ("running", "skipped", 0, None)
    assert second.reason == f"not started: instance {first.id} of the same task had not ended"


def test_what_a_task_passes_over_that_fires_more_than_1440_times_a_day_leaves_no_rows(
    site: TimedSite,
) -> None:
    site.online("t", {"interval": "30s"}, AN_HOUR)
    for _ in range(5):
        site.forward(seconds=30)

    assert site.states() == ["running"]


def test_with_overlap_wait_they_run_in_order_one_after_another(site: TimedSite) -> None:
    site.online("t", {"level": "minute", "every": 10, "overlap": "wait"}, AN_HOUR)
    for _ in range(3):
        site.forward(minutes=10)
    assert site.states() == ["running", "waiting", "waiting"]
    second = site.instances()[1]
    assert second.reason == f"waits for the end of instance {site.instances()[0].id} of the same task"

    site.service.move_tasks(["t"], "online")
    site.engine.cancel(site.instances()[0].id)
    site.settle()

    second, third = site.instances()[1:]
    assert (second.status, second.run, third.status) == ("running", 1, "waiting")
    assert second.started_at is not None
    assert second.started_at > second.created_at


def test_with_overlap_parallel_they_run_side_by_side(site: TimedSite) -> None:
    site.online("t", {"level": "minute", "every": 1, "overlap": "parallel"}, AN_HOUR)
    site.forward(minutes=1)
    site.forward(minutes=1)

    assert site.states() == ["running", "running"]


def test_a_run_by_hand_is_no_earlier_instance(site: TimedSite) -> None:
    site.online("t", {"level": "minute", "every": 1}, AN_HOUR)
    site.engine.submit(Submission("t"))

    site.forward(minutes=1)

    assert [(row.trigger, row.status) for row in site.instances()] == [
        ("manual", "running"),
        ("schedule", "running"),
    ]


def test_one_that_waits_for_its_turn_waits_under_the_next_engine_too(site: TimedSite) -> None:
    site.online("t", {"level": "minute", "every": 1, "overlap": "wait"}, AN_HOUR)
    site.forward(minutes=1)
    site.forward(minutes=1)

    site.again()
    site.settle()
    assert site.states() == ["running", "waiting"]
    site.engine.cancel(site.instances()[0].id)
    site.settle()

    assert site.states() == ["cancelled", "running"]


def test_one_that_waits_for_its_turn_can_be_cancelled(site: TimedSite) -> None:
    site.online("t", {"level": "minute", "every": 1, "overlap": "wait"}, AN_HOUR)
    site.forward(minutes=1)
    site.forward(minutes=1)

    answer = site.service.cancel(site.instances()[1].id)

    assert answer["verified"] is True
    assert site.states() == ["running", "cancelled"]


def test_a_time_that_has_its_instance_already_is_no_end_of_the_engine(site: TimedSite) -> None:
    site.online("t", {"level": "hour", "every": 1})
    by_hand = Submission("t", scheduled_time=site.clock.now().replace(hour=9))
    site.engine.submit(by_hand)

    site.forward(hours=1)
    site.forward(hours=1)

    assert site.times() == ["21 09:00", "21 10:00"]
    assert [row.trigger for row in site.instances()] == ["manual", "schedule"]


def test_a_start_by_hand_on_the_second_of_a_fire_time_takes_another_moment(site: TimedSite) -> None:
    site.online("t", {"level": "hour", "every": 1})
    site.clock.forward(hours=1)
    site.engine.submit(Submission("t"))

    site.settle()

    assert [(row.trigger, row.scheduled_time[11:]) for row in site.instances()] == [
        ("schedule", "09:00:00.000000+00:00"),
        ("manual", "09:00:00.000001+00:00"),
    ]


def test_a_task_that_cannot_begin_says_why_in_its_instance(site: TimedSite) -> None:
    site.online("t", {"level": "hour", "every": 1}, params={"day": {"required": True}})

    site.forward(hours=1)

    [row] = site.instances()
    assert (row.status, row.run) == ("failed", 0)
    assert row.error_message == "task 't' needs the parameter 'day'"
    assert [each.code for each in site.alerts("schedule")] == [CANNOT_FIRE.number]


def test_what_is_loaded_again_runs_as_it_is_then(site: TimedSite) -> None:
    site.online("t", {"level": "hour", "every": 1})
    site.forward(hours=1)
    site.define("t", {"level": "hour", "every": 1}, {"type": "condition", "value": "1 == 2"})
    site.forward(hours=1)

    assert [row.definition for row in site.instances()] == [1, 2]


@pytest.mark.parametrize(
    ("zone", "day", "times"),
    [
        ("Europe/Berlin", "2026-03-29T00:30", ["00:00:00", "01:00:00"]),
        ("Europe/Berlin", "2026-10-25T00:30", ["01:30:00"]),
    ],
)
def test_at_a_clock_change_a_fixed_time_fires_once(
    tmp_path: Path, zone: str, day: str, times: list[str]
) -> None:
    """02:30 does not exist in March, and comes twice in October."""
    from datetime import datetime
    from zoneinfo import ZoneInfo

    site = TimedSite(tmp_path / "changes")
    site.clock.wall = datetime.fromisoformat(day).replace(tzinfo=ZoneInfo(zone)).astimezone(ZoneInfo("UTC"))
    site.start()
    site.online("t", {"cron": "0 30 2 * * ?", "timezone": zone})
    for _ in range(16):
        site.forward(minutes=15)

    assert len(site.instances()) == 1
    site.engine.close()


def test_what_is_planned_is_listed_the_soonest_first(site: TimedSite) -> None:
    changes = Changes()
    for id, hour in ((1, 11), (2, 9), (3, 10)):
        at = f"2026-11-21T{hour:02}:00:00.000000+00:00"
        row = {"id": id, "task": "t", "status": "planned", "trigger": "schedule", "scheduled_time": at}
        changes.insert("instance", {**row, "created_at": at})
    site.engine.store.commit(changes)

    found = site.service.instances(InstanceQuery(planned=True))

    assert [each["instance"] for each in found] == [2, 3, 1]


def test_an_engine_that_fires_nothing_counts_what_is_online_also_what_no_engine_has_fired_yet(
    tmp_path: Path,
) -> None:
    site = TimedSite(tmp_path / "quiet").start(fires=False)
    hourly = {"level": "hour", "every": 1}
    site.define("new", hourly, state="online")
    site.define("by_hand", "manual", state="online")
    site.define("away", hourly)

    about, clock = site.service.about(), site.service.clock()

    assert (about["fires"], about["online"]) == (False, 1)
    assert (clock["fires"], clock["online"], clock["next"][11:16]) == (False, 1, "09:00")
    site.engine.close()
