"""An instance begins when what it waits for has succeeded, and says meanwhile what that is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from app.failure_words import with_failure_words
from engine.api.documents import Rerun
from engine.model.codes.runtime import TASK_TIMED_OUT
from engine.model.codes.timing import DEPENDENCY_FAILED, DEPENDENCY_TIMED_OUT
from engine.model.reason_words import words
from engine.runtime.submission import Submission
from engine.runtime.timing import few_per_turn
from engine.store.changes import Changes
from tests.timing.conftest import AN_HOUR, AT_ONCE, TimedSite

EVERY_10 = {"level": "minute", "every": 10}
HOURLY = {"level": "hour", "every": 1}
ENDLESS = {"type": "wait", "until_true": "1 == 2", "every": "1h"}
FAILING = {"type": "condition", "value": "1 / 0"}


def minutes(length: float) -> dict[str, Any]:
    """A job that takes so long."""
    return {"type": "wait", "for": f"{length * 60:g}s"}


def reason(site: TimedSite, task: str = "a") -> str:
    return str(site.instances(task)[-1].reason)


def pass_minutes(site: TimedSite, count: float, step: float = 0.5) -> None:
    for _ in range(int(count / step)):
        site.forward(minutes=step)


def upstreams(site: TimedSite, timeout: str | None, c_seconds: float = 185, **c_keys: Any) -> None:
    """A waits for B, which takes two minutes, and for C, which takes longer."""
    site.online("b", HOURLY, minutes(2))
    site.online("c", HOURLY, minutes(c_seconds / 60), **c_keys)
    waits = [{"task": "b"}, {"task": "c"}]
    site.online("a", HOURLY, minutes(2), depends_on=waits, timeout=timeout)
    site.forward(hours=1)


def test_a_task_whose_last_time_failed_does_not_run_the_next(site: TimedSite) -> None:
    site.online("a", EVERY_10, FAILING, depends_on=[{"self": True}])

    site.forward(minutes=10)
    site.forward(minutes=10)

    first, second = site.instances("a")
    assert (first.status, first.run) == ("failed", 1)
    assert (second.status, second.run, second.error_code) == ("failed", 0, DEPENDENCY_FAILED.number)
    assert f"instance {first.id} is failed" in reason(site)


def test_its_timeout_counts_what_it_waited(site: TimedSite) -> None:
    upstreams(site, "5m")
    pass_minutes(site, 4.5)
    assert site.states("a") == ["running"]

    pass_minutes(site, 0.5)

    [row] = site.instances("a")
    assert (row.status, row.run, row.error_code) == ("timed_out", 1, TASK_TIMED_OUT.number)


def test_its_time_is_up_while_it_waits(site: TimedSite) -> None:
    upstreams(site, "150s")
    pass_minutes(site, 2)
    assert site.states("a") == ["waiting"]

    pass_minutes(site, 0.5)

    [row] = site.instances("a")
    assert (row.status, row.run, row.error_code) == ("timed_out", 0, TASK_TIMED_OUT.number)
    assert "waited for c" in reason(site)


def test_it_fails_when_one_that_it_waits_for_fails(site: TimedSite) -> None:
    upstreams(site, "10m", success="1 == 2")
    pass_minutes(site, 3)
    assert site.states("a") == ["waiting"]

    pass_minutes(site, 0.5)

    [row] = site.instances("a")
    assert (row.status, row.run, row.error_code) == ("failed", 0, DEPENDENCY_FAILED.number)


def test_of_two_of_one_time_the_dependant_begins_when_the_other_has_succeeded(site: TimedSite) -> None:
    site.online("b", HOURLY, minutes(2))
    site.online("a", HOURLY, minutes(2), depends_on=[{"task": "b"}], timeout="10m")
    for _ in range(3):
        pass_minutes(site, 60)

    assert site.states("a")[:2] == ["succeeded", "succeeded"]
    for mine, other in zip(site.instances("a")[:2], site.instances("b")[:2], strict=True):
        assert mine.started_at is not None
        assert other.ended_at is not None
        assert mine.started_at >= other.ended_at


def test_what_an_upstream_owes_is_waited_for(site: TimedSite) -> None:
    """At the time of A an engine without B's last fire: B was missed, and is not caught up."""
    site.online("b", {"level": "day", "every": 1, "at": "08:30", "catchup": "none"})
    site.online("a", HOURLY, depends_on=[{"task": "b"}])
    site.engine.close()
    site.clock.forward(hours=1, seconds=30)
    site.engine = site._made()
    site.start().settle()

    assert site.states("a") == ["waiting"]
    assert reason(site) == "waits for b of 2026-11-21T08:30:00+00:00, which has no instance yet"


def test_nothing_is_waited_for_before_the_first_time_of_an_upstream(site: TimedSite) -> None:
    site.online("b", {"level": "day", "every": 1, "at": "07:00"})
    site.online("a", HOURLY, depends_on=[{"task": "b"}])

    site.forward(hours=1)

    assert site.states("a") == ["succeeded"]


def test_the_newest_time_that_is_not_after_ones_own_decides(site: TimedSite) -> None:
    site.online("b", {"level": "hour", "every": 3})
    site.online("a", HOURLY, depends_on=[{"task": "b"}])
    for _ in range(4):
        site.forward(hours=1)

    assert site.times("b") == ["21 09:00", "21 12:00"]
    assert site.states("a") == ["succeeded"] * 4


def test_one_that_did_not_run_is_waited_for_not_failed(site: TimedSite) -> None:
    site.online("b", HOURLY, AN_HOUR)
    site.online("a", {**HOURLY, "overlap": "parallel"}, depends_on=[{"task": "b"}])
    site.forward(hours=1)
    assert "is running" in reason(site)

    site.service.move_tasks(["b"], "offline")
    site.engine.cancel(site.instances("b")[0].id)
    site.settle()

    assert site.states("a") == ["failed"]
    site.forward(hours=1)
    assert site.states("a") == ["failed", "waiting"]
    assert reason(site).startswith("waits for b of 2026-11-21T10:00:00+00:00, which did not run: instance")
    assert reason(site).endswith("is offline")


def test_an_instance_that_waited_and_was_cancelled_did_not_run(site: TimedSite) -> None:
    site.online("c", HOURLY, AN_HOUR)
    site.online("b", HOURLY, depends_on=[{"task": "c"}])
    site.online("a", HOURLY, depends_on=[{"task": "b"}])
    site.forward(hours=1)

    site.engine.cancel(site.instances("b")[0].id)
    site.settle()

    assert site.states("a") == ["waiting"]
    assert "which did not run: instance" in reason(site)


def test_what_never_began_runs_no_handlers_of_its_end(site: TimedSite) -> None:
    site.online("b", HOURLY, AN_HOUR)
    on_end = {"cancelled": AT_ONCE, "always": AT_ONCE}
    site.online("a", HOURLY, depends_on=[{"task": "b"}], on_end=on_end)
    site.forward(hours=1)
    [waiting] = site.instances("a")

    site.engine.cancel(waiting.id)
    site.settle()

    assert site.states("a") == ["cancelled"]
    assert site.engine.store.jobs(waiting.id) == []


def test_with_on_failure_wait_a_rerun_of_the_other_lets_it_go(site: TimedSite) -> None:
    site.online("b", HOURLY, FAILING)
    site.online("a", HOURLY, depends_on=[{"task": "b", "on_failure": "wait", "timeout": "30m"}])
    site.forward(hours=1)
    [other] = site.instances("b")
    assert reason(site).endswith(f"to succeed: instance {other.id} is failed")

    site.engine.store.save_definitions({"tasks": {"b": {"schedule": HOURLY, "nodes": {"a": AT_ONCE}}}})
    site.service.rerun([Rerun(other.id, "all", current=True)])
    site.settle()

    assert site.states("b") == ["succeeded"]
    assert site.states("a") == ["succeeded"]


def test_the_timeout_of_a_dependency_has_its_own_code(site: TimedSite) -> None:
    site.online("b", HOURLY, AN_HOUR)
    site.online("a", HOURLY, depends_on=[{"task": "b", "timeout": "10m"}])
    site.forward(hours=1)
    pass_minutes(site, 9.5)
    assert site.states("a") == ["waiting"]

    pass_minutes(site, 0.5)

    [row] = site.instances("a")
    assert (row.status, row.error_code) == ("timed_out", DEPENDENCY_TIMED_OUT.number)
    assert row.error_message == "task b, which it waits for, did not succeed within 600 s"
    [other] = site.instances("b")
    assert row.reason == f"waited for b of 2026-11-21T09:00:00+00:00, instance {other.id}, which was running"


def test_all_of_the_period_are_waited_for(site: TimedSite) -> None:
    site.online("b", {"level": "hour", "every": 6})
    waits = [{"task": "b", "window": "all_in_period", "period": "previous_day"}]
    site.online("a", {"level": "day", "every": 1, "at": "00:30"}, depends_on=waits)
    for _ in range(4):
        site.forward(hours=4, minutes=30)

    assert site.times("b") == ["21 12:00", "21 18:00", "22 00:00"]
    assert site.states("a") == ["succeeded"]


@pytest.mark.parametrize("overlap", ["skip", "wait"])
def test_a_later_time_does_not_pass_one_that_waits(site: TimedSite, overlap: str) -> None:
    site.online("b", {"level": "day", "every": 1, "at": "09:00"}, minutes(90))
    site.online("a", {**HOURLY, "overlap": overlap}, depends_on=[{"task": "b"}])

    site.forward(hours=1)
    site.forward(hours=1)

    assert site.states("a") == ["waiting", "skipped" if overlap == "skip" else "waiting"]
    site.forward(minutes=30)
    assert site.states("a") == ["succeeded", "skipped" if overlap == "skip" else "succeeded"]


def test_the_timeout_of_one_that_is_let_start_later_counts_from_then(site: TimedSite) -> None:
    site.online("b", {"level": "day", "every": 1, "at": "09:00"}, minutes(90))
    site.online("a", {**HOURLY, "overlap": "wait"}, minutes(20), depends_on=[{"task": "b"}], timeout="120m")
    site.forward(hours=1)
    site.forward(hours=1)
    site.forward(minutes=30)
    assert site.states("a") == ["running", "waiting"]

    site.forward(minutes=20)

    assert site.states("a") == ["succeeded", "running"]
    assert site.instances("a")[1].due_at == site.instances("a")[1].started_at


@pytest.mark.parametrize("overlap", ["skip", "parallel"])
def test_the_next_engine_waits_on(site: TimedSite, overlap: str) -> None:
    site.online("b", HOURLY, minutes(30))
    site.online("a", {**HOURLY, "overlap": overlap}, depends_on=[{"task": "b"}], timeout="1h")
    site.forward(hours=1)

    site.again()
    site.settle()
    assert site.states("a") == ["waiting"]
    site.forward(minutes=30)

    assert site.states("b") == ["succeeded"]
    assert site.states("a") == ["succeeded"]


def test_what_it_waited_under_an_earlier_engine_counts(site: TimedSite) -> None:
    site.online("b", HOURLY, AN_HOUR)
    site.online("a", HOURLY, depends_on=[{"task": "b"}], timeout="20m")
    site.forward(hours=1)
    site.forward(minutes=15)
    site.again()
    site.settle()
    assert site.states("a") == ["waiting"]

    site.forward(minutes=5)

    assert site.states("a") == ["timed_out"]


@pytest.mark.parametrize("hours", [2, -3, 20_000])
def test_a_clock_that_is_set_between_two_engines_ends_no_wait_too_early_and_none_too_late(
    site: TimedSite, hours: float
) -> None:
    # given fifteen of twenty minutes are over
    site.online("b", HOURLY, ENDLESS)
    site.online("a", HOURLY, depends_on=[{"task": "b", "timeout": "20m"}])
    site.forward(hours=1)
    site.forward(minutes=15)
    [id] = [row.id for row in site.instances("a")]

    # when the clock is set while no engine is at work
    site.again(hours=hours).settle()
    before = site.engine.store.instance(id)
    site.again().forward(minutes=5)

    # then five minutes are left
    after = site.engine.store.instance(id)
    assert before is not None
    assert after is not None
    assert (before.status, after.status) == ("waiting", "timed_out")
    assert after.error_code == DEPENDENCY_TIMED_OUT.number


def test_so_does_one_that_is_set_while_it_waits(site: TimedSite) -> None:
    site.online("b", HOURLY, ENDLESS)
    site.online("a", {"once": "2026-11-21T09:00:00Z"}, depends_on=[{"task": "b", "timeout": "20m"}])
    site.forward(hours=1)
    site.forward(minutes=5)
    site.set_clock(hours=2)
    site.forward(minutes=10)

    site.again().settle()
    assert site.states("a") == ["waiting"]
    site.forward(minutes=5)

    assert site.states("a") == ["timed_out"]


@pytest.mark.parametrize("hours", [2, -3])
def test_nor_does_it_change_what_is_left_for_the_run_that_begins_then(site: TimedSite, hours: float) -> None:
    # given three and a half of five minutes were spent on waiting, in which the clock was set
    upstreams(site, "5m")
    site.forward(minutes=1)
    site.set_clock(hours=hours)
    pass_minutes(site, 2.5)
    [id] = site.engine.services.runs.keys() & {row.id for row in site.instances("a")}

    # when another engine goes on
    site.again().settle()

    assert site.engine.services.runs[id].spent == pytest.approx(210, abs=1)


def test_many_that_wait_for_one_task_are_decided_in_many_turns(
    site: TimedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given more wait than one turn decides about
    site.online("b", HOURLY, AN_HOUR)
    names = [f"a{number}" for number in range(4 * few_per_turn.AT_ONCE)]
    for name in names:
        site.online(name, HOURLY, depends_on=[{"task": "b"}])
    site.forward(hours=1)
    begun = [0]  # in each turn: a commit may have what several turns decided
    loop, insert = site.engine.services.loop, Changes.insert
    turn = loop._turn

    def counted(changes: Changes, table: str, row: Mapping[str, Any]) -> None:
        begun[-1] += table == "run" and row["run"] == 1
        insert(changes, table, row)

    monkeypatch.setattr(Changes, "insert", counted)
    monkeypatch.setattr(loop, "_turn", lambda: (begun.append(0), turn())[1])

    # when that succeeds
    site.forward(hours=1)

    # then no turn begins many, and all begin
    assert max(begun) == few_per_turn.AT_ONCE
    assert {site.states(name)[0] for name in names} == {"succeeded"}


def test_what_ended_while_no_engine_was_at_work_is_seen(site: TimedSite) -> None:
    site.online("b", HOURLY, FAILING)
    site.online("a", HOURLY, depends_on=[{"task": "b", "on_failure": "wait"}])
    site.forward(hours=1)
    [other] = site.instances("b")
    site.engine.store.save_definitions({"tasks": {"b": {"schedule": HOURLY, "nodes": {"a": AT_ONCE}}}})
    site.again(fires=False)
    site.service.rerun([Rerun(other.id, "all", current=True)])
    site.settle()
    assert site.states("a") == ["waiting"]

    site.again()
    site.settle()

    assert site.states("a") == ["succeeded"]


def test_taken_offline_it_waits_no_more(site: TimedSite) -> None:
    site.online("b", HOURLY, minutes(30))
    site.online("a", HOURLY, depends_on=[{"task": "b"}], timeout="20m")
    site.forward(hours=1)

    site.service.move_tasks(["a"], "offline")
    site.forward(minutes=30)

    assert site.states("b") == ["succeeded"]
    assert site.states("a") == ["offline"]


@pytest.mark.parametrize("durable", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("commits", range(3))
def test_a_kill_while_it_is_made_looked_at_or_begun_changes_nothing(
    site: TimedSite, durable: bool, commits: int
) -> None:
    site.online("b", HOURLY)
    site.online("a", HOURLY, depends_on=[{"task": "b"}])

    site.killed_at_commit(commits, durable=durable)

    assert [site.times(task) for task in "ab"] == [["21 09:00"], ["21 09:00"]]
    assert [row.run for row in site.instances("a")] == [1]
    assert site.states("a") == ["succeeded"]


def test_one_started_by_hand_is_no_partner_and_waits_for_nothing(site: TimedSite) -> None:
    site.online("b", HOURLY, AN_HOUR)
    site.online("a", HOURLY, depends_on=[{"task": "b"}], timeout="2h")
    site.engine.submit(Submission("b"))
    by_hand = site.engine.submit(Submission("a"))

    assert site.engine.wait(by_hand, 30)
    site.forward(hours=1)
    assert site.instances("a")[-1].status == "waiting"
    assert f"instance {site.instances('b')[-1].id} is running" in reason(site)


def test_of_a_manual_upstream_the_newest_start_by_hand_decides(site: TimedSite) -> None:
    site.online("b", "manual", minutes(90))
    site.online("a", {**HOURLY, "overlap": "wait"}, depends_on=[{"task": "b"}])
    site.forward(hours=1)
    started = site.engine.submit(Submission("b"))
    site.forward(hours=1)

    assert site.states("a") == ["succeeded", "waiting"]
    assert f"instance {started} is running" in reason(site)
    site.forward(minutes=30)
    assert site.states("a") == ["succeeded", "succeeded"]


def test_what_it_waits_for_is_shown(site: TimedSite) -> None:
    site.online("b", HOURLY, AN_HOUR)
    site.online("a", HOURLY, depends_on=[{"task": "b"}])
    site.forward(hours=1)
    [row], [other] = site.instances("a"), site.instances("b")

    shown = site.service.instance(row.id)

    assert (shown["status"], shown["run"], shown["jobs"]) == ("waiting", 0, [])
    assert shown["reason"] == (f"waits for b of 2026-11-21T09:00:00+00:00: instance {other.id} is running")


def test_that_a_task_which_is_waited_for_is_offline_is_said(site: TimedSite) -> None:
    site.online("b", HOURLY)
    site.online("a", HOURLY, depends_on=[{"task": "b", "on_failure": "wait"}])
    site.service.move_tasks(["b"], "offline")
    site.forward(hours=1)
    [row], other = site.instances("a"), site.coming("b")[0]

    assert row.because is not None
    assert words(row.because) == (
        f"waits for b of 2026-11-21T09:00:00+00:00, which did not run: instance {other.id} is offline; the task is offline"
    )
    assert words(with_failure_words(row.because, "zh"), "zh") == (
        f"等待 b（2026-11-21T09:00:00+00:00），该次未运行：实例 {other.id} 状态为已下线；该任务已下线"
    )

    site.service.move_tasks(["b"], "online")
    site.settle()

    [row] = site.instances("a")
    assert row.because is not None
    assert words(row.because).endswith(f"instance {other.id} is offline")
