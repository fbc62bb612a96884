"""Which past times a backfill runs, in which order, and what it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.errors import Refused
from engine.model.reason_words import brief
from engine.model.schedule import Schedule
from engine.model.states import InstanceState, Reprocess
from engine.planning.schedules.backfill import (
    AwaitedPairing,
    BackfilledTask,
    BackfillStep,
    PastInstance,
    TaskTime,
    backfill_steps,
    backfilled_times,
    decided,
)
from engine.planning.schedules.held_times import HeldTimetable
from engine.planning.schedules.pairing import Paired
from engine.planning.schedules.timetable import read_timetable

ZONE = ZoneInfo("UTC")
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
HOURLY = {"level": "hour", "every": 1}
DAILY = {"level": "day", "every": 1, "at": "06:00"}
LATEST = Paired("latest")
DAY_BEFORE = Paired("all_in_period", "previous", "day")


def at(hour: int, day: int = 20) -> datetime:
    return datetime(2026, 11, day, hour, tzinfo=UTC)


NOW = at(12, day=25)


def task(id: str, schedule: dict[str, Any], **awaited: Paired) -> BackfilledTask:
    timetable = read_timetable(Schedule.model_validate(schedule), ZONE, {}, LONG_AGO)
    waits = tuple(AwaitedPairing(each, paired) for each, paired in awaited.items())
    return BackfilledTask(id, ZONE, [HeldTimetable(timetable, LONG_AGO)], waits)


def steps(
    *tasks: BackfilledTask, hours: tuple[int, int] = (1, 4), newest: bool = False, now: datetime = NOW
) -> list[BackfillStep]:
    times = backfilled_times(tasks, at(hours[0]), at(hours[1]), now, newest=newest)
    return backfill_steps(times, {}, "missing")


def named(found: Sequence[BackfillStep]) -> list[str]:
    """``a 1`` of each: the task and the hour."""
    return [f"{each.task} {each.at.hour}" for each in found]


# -- a decision for each time ----------------------------------------------------------------------


@pytest.mark.parametrize("reprocess", ["missing", "failed", "all"])
@pytest.mark.parametrize("state", ["skipped", "offline", "cancelled", "failed", "timed_out"])
def test_what_never_ran_is_always_made(state: InstanceState, reprocess: Reprocess) -> None:
    assert decided(None, reprocess)[0] == "make"

    choice, why = decided(PastInstance(7, InstanceState(state), begun=False), reprocess)

    assert (choice, brief(why)) == ("make", f"it never ran: instance 7 is {state}")


@pytest.mark.parametrize(
    ("state", "again_for"),
    [
        ("succeeded", {"all"}),
        ("failed", {"failed", "all"}),
        ("timed_out", {"failed", "all"}),
        ("lost", {"failed", "all"}),
        ("cancelled", {"failed", "all"}),
        ("running", set()),
        ("waiting", set()),
        ("paused", set()),
    ],
)
def test_what_ran_runs_again_as_it_is_asked_for(state: str, again_for: set[str]) -> None:
    for reprocess in ("missing", "failed", "all"):
        choice, why = decided(PastInstance(7, InstanceState(state), begun=True), reprocess)

        assert choice == ("run_again" if reprocess in again_for else "leave")
        assert brief(why) == f"instance 7 is {state}"


@given(
    state=st.sampled_from(InstanceState), begun=st.booleans(), first=st.integers(0, 2), more=st.integers(0, 2)
)
def test_missing_is_less_than_failed_which_is_less_than_all(
    state: InstanceState, begun: bool, first: int, more: int
) -> None:
    order: list[Reprocess] = ["missing", "failed", "all"]
    there = PastInstance(1, state, begun)

    if decided(there, order[first])[0] != "leave":
        assert decided(there, order[max(first, more)])[0] != "leave"


# -- which times, in which order -------------------------------------------------------------------


def test_both_ends_are_included_and_the_oldest_is_first() -> None:
    assert named(steps(task("a", HOURLY))) == ["a 1", "a 2", "a 3", "a 4"]
    assert named(steps(task("a", HOURLY), newest=True)) == ["a 4", "a 3", "a 2", "a 1"]


def test_each_time_is_asked_of_the_schedule_that_held_then() -> None:
    hourly, every_other = task("a", HOURLY).held[0], task("a", {"level": "hour", "every": 2}).held[0]
    changed = BackfilledTask("a", ZONE, [hourly, every_other._replace(after=at(2))])

    assert named(steps(changed, hours=(0, 8))) == ["a 0", "a 1", "a 2", "a 4", "a 6", "a 8"]


def test_a_task_that_waits_for_itself_has_each_time_after_the_one_before() -> None:
    found = steps(task("a", HOURLY, a=LATEST))

    assert [each.after for each in found] == [(), (0,), (1,), (2,)]


def test_a_dependant_comes_right_behind_what_it_waits_for() -> None:
    found = steps(task("a", HOURLY), task("b", {"level": "hour", "every": 2}, a=LATEST))

    assert named(found) == ["a 1", "a 2", "b 2", "a 3", "a 4", "b 4"]
    assert {step.at.hour: step.after for step in found if step.task == "b"} == {2: (1,), 4: (4,)}


def test_newest_first_a_dependant_comes_behind_what_it_waits_for_all_the_same() -> None:
    found = steps(task("a", HOURLY), task("b", HOURLY, a=LATEST), newest=True)

    assert named(found) == ["a 4", "b 4", "a 3", "b 3", "a 2", "b 2", "a 1", "b 1"]


def test_a_dependant_of_a_whole_day_comes_after_every_hour_of_it() -> None:
    found = steps(task("a", HOURLY), task("b", DAILY, a=DAY_BEFORE), hours=(0, 23))

    assert named(found)[-1] == "b 6"
    assert found[-1].at == at(6, day=21)
    assert found[-1].after == tuple(range(24))


def test_dependants_of_dependants_follow_and_one_that_waits_for_both_comes_last() -> None:
    found = steps(
        task("a", HOURLY), task("c", HOURLY, a=LATEST, b=LATEST), task("b", HOURLY, a=LATEST), hours=(1, 2)
    )

    assert named(found) == ["a 1", "b 1", "c 1", "a 2", "b 2", "c 2"]
    assert found[2].after == (0, 1)


def test_a_dependant_has_no_time_after_now() -> None:
    found = steps(task("a", HOURLY), task("b", DAILY, a=DAY_BEFORE), hours=(0, 2), now=at(5, day=21))

    assert named(found) == ["a 0", "a 1", "a 2"]


def test_nothing_comes_after_a_time_that_is_left() -> None:
    tasks = [task("a", HOURLY), task("b", HOURLY, a=LATEST)]
    there = {TaskTime("a", at(1)): PastInstance(7, InstanceState.SUCCEEDED, begun=True)}

    found = backfill_steps(backfilled_times(tasks, at(1), at(1), NOW), there, "missing")

    assert [(each.task, each.choice, each.instance, each.after) for each in found] == [
        ("a", "leave", 7, ()),
        ("b", "make", None, ()),
    ]


# -- what is refused -------------------------------------------------------------------------------


def refused(*tasks: BackfilledTask, **given: Any) -> str:
    with pytest.raises(Refused) as raised:
        steps(*tasks, **given)
    return f"{raised.value.code} {raised.value.where}"


def test_a_time_after_now_is_refused_with_the_first_of_them() -> None:
    assert refused(task("a", HOURLY), now=at(3)) == "-14000018000 2026-11-20T04:00:00+00:00"


def test_a_range_that_ends_after_now_is_allowed_when_no_time_of_it_is() -> None:
    assert named(steps(task("a", DAILY), hours=(1, 23), now=at(7))) == ["a 6"]


def test_more_than_ten_thousand_times_are_refused_those_of_dependants_included() -> None:
    minutely = {"level": "minute", "every": 1}
    many = task("a", minutely)
    begin = NOW - timedelta(minutes=9_999)

    assert len(backfilled_times([many], begin, NOW, NOW)) == 10_000
    for tasks in ([many], [many, task("b", minutely, a=LATEST)]):
        with pytest.raises(Refused, match="more than 10000 times") as raised:
            backfilled_times(tasks, begin - timedelta(minutes=len(tasks) == 1), NOW, NOW)
        assert raised.value.where == tasks[-1].id


def test_newest_first_with_a_self_dependency_is_refused_also_of_a_dependant() -> None:
    itself = task("a", HOURLY, a=LATEST)
    behind = task("b", HOURLY, a=LATEST, b=LATEST)

    assert refused(itself, newest=True) == "-14000020000 a"
    assert refused(task("a", HOURLY), behind, newest=True) == "-14000020000 b"


def test_tasks_that_wait_for_each_other_are_refused_with_the_circle() -> None:
    one, other = task("a", HOURLY, b=LATEST), task("b", HOURLY, a=LATEST)

    assert refused(one, other) == "-14000021000 a -> b"


# -- properties ------------------------------------------------------------------------------------

CHAINS = st.sampled_from(
    [
        (task("a", HOURLY), task("b", {"level": "hour", "every": 2}, a=LATEST)),
        (task("a", HOURLY), task("b", DAILY, a=DAY_BEFORE), task("c", HOURLY, b=LATEST)),
        (task("a", HOURLY, a=LATEST), task("b", HOURLY, a=LATEST, b=LATEST)),
        (task("a", HOURLY), task("b", HOURLY, a=LATEST), task("c", DAILY, a=LATEST, b=DAY_BEFORE)),
    ]
)


@given(chain=CHAINS, begin=st.integers(0, 23), length=st.integers(0, 40), newest=st.booleans())
def test_each_time_comes_once_and_behind_all_that_it_comes_after(
    chain: Sequence[BackfilledTask], begin: int, length: int, newest: bool
) -> None:
    newest = newest and not any(each.waits_for_itself for each in chain)
    start = at(begin)

    found = backfill_steps(
        backfilled_times(chain, start, start + timedelta(hours=length), NOW, newest=newest), {}, "missing"
    )

    times = [(each.task, each.at) for each in found]
    assert len(set(times)) == len(times)
    assert all(before < position for position, each in enumerate(found) for before in each.after)
    own = [each.at for each in found if each.task == "a"]
    assert own == sorted(own, reverse=newest)
    assert len(own) == length + 1
