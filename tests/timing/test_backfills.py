"""Past times are run: in order, so many at once; what else there is stays as it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any

import pytest

from engine.api.read_only import ReadOnlyService
from engine.model.codes.store import CONFLICT, ROW_DAMAGED
from engine.model.errors import Invalid, Refused, SkerryError
from engine.model.states import JobState
from engine.runtime.submission import Submission
from engine.runtime.timing.backfill_request import BackfillRequest
from engine.store.changes import Changes
from engine.store.opening import open_store
from engine.store.rebuild import rebuild
from tests.timing.conftest import AN_HOUR, TimedSite
from tests.waiting import until

HOURLY = {"level": "hour", "every": 1}
DAILY = {"level": "day", "every": 1}
FAILING = {"type": "condition", "value": "1 / 0"}
TEN_MINUTES = {"type": "wait", "for": "10m"}
FAILS_LATE = {**TEN_MINUTES, "success": "1 == 2"}


def backfill(site: TimedSite, task: str = "t", since: str = "01", until: str = "04", **asked: Any) -> int:
    """Of the hours of 21 November; gives its number once the engine has done what can be done at once."""
    request = BackfillRequest(task, f"2026-11-21T{since}:00", f"2026-11-21T{until}:00", **asked)
    number = site.engine.backfill(request, "anna")
    settle(site)
    return number


def settle(site: TimedSite) -> None:
    """Until nothing happens any more without time passing."""
    before = None
    while before != (before := _standing(site)) or _is_looking(site):
        for _ in range(4):
            site.settle()


def _is_looking(site: TimedSite) -> bool:
    """Whether it is being looked up on another thread if an instance may run again."""
    live = site.engine.backfills._live.values()
    return any(None in each.begun.values() for each in live if each.runs)


def _standing(site: TimedSite) -> list[Any]:
    store = site.engine.store
    return [store.instances(limit=10_000), [store.backfill_steps(each.id) for each in store.backfills()]]


def pass_time(site: TimedSite, **by: float) -> None:
    site.clock.forward(**by)
    settle(site)


def state(site: TimedSite, number: int) -> str:
    row = site.engine.store.backfill(number)
    assert row is not None
    return row.status


def at_work(site: TimedSite, task: str = "t") -> list[str]:
    return [row.scheduled_time[11:13] for row in site.instances(task) if row.status == "running"]


def test_past_times_are_run_oldest_first_and_say_what_fired_them(site: TimedSite) -> None:
    site.online("t", HOURLY)

    number = backfill(site, reason="the disk was full")

    assert state(site, number) == "succeeded"
    assert site.times() == ["21 01:00", "21 02:00", "21 03:00", "21 04:00"]
    rows = site.instances()
    assert {row.status for row in rows} == {"succeeded"}
    assert [row.id for row in rows] == sorted(row.id for row in rows)
    assert {row.trigger for row in rows} == {"backfill"}
    [run] = site.engine.store.runs(rows[0].id)
    assert (run.trigger, run.reason, run.actor) == (
        "backfill",
        f"backfill {number}: the disk was full",
        "anna",
    )


def test_newest_first_begins_with_the_newest(site: TimedSite) -> None:
    site.online("t", HOURLY)

    backfill(site, order="newest")

    by_time = site.instances()
    assert [row.id for row in by_time] == sorted((row.id for row in by_time), reverse=True)


def test_so_many_run_at_once_and_one_begins_when_another_has_ended(site: TimedSite) -> None:
    site.online("t", HOURLY, TEN_MINUTES)

    number = backfill(site, parallel=3)

    assert at_work(site) == ["01", "02", "03"]
    pass_time(site, minutes=10)
    assert at_work(site) == ["04"]
    pass_time(site, minutes=10)
    assert (state(site, number), at_work(site)) == ("succeeded", [])


def test_a_time_before_the_task_first_went_online_is_one_of_the_schedule_as_it_is_now(
    site: TimedSite,
) -> None:
    site.define("t", {"level": "hour", "every": 2})

    backfill(site)

    assert site.times() == ["21 02:00", "21 04:00"]


def test_a_past_time_is_asked_of_the_schedule_that_held_then(site: TimedSite) -> None:
    site.online("t", HOURLY)
    site.forward(hours=2)
    site.service.move_tasks(["t"], "offline")
    site.online("t", {"level": "hour", "every": 3})
    site.forward(hours=6)

    planned = site.engine.plan_backfill(BackfillRequest("t", "2026-11-21T07:00", "2026-11-21T15:00"))

    assert [step.at.hour for step in planned.steps] == [9, 10, 12, 15]


# -- what is there already -------------------------------------------------------------------------


def with_past(site: TimedSite) -> None:
    """Of 1, 2, 3 and 4 o'clock: succeeded, failed, nothing, cancelled before it began."""
    site.clock.set_by(hours=-8)
    site.online("t", HOURLY)
    site.forward(hours=1)
    site.define("t", HOURLY, FAILING)
    site.forward(hours=1)
    site.define("t", HOURLY)
    site.service.move_tasks(["t"], "offline")
    site.forward(hours=6)


@pytest.mark.parametrize(
    ("reprocess", "run"),
    [
        ("missing", ["03", "04"]),
        ("failed", ["02", "03", "04"]),
        ("all", ["01", "02", "03", "04"]),
    ],
)
def test_what_runs_is_what_never_ran_or_failed_or_everything(
    site: TimedSite, reprocess: str, run: list[str]
) -> None:
    with_past(site)
    before = {row.scheduled_time[11:13]: row for row in site.instances()}
    assert {hour: row.status for hour, row in before.items()} == {"01": "succeeded", "02": "failed"}

    number = backfill(site, reprocess=reprocess)

    after = {row.scheduled_time[11:13]: row for row in site.instances()}
    assert sorted(hour for hour, row in after.items() if row != before.get(hour)) == run
    assert {after[hour].trigger for hour in run} == {"backfill"}
    assert state(site, number) == "succeeded"
    assert len({row.scheduled_time for row in after.values()}) == len(after)


def test_what_ran_has_a_further_run_by_the_definition_of_now(site: TimedSite) -> None:
    with_past(site)

    number = backfill(site, since="02", until="02", reprocess="failed", reason="repaired")

    [row] = site.instances()[1:]
    assert (row.run, row.status) == (2, "succeeded")
    run = site.engine.store.run(row.id, 2)
    assert run is not None
    assert (run.trigger, run.actor, run.reason) == ("backfill", "anna", f"backfill {number}: repaired")


def test_what_never_ran_keeps_its_instance_and_has_its_first_run(site: TimedSite) -> None:
    """Skipped: the one before had not ended."""
    site.online("t", HOURLY, AN_HOUR | {"for": "90m"})
    site.forward(hours=1)
    site.forward(hours=1)
    assert site.states() == ["running", "skipped"]
    skipped = site.instances()[1]
    site.forward(hours=2)

    backfill(site, since="10", until="10")

    [row] = [row for row in site.instances() if row.id == skipped.id]
    assert (row.status, row.run, row.trigger) == ("running", 1, "backfill")


def planned(site: TimedSite, hour: str) -> None:
    """As it is made ahead; no engine was at work when its time came."""
    changes = Changes()
    at = f"2026-11-21T{hour}:00:00.000000+00:00"
    about = {"id": site.engine.store.next_id("instance"), "task": "t", "scheduled_time": at}
    how = {"status": "planned", "trigger": "schedule", "created_at": at}
    changes.insert("instance", {**about, **how})
    site.engine.store.commit(changes)


def test_what_was_planned_and_missed_is_run_what_may_be_started_right_now_is_left(site: TimedSite) -> None:
    site.define("t", HOURLY)
    for hour in ("07", "08"):
        planned(site, hour)

    backfill(site, since="07", until="08")

    times = [f"2026-11-21T{hour}:00:00.000000+00:00" for hour in ("07", "08")]
    rows = [site.engine.store.instance_at("t", time) for time in times]
    assert [row and (row.status, row.run) for row in rows] == [("succeeded", 1), ("planned", 0)]


def test_a_running_instance_is_left_as_it_is(site: TimedSite) -> None:
    site.online("t", HOURLY, AN_HOUR)
    site.forward(hours=1)
    before = site.instances()

    number = backfill(site, since="09", until="09", reprocess="all")

    assert site.instances() == before
    [step] = site.engine.store.backfill_steps(number)
    assert (step.status, step.reason) == ("left", f"instance {before[0].id} is running")
    assert state(site, number) == "succeeded"


def test_all_else_stays_byte_for_byte(site: TimedSite) -> None:
    with_past(site)
    site.online("other", {"level": "day", "every": 1})
    store = site.engine.store
    one, failed = site.instances()

    def around() -> Any:
        folder = site.engine.workspace.instances / f"task-t-{one.id}"
        files = {str(each): each.read_bytes() for each in folder.rglob("*") if each.is_file()}
        return (
            store.schedules(),
            store.instance(one.id),
            store.instance(failed.id),
            list(store.lines(one.id)),
            files,
        )

    before = around()
    backfill(site)

    assert around() == before


def test_a_backfill_does_not_move_the_next_fire_time_and_is_no_overlap(site: TimedSite) -> None:
    site.online("t", HOURLY, AN_HOUR)
    [kept] = site.engine.store.schedules()

    backfill(site)

    assert site.engine.store.schedules() == [kept]
    assert at_work(site) == ["01"]
    site.forward(hours=1, minutes=1)
    assert dict(zip(site.times(), site.states(), strict=True))["21 09:00"] == "running"


def with_missed_times(site: TimedSite) -> None:
    """A waits for B; no engine was at work from midnight until now, and nothing is caught up."""
    site.clock.set_by(hours=-8)
    site.online("b", HOURLY | {"catchup": "none"})
    site.online("a", HOURLY | {"catchup": "none"}, depends_on=[{"task": "b"}])
    site.engine.close()
    site.clock.forward(hours=7, minutes=30)
    site.engine = site._made()
    site.start().settle()


# -- dependencies ----------------------------------------------------------------------------------


def test_in_mid_wait_an_upstream_is_backfilled_and_its_dependant_accepts_that(site: TimedSite) -> None:
    """A depends on B, which did not run; A has a timeout of ten minutes."""
    site.online(
        "b", {"level": "day", "every": 1, "at": "08:30", "catchup": "none"}, TEN_MINUTES | {"for": "2m"}
    )
    site.online("a", HOURLY, depends_on=[{"task": "b"}], timeout="10m")
    site.engine.close()
    site.clock.forward(hours=1, seconds=30)
    site.engine = site._made()
    site.start().settle()
    assert site.states("a") == ["waiting"]
    pass_time(site, minutes=3)

    number = backfill(site, "b", since="08:30"[:2], until="09")
    assert site.states("a") == ["waiting"]
    pass_time(site, minutes=2)

    assert state(site, number) == "succeeded"
    assert site.states("b") == ["succeeded"]
    assert site.states("a") == ["succeeded"]


def test_a_backfilled_time_waits_for_what_its_task_depends_on(site: TimedSite) -> None:
    with_missed_times(site)

    number = backfill(site, "a", since="01", until="02")
    [row] = site.instances("a")
    assert (row.status, row.run, row.trigger) == ("waiting", 0, "backfill")
    assert "which has no instance yet" in str(row.reason)

    backfill(site, "b", since="01", until="02")
    assert site.states("a") == ["succeeded", "succeeded"]
    assert state(site, number) == "succeeded"


def test_a_backfilled_time_that_waits_is_no_overlap_under_the_next_engine_either(site: TimedSite) -> None:
    # given a past time that waits for another task
    with_missed_times(site)
    backfill(site, "a", since="01", until="01")
    assert site.states("a") == ["waiting"]

    # when the next engine is at work at the next time of both
    site.again()
    pass_time(site, minutes=30, seconds=30)

    # then that is not passed over
    assert list(zip(site.times("a"), site.states("a"), strict=True)) == [
        ("21 01:00", "waiting"),
        ("21 08:00", "succeeded"),
    ]


def test_a_backfilled_time_whose_task_is_to_be_tried_again_is_under_the_next_engine(site: TimedSite) -> None:
    # given a past time that has failed once, and waits for the further try of its task
    retry = {"times": 1, "interval": "5m"}
    site.online("t", HOURLY | {"catchup": "none"}, FAILS_LATE, retry=retry)
    number = backfill(site, since="01", until="01")
    pass_time(site, minutes=10, seconds=1)
    [row] = site.instances()
    assert (row.status, row.run) == ("waiting", 1)

    # when another engine has begun
    site.again()
    settle(site)

    # then it still waits, and is tried once more at its time
    [row] = site.instances()
    assert (row.status, row.run, state(site, number)) == ("waiting", 1, "running")
    pass_time(site, minutes=5, seconds=1)
    pass_time(site, minutes=10, seconds=1)
    [row] = site.instances()
    assert (row.status, row.run, state(site, number)) == ("failed", 2, "failed")


def test_dependencies_can_be_ignored(site: TimedSite) -> None:
    with_missed_times(site)

    number = backfill(site, "a", ignore_dependencies=True)

    assert state(site, number) == "succeeded"
    assert (site.states("a"), site.states("b")) == (["succeeded"] * 4, [])


def test_with_downstream_the_dependants_follow_each_after_its_own(site: TimedSite) -> None:
    site.online("b", HOURLY)
    site.online("a", HOURLY, depends_on=[{"task": "b"}])

    number = backfill(site, "b", since="01", until="03", downstream=True)

    assert state(site, number) == "succeeded"
    both = sorted((*site.instances("a"), *site.instances("b")), key=lambda row: row.id)
    assert [f"{row.task} {row.scheduled_time[11:13]}" for row in both] == [
        "b 01", "a 01", "b 02", "a 02", "b 03", "a 03",
    ]  # fmt: skip


def test_what_comes_after_one_that_failed_is_left_and_says_so(site: TimedSite) -> None:
    site.online("b", HOURLY, FAILING)
    site.online("a", HOURLY, depends_on=[{"task": "b"}])
    site.online("c", HOURLY, depends_on=[{"task": "a"}])

    number = backfill(site, "b", since="01", until="01", downstream=True)

    assert state(site, number) == "failed"
    assert (site.states("b"), site.instances("a"), site.instances("c")) == (["failed"], [], [])
    steps = site.engine.store.backfill_steps(number)
    assert [(step.task, step.status) for step in steps] == [("b", "failed"), ("a", "left"), ("c", "left")]
    assert steps[1].reason == (
        "not run: b of 2026-11-21T01:00:00+00:00, which comes before it, did not succeed"
    )


def test_a_chain_on_itself_stops_where_it_fails(site: TimedSite) -> None:
    site.online("t", HOURLY, FAILING, depends_on=[{"self": True}])

    number = backfill(site, parallel=3)

    assert (site.times(), site.states()) == (["21 01:00"], ["failed"])
    assert state(site, number) == "failed"


# -- pause, cancel, later engines ------------------------------------------------------------------

Again = Callable[[TimedSite], object]
RESTARTS = pytest.mark.parametrize("again", [lambda site: site, lambda site: site.again()], ids=["", "again"])


@RESTARTS
def test_a_paused_backfill_begins_nothing_more_until_it_is_resumed(site: TimedSite, again: Again) -> None:
    site.define("t", HOURLY, TEN_MINUTES)
    number = backfill(site)

    site.engine.pause_backfill(number, "anna")
    again(site)
    pass_time(site, minutes=30)
    assert (state(site, number), site.states()) == ("paused", ["succeeded"])

    site.engine.resume_backfill(number, "anna")
    settle(site)
    assert at_work(site) == ["02"]
    for _ in range(3):
        pass_time(site, minutes=10)
    assert (state(site, number), site.states()) == ("succeeded", ["succeeded"] * 4)


@RESTARTS
@pytest.mark.parametrize(("node", "end"), [(TEN_MINUTES, "succeeded"), (FAILS_LATE, "failed")])
def test_a_paused_backfill_ends_with_its_last_time_when_nothing_is_left_to_begin(
    site: TimedSite, again: Again, node: dict[str, Any], end: str
) -> None:
    site.define("t", HOURLY, node)
    number = backfill(site, since="03", until="04", parallel=2)

    site.engine.pause_backfill(number, "anna")
    again(site)
    pass_time(site, minutes=30)

    assert (state(site, number), site.states()) == (end, [end] * 2)


@RESTARTS
def test_a_cancelled_backfill_drops_what_has_not_begun_and_lets_go_on_what_runs(
    site: TimedSite, again: Again
) -> None:
    site.online("t", HOURLY, TEN_MINUTES)
    number = backfill(site, parallel=2)

    site.engine.cancel_backfill(number, "anna")
    again(site)
    pass_time(site, minutes=30)

    assert (state(site, number), site.states()) == ("cancelled", ["succeeded"] * 2)
    steps = site.engine.store.backfill_steps(number)
    assert [step.status for step in steps] == ["begun", "begun", "dropped", "dropped"]


def test_a_time_whose_turn_has_not_come_has_not_the_state_of_its_earlier_run(site: TimedSite) -> None:
    # given four times that have succeeded, and now take long
    site.define("t", HOURLY)
    backfill(site)
    site.define("t", HOURLY, TEN_MINUTES)

    # when they are run again, one at a time
    number = backfill(site, reprocess="all")

    # then three of them wait for their turn
    document = site.service.backfill(number)
    states = [each["status"] for each in document["instances"]]
    assert states == ["running", "pending", "pending", "pending"]
    assert (document["counts"]["under_way"], document["counts"]["pending"]) == (1, 3)


def test_what_a_backfill_has_done_stays_what_later_runs_of_its_instances_do(site: TimedSite) -> None:
    # given a backfill whose four times have succeeded
    site.define("t", HOURLY)
    number = backfill(site)

    # when another one runs them again, and they fail
    site.define("t", HOURLY, FAILING)
    again = backfill(site, reprocess="all")

    # then each of the two has its own outcome
    first, second = site.service.backfill(number), site.service.backfill(again)
    assert (first["counts"]["succeeded"], second["counts"]["failed"]) == (4, 4)
    assert [each["status"] for each in first["instances"]] == ["succeeded"] * 4
    assert [each["status"] for each in second["instances"]] == ["failed"] * 4


def test_an_interval_has_no_times_before_its_task_went_online(site: TimedSite) -> None:
    # given an interval that counts from when its task went online
    site.online("t", {"interval": "10m"})
    pass_time(site, minutes=10)
    pass_time(site, minutes=10)

    # when all of that day until now is backfilled
    asked = BackfillRequest("t", "2026-11-21", site.clock.now().isoformat())
    found = site.service.preview_backfill(asked)

    # then nothing is made up
    assert [each["decision"] for each in found] == ["leave"] * 3


@RESTARTS
def test_what_waits_for_other_tasks_does_not_begin_while_paused(site: TimedSite, again: Again) -> None:
    with_missed_times(site)
    number = backfill(site, "a", since="01", until="01")

    site.engine.pause_backfill(number, "anna")
    again(site)
    settle(site)
    [row] = site.instances("a")
    assert (row.status, row.reason) == ("waiting", f"backfill {number} is paused by anna")
    backfill(site, "b", since="01", until="01")
    assert site.states("a") == ["waiting"]

    site.engine.resume_backfill(number, "anna")
    settle(site)
    assert (site.states("a"), state(site, number)) == (["succeeded"], "succeeded")


def test_cancelling_takes_back_what_only_waits(site: TimedSite) -> None:
    with_missed_times(site)
    number = backfill(site, "a", since="01", until="03")

    site.engine.cancel_backfill(number, "anna")
    settle(site)

    [row] = site.instances("a")
    assert (row.status, row.run) == ("cancelled", 0)


def test_the_next_engine_goes_on_where_this_one_ended_also_one_that_fires_nothing(site: TimedSite) -> None:
    site.online("t", HOURLY, TEN_MINUTES)
    number = backfill(site, parallel=2)

    site.again(fires=False)
    for _ in range(3):
        assert len(at_work(site)) <= 2
        pass_time(site, minutes=10)

    assert (state(site, number), site.states()) == ("succeeded", ["succeeded"] * 4)
    assert len(site.times()) == len(set(site.times())) == 4


@pytest.mark.parametrize("durable", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("commits", [1, 2, 3, 5, 8])
def test_a_kill_at_a_commit_of_a_backfill_loses_and_doubles_nothing(
    site: TimedSite, durable: bool, commits: int
) -> None:
    site.online("b", HOURLY)
    site.online("a", HOURLY, depends_on=[{"task": "b"}])
    request = BackfillRequest("b", "2026-11-21T01:00", "2026-11-21T04:00", parallel=2, downstream=True)
    commit, left = site.engine.store.commit, [commits]

    def killed(changes: Changes) -> None:
        left[0] -= 1
        if left[0] > 0 or durable:
            commit(changes)
        if left[0] <= 0:
            raise SkerryError(CONFLICT, "killed")

    site.engine.store.commit = killed  # type: ignore[method-assign]
    with suppress(SkerryError):  # of whoever asked at that moment
        site.engine.backfill(request, "anna")
    until(lambda: site.engine.services.loop.fatal is not None, "the end of the engine")
    site.again()
    settle(site)
    begun = site.engine.store.backfills()
    if not begun:  # it was never written down
        assert (commits, durable) == (1, False)
        return

    settle(site)
    assert [each.status for each in begun] == ["succeeded"] or state(site, begun[0].id) == "succeeded"
    for task in ("a", "b"):
        assert site.times(task) == [f"21 0{hour}:00" for hour in (1, 2, 3, 4)]
        assert [row.run for row in site.instances(task)] == [1] * 4


# -- what it is given, what it refuses -------------------------------------------------------------


def test_parameters_are_given_to_the_task_itself_also_where_it_waits(site: TimedSite) -> None:
    more = {"params": {"x": {"kind": "number", "value": 1}}}
    site.online("b", HOURLY, **more)
    site.online("a", HOURLY, depends_on=[{"task": "b"}], **more)

    backfill(site, "b", since="01", until="01", downstream=True, texts={"x": "7"})
    backfill(site, "a", since="02", until="02", texts={"x": "8"})

    assert [row.params for row in (*site.instances("b"), *site.instances("a"))] == [
        {"x": 7}, {"x": 1}, {"x": 8},
    ]  # fmt: skip


def test_parameters_are_given_to_what_runs_again(site: TimedSite) -> None:
    site.online("t", HOURLY, params={"x": {"kind": "number", "value": 1}})
    backfill(site, since="01", until="01")

    backfill(site, since="01", until="01", reprocess="all", texts={"x": "7"})

    assert [(row.run, row.params) for row in site.instances()] == [(2, {"x": 7})]


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"since": "05", "until": "04"}, "-10100"),
        ({"since": "x", "until": "04"}, ""),
        ({"texts": {"y": "1"}}, ""),
        ({"texts": {"password": "1"}}, ""),
        ({"parallel": 0}, ""),
        ({"task": "nobody"}, ""),
    ],
    ids=["backwards", "no time", "unknown parameter", "secret parameter", "none at once", "no such task"],
)
def test_what_is_not_right_is_told_with_its_place(site: TimedSite, asked: dict[str, Any], error: str) -> None:
    site.online("t", HOURLY, params={"password": {"kind": "text", "secret": True, "value": "x"}})

    with pytest.raises(Invalid) as raised:
        backfill(site, **asked)

    assert raised.value.where
    assert site.engine.store.backfills() == []


@pytest.mark.parametrize("schedule", ["manual", {"level": "condition", "condition": "1 == 2", "every": "1h"}])
def test_a_task_without_fire_times_is_refused(site: TimedSite, schedule: Any) -> None:
    site.online("t", schedule)

    with pytest.raises(Refused, match="has no scheduled times"):
        backfill(site)


def test_a_deleted_task_is_refused(site: TimedSite) -> None:
    site.define("t", HOURLY)
    site.service.move_tasks(["t"], "deleted")

    with pytest.raises(Refused, match="is deleted"):
        backfill(site)


def test_times_after_now_are_refused(site: TimedSite) -> None:
    site.online("t", HOURLY)

    with pytest.raises(Refused) as raised:
        backfill(site, until="09")

    assert raised.value.where == "2026-11-21T09:00:00+00:00"


@pytest.mark.parametrize(
    ("since", "until"),
    [("0001-01-01", "0001-12-31"), ("0001-01-01T00:00:00+23:59", "0001-12-31T00:00:00-23:59")],
)
def test_a_range_in_which_no_schedule_fires_has_no_times(site: TimedSite, since: str, until: str) -> None:
    site.online("t", HOURLY, depends_on=[{"self": True}])

    assert site.service.preview_backfill(BackfillRequest("t", since, until)) == []


@pytest.mark.parametrize("until", ["9999-12-31", "9999-12-31T23:59:59.999999-23:59"])
def test_a_range_up_to_the_end_of_time_is_one_after_now(site: TimedSite, until: str) -> None:
    site.online("t", HOURLY)

    with pytest.raises(Refused, match="is after now"):
        site.service.preview_backfill(BackfillRequest("t", "2026-11-21", until))


def test_two_backfills_of_one_time_do_not_run_it_twice(site: TimedSite) -> None:
    site.online("t", HOURLY)
    requests = [BackfillRequest("t", "2026-11-21T01:00", "2026-11-21T04:00", parallel=n) for n in (3, 4)]
    planned = [site.engine.plan_backfill(each) for each in requests]

    site.engine.services.loop.ask(lambda: [site.engine.backfills.begin(each, "anna") for each in planned])
    settle(site)

    assert site.times() == ["21 01:00", "21 02:00", "21 03:00", "21 04:00"]
    assert {row.run for row in site.instances()} == {1}
    assert [row.status for row in site.engine.store.backfills()] == ["succeeded", "succeeded"]


def test_only_what_runs_can_be_paused_only_what_is_paused_resumed_and_nothing_ended_cancelled(
    site: TimedSite,
) -> None:
    site.online("t", HOURLY)
    number = backfill(site)

    for act in (site.engine.pause_backfill, site.engine.resume_backfill, site.engine.cancel_backfill):
        with pytest.raises(Refused) as refused:
            act(number, "anna")
        assert refused.value.where == str(number)
        with pytest.raises(Invalid, match="there is no backfill 77"):
            act(77, "anna")


def test_its_jobs_queue_behind_those_of_schedules_whatever_their_priority(site: TimedSite) -> None:
    site.service.queue_pause(True)
    site.online("t", HOURLY, {"type": "shell", "process": "true", "priority": 9})
    site.online("late", HOURLY, {"type": "shell", "process": "true"})
    request = BackfillRequest("t", "2026-11-21T01:00", "2026-11-21T02:00", parallel=2)

    site.engine.backfill(request, "anna")
    site.settle()
    site.engine.submit(Submission("late"))
    site.settle()

    without_engine = ReadOnlyService(site.engine.store, site.engine.workspace)
    for service in (site.service, without_engine):
        assert [each["task"] for each in service.queue()["waiting"]] == ["late", "t", "t"]


def test_what_fired_an_instance_and_why_is_in_its_directory(site: TimedSite) -> None:
    """So it is known again when the database is made anew from the directories, and in a bundle."""
    site.define("t", HOURLY)
    backfill(site, since="01", until="02", reason="the disk was full")
    number = backfill(site, since="01", until="01", reprocess="all", reason="once more")
    again, once = site.instances()
    folder = site.engine.workspace.instances
    rebuilt = open_store(f"sqlite:///{site.root / 'rebuilt.db'}", clock=site.clock)

    rebuild(folder, rebuilt)

    found = [
        (row.trigger, row.scheduled_time, row.run)
        for row in map(rebuilt.instance, (again.id, once.id))
        if row
    ]
    assert found == [("backfill", again.scheduled_time, 2), ("backfill", once.scheduled_time, 1)]
    reasons = [run.reason for run in (*rebuilt.runs(again.id), *rebuilt.runs(once.id))]
    first = f"backfill {number - 1}: the disk was full"
    assert reasons == [first, f"backfill {number}: once more", first]
    rebuilt.close()


def test_a_month_three_at_once_newest_first_with_one_day_at_work(site: TimedSite) -> None:
    """A day succeeded, one failed, one runs; the others never ran."""
    site.define("t", DAILY, TEN_MINUTES)
    one(site, "05")
    one(site, "06")
    [failed] = [row for row in site.instances() if row.scheduled_time.startswith("2026-10-06")]
    site.engine.force(failed.id, "a", JobState.FAILED, "wrong figures")
    running = site.engine.backfill(BackfillRequest("t", "2026-10-07", "2026-10-07"), "anna")
    settle(site)
    [at_work_before] = [row for row in site.instances() if row.status == "running"]
    month = BackfillRequest("t", "2026-10-01", "2026-10-31", "newest", 3, "failed")

    choices = [step.choice for step in site.engine.plan_backfill(month).steps]
    assert (len(choices), choices.count("make"), choices.count("run_again")) == (31, 28, 1)

    number = site.engine.backfill(month, "anna")
    settle(site)
    for _ in range(4):
        running_now = [row for row in site.instances() if row.status == "running"]
        assert len([row for row in running_now if row.id != at_work_before.id]) <= 3
        assert len(site.engine.store.instances(limit=100)) == len(set(site.times()))
        pass_time(site, minutes=10)
    site.engine.cancel_backfill(number, "anna")
    pass_time(site, minutes=10)

    days = {row.scheduled_time[8:10]: (row.status, row.run) for row in site.instances()}
    newest = [f"{day:02}" for day in range(31, 16, -1)]
    assert days == {**dict.fromkeys(("05", "07", *newest), ("succeeded", 1)), "06": ("failed", 1)}
    assert at_work_before.id in {row.id for row in site.instances() if row.run == 1}
    assert (state(site, number), state(site, running)) == ("cancelled", "succeeded")


def one(site: TimedSite, day: str) -> None:
    """A day of October, until its end."""
    site.engine.backfill(BackfillRequest("t", f"2026-10-{day}", f"2026-10-{day}"), "anna")
    settle(site)
    pass_time(site, minutes=10)


def test_what_failed_for_want_of_an_upstream_has_no_error_once_it_has_run(site: TimedSite) -> None:
    site.online("b", HOURLY, FAILING)
    site.online("a", HOURLY, depends_on=[{"task": "b"}])
    site.forward(hours=1)
    [row] = site.instances("a")
    assert (row.status, row.run) == ("failed", 0)

    backfill(site, "a", since="09", until="09", ignore_dependencies=True)

    [row] = site.instances("a")
    assert (row.status, row.run, row.error_code, row.error_message) == ("succeeded", 1, None, None)


def test_it_is_let_begin_again_when_what_failed_before_it_was_repaired(site: TimedSite) -> None:
    """It has decided once that it does not begin; now its upstream is good."""
    site.online("b", HOURLY, FAILING)
    site.online("a", HOURLY, depends_on=[{"task": "b"}])
    site.forward(hours=1)
    site.define("b", HOURLY)

    number = backfill(site, "b", since="09", until="09", reprocess="failed", downstream=True)

    assert state(site, number) == "succeeded"
    for task, runs in (("b", 2), ("a", 1)):
        assert [(row.status, row.run, row.error_code) for row in site.instances(task)] == [
            ("succeeded", runs, None)
        ]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE backfill SET reprocess = 'all' WHERE id = 1",
        "UPDATE backfill_step SET at = 'noon' WHERE backfill = 1",
    ],
)
def test_one_that_is_damaged_is_an_alert_and_keeps_neither_the_engine_nor_others_from_going_on(
    site: TimedSite, damage: str
) -> None:
    site.online("t", HOURLY, TEN_MINUTES)
    site.online("u", HOURLY, TEN_MINUTES)
    first, second = backfill(site, "t"), backfill(site, "u", until="02")
    site.engine.close()
    with closing(sqlite3.connect(site.root / "skerry.db")) as database, database:
        database.create_function("skerry_crc", -1, lambda *of: 0)  # a checksum that does not fit
        database.execute(damage)
    site.engine = site._made()
    site.start()

    for _ in range(2):
        site.forward(minutes=10)
        site.settle()

    [alert] = site.alerts("schedule")
    assert (first, alert.code) == (1, ROW_DAMAGED.number)
    assert alert.message.startswith("backfill 1 cannot be taken up: ")
    assert state(site, second) == "succeeded"
