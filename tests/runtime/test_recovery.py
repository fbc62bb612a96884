"""Recovery at work: lost jobs, jobs that nobody can run, used-up retries; nothing runs twice at once."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engine.execution.proc import stat
from engine.model.codes.recovery import BUSY
from engine.model.codes.runtime import LOST, NO_WORKER, QUEUE_TIMEOUT, TASK_TIMED_OUT
from engine.model.definitions import Definitions
from engine.model.errors import Invalid, Refused
from engine.model.states import JobState, Trigger
from engine.runtime.submission import Submission
from engine.store.filters import ExceptionFilter
from engine.store.rows import AlertRow, ExceptionRow
from tests.runtime.site import Gate, Site, lives, shell, task, tree
from tests.waiting import until

QUICK = {"after": 0.3, "times": 2}


def begin(site: Site, wanted: Definitions, trigger: Trigger) -> int:
    return site.engine.submit(Submission("t", wanted, trigger=trigger))


def exceptions(site: Site, instance: int, **wanted: Any) -> list[ExceptionRow]:
    """The oldest first."""
    return site.engine.store.exceptions(ExceptionFilter(instance=instance, **wanted))[::-1]


def alerts(site: Site, acknowledged: bool | None = None) -> list[AlertRow]:
    return site.engine.store.alerts(acknowledged=acknowledged)[::-1]


def kill(pid: int) -> None:
    """Kill a process, and see it gone."""
    os.kill(pid, signal.SIGKILL)
    until(lambda: not lives(pid), f"process {pid} is gone")


def lost(site: Site, gate: Gate, trigger: Trigger, *, kill_all: bool = True, **keys: Any) -> int:
    """A job whose supervisor is killed while no engine is there; gives the instance after the next start."""
    nodes = {"a": shell(gate.script(), **keys), "b": shell("true", after=["a"])}
    instance = begin(site, task(nodes), trigger)
    child = gate.until_up()
    pid = until(lambda: site.see(instance)["a"].pid)
    site.close()
    kill(pid)
    if kill_all:
        kill(child)
    next_engine(site)
    return instance


def until_twice(gate: Gate) -> None:
    """Until the job has begun for the second time."""
    until(lambda: len((gate.folder / "g.up").read_text().split()) == 2)


def next_engine(site: Site) -> None:
    site.engine = Site(site.root).engine
    site.start()


# -- lost ------------------------------------------------------------------------------------------


def test_a_lost_job_of_a_manual_run_stays_lost_and_asks(site: Site, gate: Gate) -> None:
    instance = lost(site, gate, Trigger.MANUAL)
    seen = site.end(instance)

    assert seen.status == "lost"
    assert seen.states == {"a": "lost", "b": "skipped"}
    assert str(site.engine.store.run(instance, 1).status) == "lost"  # type: ignore[union-attr]
    [asks] = exceptions(site, instance)
    assert (asks.code, asks.status, asks.details) == (LOST.number, "open", {"asks": True})
    assert (asks.node, asks.attempt, asks.task, asks.job_instance) == ("a", 1, "t", seen["a"].id)
    assert [(alert.kind, alert.level) for alert in alerts(site)] == [("recovery_ask", "warning")]
    seen.assert_replays()


@pytest.mark.parametrize("trigger", [Trigger.SCHEDULE, Trigger.BACKFILL])
def test_a_lost_job_of_a_run_that_nobody_watches_is_tried_again(
    site: Site, gate: Gate, trigger: Trigger
) -> None:
    instance = lost(site, gate, trigger, recovery=QUICK)
    until_twice(gate)
    gate.open()
    seen = site.end(instance)

    assert seen.status == "succeeded"
    assert [str(each.status) for each in seen["a"].attempts] == ["lost", "succeeded"]
    [alert] = alerts(site)
    assert (alert.kind, alert.level, alert.code) == ("recovery_retry", "warning", LOST.number)
    assert (alert.instance, alert.run, alert.job_instance) == (instance, 1, seen["a"].id)
    assert "recovery 1 of 2: tried again in 0.3 s" in alert.message
    [exception] = exceptions(site, instance)
    assert (exception.status, exception.handled_by) == ("handled", "recovery")
    assert seen["a"].reason is seen["a"].error_code is seen["a"].due_at is None
    seen.assert_replays()


def test_a_failure_an_alert_and_a_note_keep_what_they_are_made_from(site: Site, gate: Gate) -> None:
    instance = lost(site, gate, Trigger.SCHEDULE, recovery=QUICK)
    until_twice(gate)
    gate.open()
    site.end(instance)
    failed = site.run(task({"a": shell("exit 3")}))

    [exception], [alert] = exceptions(site, instance), alerts(site)
    assert exception.note_facts == {
        "template": "recovery {count} of {limit}: tried again in {seconds:g} s",
        "facts": {"count": 1, "limit": 2, "seconds": 0.3},
    }
    assert alert.words.template == "{job}: {message}; {what}"
    assert alert.words.facts["job"].facts == {"name": "a", "instance": instance}
    assert failed["a"].error.to_json() == {"template": "exit status {n}", "facts": {"n": 3}}
    whole = site.engine.store.instance(failed.id).error  # type: ignore[union-attr]
    assert (whole, whole.facts["message"].facts) == ("job 'a': exit status 3", {"n": 3})


def test_by_default_recovery_waits_two_minutes_and_says_until_when(site: Site, gate: Gate) -> None:
    instance = lost(site, gate, Trigger.SCHEDULE)
    row = until(lambda: (a := site.see(instance)["a"]).status == "retrying" and a)

    assert row.error_code == LOST.number
    assert row.reason.startswith("recovery 1 of 3: tried again in 120 s: ")
    assert row.due_at is not None
    assert site.see(instance).status == "running"


def test_it_is_not_tried_again_while_anything_of_it_lives(site: Site, gate: Gate) -> None:
    instance = lost(site, gate, Trigger.SCHEDULE, kill_all=False, recovery={"after": 0.1})
    living = gate.until_up()

    row = until(lambda: "live" in ((a := site.see(instance)["a"]).reason or "") and a)
    assert str(living) in row.reason
    assert (row.status, row.attempt) == ("retrying", 1)
    os.kill(living, signal.SIGKILL)
    until_twice(gate)
    gate.open()

    assert site.end(instance).status == "succeeded"
    assert len(alerts(site)) == 1  # waiting for the old processes is no further recovery


def test_cancelling_ends_what_is_left_of_a_lost_attempt(site: Site, gate: Gate) -> None:
    instance = lost(site, gate, Trigger.SCHEDULE, kill_all=False)
    living = gate.until_up()
    site.until_state(instance, "a", "retrying")

    site.engine.cancel(instance)

    assert stat(living) is None
    assert site.see(instance).states == {"a": "cancelled", "b": "skipped"}


def test_a_restart_of_the_engine_in_mid_wait_changes_nothing(site: Site, gate: Gate) -> None:
    instance = lost(site, gate, Trigger.SCHEDULE, recovery={"after": 4, "times": 1})
    site.until_state(instance, "a", "retrying")
    before = site.see(instance)["a"].row

    site.again()
    assert site.see(instance)["a"].row == before
    until_twice(gate)
    gate.open()

    seen = site.end(instance)
    assert seen.status == "succeeded"
    assert [str(each.status) for each in seen["a"].attempts] == ["lost", "succeeded"]
    assert (len(alerts(site)), len(exceptions(site, instance))) == (1, 1)


def test_the_times_hold_over_restarts_too_and_then_someone_is_asked(site: Site, gate: Gate) -> None:
    instance = lost(site, gate, Trigger.SCHEDULE, recovery={"after": 0.1, "times": 1})
    until_twice(gate)
    again = until(lambda: (a := site.see(instance)["a"]).status == "running" and a.attempt == 2 and a.pid)
    site.close()
    kill(again)
    kill(gate.until_up())
    next_engine(site)

    assert site.end(instance).status == "lost"
    first, second = exceptions(site, instance)
    assert (first.attempt, first.status, second.attempt, second.status) == (1, "handled", 2, "open")
    assert second.details["asks"] is True


def test_a_lost_job_may_be_discarded(site: Site, gate: Gate) -> None:
    instance = lost(site, gate, Trigger.MANUAL, recovery={"strategy": "discard"})
    seen = site.end(instance)

    assert seen.states == {"a": "discarded", "b": "skipped"}
    assert seen.status == "failed"
    [alert] = alerts(site)
    assert (alert.kind, alert.level) == ("recovery_discard", "error")
    assert exceptions(site, instance)[0].note == "discarded"


def test_a_sub_task_recovers_as_the_run_that_it_belongs_to(site: Site, gate: Gate) -> None:
    inner = {"nodes": {"a": shell(gate.script(), recovery=QUICK)}}
    wanted = tree({"tasks": {"inner": inner, "t": {"nodes": {"s": {"type": "task", "task": "inner"}}}}})
    instance = begin(site, wanted, Trigger.SCHEDULE)
    child = gate.until_up()
    inside = until(lambda: [row for row in site.engine.store.instances() if row.task == "inner"])[0]
    pid = until(lambda: site.see(inside.id)["a"].pid)
    site.close()
    kill(pid)
    kill(child)
    next_engine(site)
    until_twice(gate)
    gate.open()

    assert site.end(instance).status == "succeeded"
    assert len(alerts(site)) == 1


# -- failed ----------------------------------------------------------------------------------------


def test_what_failed_stays_failed_without_a_strategy(site: Site) -> None:
    instance = begin(site, task({"a": shell("exit 3", recovery={"after": 0.1})}), Trigger.SCHEDULE)
    seen = site.end(instance)

    assert (seen.status, len(seen["a"].attempts), alerts(site)) == ("failed", 1, [])


def test_a_strategy_tries_again_when_the_retries_are_used_up(site: Site) -> None:
    keys: Any = {"retry": {"times": 1}, "recovery": {"strategy": "retry", **QUICK}}
    instance = begin(site, task({"a": shell("exit 3", **keys)}), Trigger.MANUAL)
    seen = site.end(instance)

    assert (seen.status, len(seen["a"].attempts)) == ("failed", 4)
    assert [alert.kind for alert in alerts(site)] == ["recovery_retry", "recovery_retry", "recovery_ask"]
    found = exceptions(site, instance)
    assert [(each.attempt, each.handled_by) for each in found] == [
        (1, "retry"), (2, "recovery"), (3, "recovery"), (4, None),
    ]  # fmt: skip
    assert found[-1].details["asks"] is True
    assert seen["a"].row.handling["recovery"] == 2


@pytest.mark.parametrize(("script", "timeout"), [("exit 3", None), ("sleep 60", 0.2)])
def test_what_failed_or_took_too_long_may_be_discarded(
    site: Site, script: str, timeout: float | None
) -> None:
    keys: Any = {"recovery": {"strategy": "discard"}, "timeout": timeout}
    nodes = {"a": shell(script, **keys), "b": shell("true", after=["a"], run_if="any_failed")}
    seen = site.run(task(nodes))

    assert seen.states == {"a": "discarded", "b": "succeeded"}
    assert seen.status == "failed"


def test_a_member_of_a_group_recovers_too(site: Site, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    member = shell(f"test -e {flag} || {{ touch {flag}; exit 1; }}", recovery={"strategy": "retry", **QUICK})
    seen = site.run(task({"g": {"type": "group", "jobs": [shell("true"), member]}}))

    assert seen.states["g.1"] == seen.status == "succeeded"


# -- nobody to run it ------------------------------------------------------------------------------


def test_a_manual_run_waits_for_a_worker_and_asks(site: Site) -> None:
    nodes = {"a": shell("true", on={"workers": ["elsewhere"]}), "b": shell("true", after=["a"])}
    instance = begin(site, task(nodes), Trigger.MANUAL)
    site.until_state(instance, "a", "no_worker")
    seen = site.see(instance)

    [asks] = exceptions(site, instance)
    assert (asks.code, asks.status, asks.details, asks.attempt) == (
        NO_WORKER.number, "open", {"asks": True}, None,
    )  # fmt: skip
    assert "waits for it, or for an answer" in seen["a"].reason
    with pytest.raises(Invalid):
        site.engine.handle(asks.id, "skip", " ")
    site.engine.handle(asks.id, "skip", "not needed today", "ann")

    seen = site.end(instance)
    assert seen.states == {"a": "skipped", "b": "skipped"}
    assert seen["a"].reason == "by hand: not needed today (ann)"
    [handled] = exceptions(site, instance)
    assert (handled.status, handled.handled_by) == ("handled", "ann")
    with pytest.raises(Refused):
        site.engine.handle(asks.id, "retry", "again")
    with pytest.raises(Invalid):
        site.engine.handle(4711, None, "what")


def test_it_still_asks_after_a_restart_of_the_engine(site: Site) -> None:
    instance = begin(site, task({"a": shell("true", on={"group": "big"})}), Trigger.MANUAL)
    site.until_state(instance, "a", "no_worker")

    site.again()
    [asks] = exceptions(site, instance)
    until(lambda: site.engine.services.asking)
    site.engine.handle(asks.id, "fail", "nobody will come")

    assert site.end(instance).states == {"a": "failed"}
    assert len(exceptions(site, instance)) == 1


def test_a_scheduled_run_looks_again_and_then_asks(site: Site) -> None:
    keys: Any = {"on": {"workers": ["elsewhere"]}, "recovery": QUICK}
    instance = begin(site, task({"a": shell("true", **keys)}), Trigger.SCHEDULE)
    until(lambda: exceptions(site, instance, status="open"))

    seen = site.see(instance)
    assert (seen["a"].status, seen["a"].attempt) == ("no_worker", 0)
    assert [alert.kind for alert in alerts(site)] == ["recovery_retry"], "one however long"
    assert len(exceptions(site, instance)) == 1
    site.engine.cancel(instance)
    assert site.see(instance).status == "cancelled"


def test_a_job_that_nobody_can_run_may_be_discarded_or_settled_by_hand(site: Site) -> None:
    keys: Any = {"on": {"workers": ["elsewhere"]}}
    seen = site.run(task({"a": shell("true", **keys, recovery={"strategy": "discard"})}))
    assert seen.states == {"a": "discarded"}

    other = begin(site, task({"a": shell("true", **keys)}), Trigger.MANUAL)
    site.until_state(other, "a", "no_worker")
    site.engine.force(other, "a", JobState.SUCCEEDED, "done elsewhere")
    assert site.end(other).status == "succeeded"
    assert exceptions(site, other, status="open") == []


# -- the records -----------------------------------------------------------------------------------


def test_each_failed_attempt_has_its_record_and_a_cancel_needs_nobody(site: Site, gate: Gate) -> None:
    nodes = {"a": shell("exit 3", retry={"times": 1}), "c": shell(gate.script())}
    instance = begin(site, task(nodes), Trigger.MANUAL)
    gate.until_up()
    site.until_state(instance, "a", "failed")
    site.engine.cancel(instance, "c", "ann")
    site.end(instance)

    found = {(each.node, each.attempt): each for each in exceptions(site, instance)}
    assert (found["a", 1].handled_by, found["a", 1].note) == ("retry", "tried again in 0 s")
    assert (found["a", 2].status, found["a", 2].worker) == ("open", "local")
    assert (found["c", 1].handled_by, found["c", 1].status) == ("ann", "handled")


def test_a_queue_timeout_has_a_record_with_its_code(site: Site, gate: Gate) -> None:
    nodes: Any = {str(i): shell(gate.script(str(i))) for i in range(4)}
    full = begin(site, task(nodes), Trigger.MANUAL)
    [gate.until_up(str(i)) for i in range(4)]

    late = site.run(task({"a": shell("true", queue_timeout=0.1, recovery={"strategy": "retry"})}))
    [gate.open(str(i)) for i in range(4)]
    site.end(full)

    assert late.states == {"a": "timed_out"}
    [record] = exceptions(site, late.id)
    assert (record.code, record.attempt, record.status) == (QUEUE_TIMEOUT.number, None, "open")


def test_what_fails_without_a_job_has_a_record_of_the_run(site: Site) -> None:
    never = site.run(task({"a": shell("true")}, success="1 == 2"))
    late = site.run(task({"a": shell("sleep 60")}, timeout=0.3))
    plain = site.run(task({"a": shell("exit 1")}))

    [own] = exceptions(site, never.id)
    assert (own.node, own.job_instance, own.run, own.task) == (None, None, 1, "t")
    assert [each.node for each in exceptions(site, late.id, code=TASK_TIMED_OUT.number)] == ["a", None]
    assert [each.node for each in exceptions(site, plain.id)] == ["a"]


def test_alerts_are_seen_once(site: Site) -> None:
    for _ in range(2):
        site.run(task({"a": shell("exit 1", recovery={"strategy": "discard"})}))
    first, second = alerts(site)

    assert site.engine.acknowledge([first.id], "ann") == {"acknowledged": [first.id]}
    assert site.engine.acknowledge(None, "bob") == {"acknowledged": [second.id]}

    assert [alert.acknowledged_by for alert in alerts(site)] == ["ann", "bob"]
    assert site.engine.store.alerts(acknowledged=False) == []
    with pytest.raises(Invalid):
        site.engine.acknowledge([99])


def test_many_people_settle_the_same_at_once(site: Site) -> None:
    # given an alert, and a job that failed
    site.run(task({"a": shell("exit 1", recovery={"strategy": "discard"})}))
    failed = site.run(task({"a": shell("exit 1")}))
    [alert] = alerts(site)
    [record] = exceptions(site, failed.id)

    # when they are settled while earlier answers are on their way to the disk
    people = [f"p{n}" for n in range(8)]
    with ThreadPoolExecutor(8) as threads:
        seen = list(threads.map(lambda who: site.engine.acknowledge(None, who), people))
        list(threads.map(lambda who: site.engine.handle(record.id, None, f"by {who}", who), people))

    # then one of them acknowledged it, the latest note is kept, and the engine works on
    assert [id for answer in seen for id in answer["acknowledged"]] == [alert.id]
    [after] = exceptions(site, failed.id)
    assert (after.status, after.note) == ("handled", f"by {after.handled_by}")
    assert site.run(task({"a": shell("true")})).status == "succeeded"


def test_an_alert_is_reported_to_whoever_listens(site: Site) -> None:
    events = site.engine.subscribe()
    site.run(task({"a": shell("exit 1", recovery={"strategy": "discard"})}))
    reported = []
    while (event := events.next(0.1)) is not None:
        reported.append(event)

    [alert] = [each for each in reported if each["kind"] == "alert"]
    assert (alert["node"], alert["level"], alert["alert"]) == ("a", "error", alerts(site)[0].id)


# -- refused by the worker -------------------------------------------------------------------------


def refused(site: Site, gate: Gate, trigger: Trigger, **keys: Any) -> tuple[int, int]:
    """An instance that has the worker for itself, and one whose job is refused meanwhile."""
    alone = begin(site, task({"a": shell(gate.script(), on={"exclusive": True})}), trigger)
    gate.until_up()
    instance = begin(site, task({"a": shell("true", **keys)}), trigger)
    site.until_state(instance, "a", "busy", "discarded")  # the latter soon after, by a rule of 0.2 s
    return alone, instance


def test_a_refused_job_of_a_manual_run_asks_and_still_goes_on_by_itself(site: Site, gate: Gate) -> None:
    alone, instance = refused(site, gate, Trigger.MANUAL, recovery={"after": 0.2})
    [asks] = until(lambda: exceptions(site, instance))

    assert (asks.code, asks.status, asks.details["asks"]) == (BUSY.number, "open", True)
    assert site.state(instance, "a") == "busy"
    gate.open()
    assert site.end(instance).status == site.end(alone).status == "succeeded"
    assert exceptions(site, instance, status="open") == []


def test_what_was_asked_about_a_refused_job_is_over_with_its_slot_also_after_a_removal_and_a_restart(
    site: Site, gate: Gate
) -> None:
    keys: Any = {"recovery": {"after": 0.2}, "retry": {"times": 1, "interval": "0s"}}
    alone, instance = refused(site, gate, Trigger.MANUAL, **keys)
    [asks] = until(lambda: exceptions(site, instance))
    site.engine.queue.remove(asks.job_instance or 0, "ann")
    site.until_state(instance, "a", "busy")
    site.again()
    gate.open()

    assert site.end(instance).status == site.end(alone).status == "succeeded"
    assert exceptions(site, instance, status="open") == []


def test_a_refused_job_of_a_scheduled_run_waits_on_with_an_alert(site: Site, gate: Gate) -> None:
    _, instance = refused(site, gate, Trigger.SCHEDULE, recovery={"after": 0.2, "times": 1})
    until(lambda: alerts(site))

    assert [alert.code for alert in alerts(site)] == [BUSY.number]
    gate.open()
    assert site.end(instance).status == "succeeded"
    assert exceptions(site, instance, status="open") == []


def test_waiting_for_the_worker_leaves_recovery_what_it_may_do(site: Site, gate: Gate) -> None:
    keys: Any = {"recovery": {"strategy": "retry", "after": 0.2, "times": 1}}
    alone = begin(site, task({"a": shell(gate.script(), on={"exclusive": True})}), Trigger.MANUAL)
    gate.until_up()
    instance = begin(site, task({"a": shell("exit 3", **keys)}), Trigger.MANUAL)
    site.until_state(instance, "a", "busy")
    until(lambda: alerts(site))
    gate.open()

    seen = site.end(instance)
    assert (site.end(alone).status, seen.status) == ("succeeded", "failed")
    assert seen["a"].row.handling["recovery"] == 1
    assert seen["a"].row.attempt == 2


def test_a_refused_job_may_be_discarded(site: Site, gate: Gate) -> None:
    keys: Any = {"recovery": {"strategy": "discard", "after": 0.2}}
    alone, instance = refused(site, gate, Trigger.MANUAL, **keys)

    assert site.end(instance).states == {"a": "discarded"}
    assert [alert.kind for alert in alerts(site)] == ["recovery_discard"]
    gate.open()
    site.end(alone)


def test_a_job_that_is_refused_for_a_moment_is_no_matter(site: Site, gate: Gate) -> None:
    _, instance = refused(site, gate, Trigger.SCHEDULE)
    gate.open()

    assert site.end(instance).status == "succeeded"
    assert (alerts(site), exceptions(site, instance)) == ([], [])


def test_what_is_left_of_a_lost_attempt_ends_with_a_job_that_waits_for_an_answer(
    site: Site, gate: Gate
) -> None:
    rule = {"id": "ask", "match": {"task": "t"}, "action": "pause"}
    site.engine.store.save_definitions({"rules": [rule]})
    instance = lost(site, gate, Trigger.MANUAL, kill_all=False)
    living = gate.until_up()
    site.until_state(instance, "a", "waiting")
    assert stat(living) is not None

    site.engine.cancel(instance)

    assert stat(living) is None
    assert site.see(instance).states["a"] == "cancelled"
