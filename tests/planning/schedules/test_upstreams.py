"""What follows from what became of the partners of an instance, and which those are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest

from engine.model.reason import Kind
from engine.model.schedule import Schedule
from engine.model.states import InstanceState
from engine.planning.schedules.fire_times import fires
from engine.planning.schedules.held_times import HeldTimetable, partner_times
from engine.planning.schedules.pairing import Paired
from engine.planning.schedules.timetable import read_timetable
from engine.planning.schedules.upstreams import AwaitedTask, Partner, WaitVerdict, decided, next_deadline

TIME = datetime(2026, 11, 21, 9, tzinfo=UTC)
UTC_ZONE = ZoneInfo("UTC")
S = InstanceState


def waits_for(*states: InstanceState | None, begun: bool = True, **more: object) -> AwaitedTask:
    partners = tuple(Partner(TIME, n if each else None, each, begun) for n, each in enumerate(states, 1))
    return AwaitedTask("b", partners)._replace(**more)


@pytest.mark.parametrize(
    ("state", "begun", "verdict", "kind"),
    [
        (S.SUCCEEDED, True, WaitVerdict.START, None),
        (S.PLANNED, False, WaitVerdict.WAIT, Kind.UPSTREAM_UNFINISHED),
        (S.WAITING, False, WaitVerdict.WAIT, Kind.UPSTREAM_UNFINISHED),
        (S.WAITING, True, WaitVerdict.WAIT, Kind.UPSTREAM_UNFINISHED),  # to be tried again
        (S.RUNNING, True, WaitVerdict.WAIT, Kind.UPSTREAM_UNFINISHED),
        (S.PAUSED, True, WaitVerdict.WAIT, Kind.UPSTREAM_UNFINISHED),
        (None, False, WaitVerdict.WAIT, Kind.UPSTREAM_MISSING),
        (S.OFFLINE, False, WaitVerdict.WAIT, Kind.UPSTREAM_NOT_RUN),
        (S.SKIPPED, False, WaitVerdict.WAIT, Kind.UPSTREAM_NOT_RUN),
        (S.CANCELLED, False, WaitVerdict.WAIT, Kind.UPSTREAM_NOT_RUN),
        (S.CANCELLED, True, WaitVerdict.FAIL, Kind.UPSTREAM_FAILED),
        (S.FAILED, True, WaitVerdict.FAIL, Kind.UPSTREAM_FAILED),
        (S.FAILED, False, WaitVerdict.FAIL, Kind.UPSTREAM_FAILED),  # by a dependency of its own
        (S.TIMED_OUT, False, WaitVerdict.FAIL, Kind.UPSTREAM_FAILED),
        (S.LOST, True, WaitVerdict.FAIL, Kind.UPSTREAM_FAILED),
    ],
)
def test_what_became_of_the_partner_decides(
    state: InstanceState | None, begun: bool, verdict: WaitVerdict, kind: Kind | None
) -> None:
    found = decided([waits_for(state, begun=begun)], waited=0)

    assert found.verdict is verdict
    assert (found.reason and found.reason.kind) is kind


def test_without_a_partner_there_is_nothing_to_wait_for() -> None:
    assert decided([waits_for()], waited=0).verdict is WaitVerdict.START


def test_one_that_ended_badly_is_enough_whatever_else_is_waited_for() -> None:
    others = [waits_for(S.RUNNING), waits_for(S.SUCCEEDED, S.FAILED, task="c")]

    found = decided(others, waited=99, timeout=10)

    assert (found.verdict, found.task) == (WaitVerdict.FAIL, "c")


def test_with_on_failure_wait_it_is_waited_for() -> None:
    found = decided([waits_for(S.FAILED, on_failure="wait")], waited=0)

    assert found.verdict is WaitVerdict.WAIT
    assert found.reason is not None
    assert found.reason.kind is Kind.UPSTREAM_BAD


def test_the_reason_names_all_that_are_waited_for() -> None:
    waits = [waits_for(S.SUCCEEDED), waits_for(S.SUCCEEDED, S.RUNNING, task="c"), waits_for(None, task="d")]

    found = decided(waits, waited=0)

    assert found.reason is not None
    assert found.reason.facts == {
        "task": "c", "at": TIME.isoformat(), "instance": 2, "status": "running", "names": ["d"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("waited", "verdict"),
    [(29, WaitVerdict.WAIT), (30, WaitVerdict.DEPENDENCY_TIMEOUT), (60, WaitVerdict.TASK_TIMEOUT)],
)
def test_time_is_up_for_a_dependency_or_for_the_task(waited: float, verdict: WaitVerdict) -> None:
    waits = [waits_for(S.RUNNING, timeout=30.0)]

    assert next_deadline(waits, 60) == 30
    assert decided(waits, waited, timeout=60).verdict is verdict


def test_what_is_good_has_no_deadline_any_more() -> None:
    waits = [waits_for(S.SUCCEEDED, timeout=30.0), waits_for(S.RUNNING, task="c")]

    assert next_deadline(waits, None) is None
    assert decided(waits, waited=31).verdict is WaitVerdict.WAIT


EXPRESSIONS = (
    "0 0/7 * * * ?",
    "0 0 0/5 * * ?",
    "0 30 8-17/3 * * ?",
    "0 0 2 * * ?",
    "0 0 6 ? * 2,4",
    "0 0 0 5 * ?",
)


def slow_latest(held: list[HeldTimetable], until: datetime) -> list[datetime]:
    """By walking through every moment that each of the schedules had, from the first one on."""
    if not held:
        return []
    ends = [each.after for each in held[1:]] + [until]
    times = [
        time
        for each, end in zip(held, ends, strict=True)
        for time in fires(each.timetable, each.after, min(end, until))
    ]
    return times[-1:]


@pytest.mark.parametrize("seed", range(20))
def test_the_latest_partner_is_that_of_a_slow_reference(seed: int) -> None:
    random = Random(seed)
    since, held = TIME, []
    for _ in range(random.randint(1, 4)):
        schedule = Schedule.model_validate({"level": "crontab", "cron": random.choice(EXPRESSIONS)})
        zone = ZoneInfo(random.choice(["UTC", "Europe/Berlin", "Australia/Lord_Howe"]))
        held.append(HeldTimetable(read_timetable(schedule, zone, {}, since), since))
        since += timedelta(minutes=random.randint(1, 60 * 24 * 20))

    for _ in range(20):
        time = TIME + timedelta(minutes=random.randint(-60, 60 * 24 * 80))
        known = [each for each in held if each.after <= time]
        assert partner_times(Paired("latest"), time, UTC_ZONE, held) == slow_latest(known, time)


def test_of_itself_the_time_before_ones_own_is_meant() -> None:
    timetable = read_timetable(
        Schedule.model_validate({"level": "crontab", "cron": "0 0 * * * ?"}), UTC_ZONE, {}, TIME
    )
    held = [HeldTimetable(timetable, TIME - timedelta(hours=2, minutes=30))]

    assert partner_times(Paired("latest"), TIME, UTC_ZONE, held, itself=True) == [TIME - timedelta(hours=1)]


def test_a_period_is_asked_of_the_schedules_that_held_in_it() -> None:
    """Every hour until six, every two hours from then on."""
    tables = [
        read_timetable(Schedule.model_validate({"level": "crontab", "cron": cron}), UTC_ZONE, {}, TIME)
        for cron in ("0 0 * * * ?", "0 0 0/2 * * ?")
    ]
    midnight = TIME.replace(hour=0)
    held = [
        HeldTimetable(tables[0], midnight + timedelta(hours=2)),
        HeldTimetable(tables[1], midnight + timedelta(hours=6)),
    ]
    paired = Paired("all_in_period", "same", "day")

    found = partner_times(paired, TIME, UTC_ZONE, held)

    assert [time.hour for time in found] == [3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20, 22]
