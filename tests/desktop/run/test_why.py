"""Why something does not run, in words, with what blocks it one click away."""

from __future__ import annotations

from typing import Any

import pytest

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.reasons import message_then, what_is_wrong
from app.desktop.run.reading import RunLook
from app.desktop.run.why import Why, why_instance, why_job
from app.failure_words import with_failure_words
from engine.api.waiting_reason import with_queue
from engine.model.message import Message, with_facts
from engine.model.reason import Kind, Reason
from engine.model.reason_words import said, sentence
from tests.api.fake_service import instance, job


def _around(*jobs: Any, status: str = "running", **more: Any) -> RunLook:
    run = instance(7, status, jobs=list(jobs))
    return RunLook(with_queue(run, more.get("queue", {})), **more)


def _said(found: Why | None) -> str:
    assert found is not None
    return sentence(with_failure_words(found.reason, "en"))


def _because(kind: Kind, **facts: Any) -> Any:
    """The reason as a document has it."""
    return said(Reason.of(kind, **facts))


def test_a_job_whose_turn_has_not_come_names_what_holds_the_row_up() -> None:
    queued = job("extract", "queued", instance=4)
    load = job("load", "pending", **_because(Kind.PARENTS, nodes=["extract"], status="queued"))
    facts = {"nodes": ["load"], "root": "extract", "state": "queued"}
    report = job("report", "pending", **_because(Kind.PARENTS, **facts))

    found = why_job(report, _around(queued, load, report))

    assert _said(found) == "Waits for load; extract is queued."
    assert found is not None
    assert found.blocker == Target("instance", "7", "extract")


def test_an_instance_that_runs_again_after_another_leads_to_that_one() -> None:
    around = _around(job("a", "succeeded"), status="waiting")
    around.run.update(_because(Kind.RUNS_AGAIN, instances=[3, 5]))

    found = why_instance(around)

    assert _said(found) == "Runs again after instance 3, 5."
    assert found is not None
    assert found.blocker == Target("instance", "3")


@pytest.mark.parametrize("status", ["pending", "queued"])
def test_what_a_pause_holds_names_who_paused_it_and_leads_to_letting_it_go_on(status: str) -> None:
    facts = {"by": "anna", "at": "2026-11-22 01:13:07+00:00", "note": "the file is late"}
    held = job("load", status, **_because(Kind.INSTANCE_PAUSED, **facts))
    around = _around(held, status="paused")
    around.run.update(_because(Kind.PAUSED, **facts))

    for found in (why_job(held, around), why_instance(around)):
        assert "paused by anna at 2026-11-22 01:13:07+00:00: the file is late." in _said(found).lower()
        assert found is not None
        assert found.blocker == Target("instance", "7", detail="resume")


@pytest.mark.parametrize("status", ["pending", "queued"])
def test_what_is_held_with_its_parent_names_who_paused_that_and_leads_there(status: str) -> None:
    facts = {"instance": 3, "by": "anna", "at": "2026-11-22 01:13:07+00:00", "note": "late: the file"}
    held = job("load", status, **_because(Kind.INSTANCE_PAUSED_WITH, **facts))
    around = _around(held, status="paused")
    around.run.update(_because(Kind.PAUSED_WITH, **facts))

    for found in (why_job(held, around), why_instance(around)):
        message = "paused with instance 3, paused by anna at 2026-11-22 01:13:07+00:00: late: the file."
        assert message in _said(found).lower()
        assert found is not None
        assert found.blocker == Target("instance", "3")


def test_a_pause_of_which_only_the_log_knows_more_is_reported_as_one() -> None:
    around = _around(status="paused")
    for reason, answer in (
        (_because(Kind.PAUSED), "Paused."),
        (_because(Kind.PAUSED_WITH, instance=3), "Paused with instance 3, paused."),
    ):
        around.run.update(reason)
        assert _said(why_instance(around)) == answer


def test_a_queued_job_tells_its_place_and_who_has_the_places() -> None:
    waits = job("load", "queued", instance=9, **_because(Kind.SLOT))
    queue = {
        "places": 1,
        "paused": False,
        "waiting": [{"job_instance": 8}, {"job_instance": 9}],
        "running": [{"job_instance": 3, "instance": 5, "node": "sleep", "job": "sleep"}],
    }

    around = _around(waits, queue=queue)
    found = why_job(around.run["jobs"][0], around)

    assert _said(found) == "Waits for a slot: number 2 of 2 in the queue; taken by #5 sleep."
    assert found is not None
    assert found.blocker == Target("queue", "9")


def test_a_paused_queue_is_said_plainly() -> None:
    around = _around(job("load", "queued", instance=9, **_because(Kind.SLOT)), queue={"paused": True})

    assert _said(why_job(around.run["jobs"][0], around)) == "Waits for a slot: the queue is paused."


def test_a_busy_worker_leads_to_the_job_that_holds_it() -> None:
    waits = job("load", "busy", instance=9, **_because(Kind.EXCLUSIVE, job_instance=3))
    running = {"job_instance": 3, "instance": 5, "node": "sleep", "job": "sleep", "since": "10:42:10"}
    around = _around(waits, queue={"running": [running]})

    found = why_job(around.run["jobs"][0], around)

    assert _said(found) == (
        "Its worker is busy: sleep of instance 5, job instance 3, exclusive, holds it since 10:42:10."
    )
    assert found is not None
    assert found.blocker == Target("instance", "5", "sleep")


def test_what_waits_for_an_exclusive_turn_or_for_what_nobody_knows_leads_to_no_job_of_the_same_name() -> None:
    running = {"job_instance": 3, "instance": 5, "node": "load", "job": "load", "since": "10:42:10"}
    unknown = _because(Kind.STILL_RUNS_THERE, worker="quay")
    waits = [job("load", "busy", instance=9, **each) for each in (_because(Kind.EXCLUSIVE_NEXT), unknown)]

    found = [why_job(each, _around(each, queue={"running": [running]})) for each in waits]

    assert [each and each.blocker for each in found] == [Target("queue", "9"), Target("worker", "quay")]


def test_a_job_that_asks_leads_to_its_exception() -> None:
    asks = job("load", "waiting", instance=9)
    exceptions = [{"id": 31, "job_instance": 9, "asks": True}]

    found = why_job(asks, _around(asks, exceptions=exceptions))

    assert found is not None
    assert found.blocker == Target("exception", "31")


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (_because(Kind.WAIT_FOR, seconds=30), "Waits 30 s."),
        (_because(Kind.WAIT_FOR, seconds=32400), "Waits 9 h 00 min."),
        (
            _because(Kind.WAIT_UNTIL, until="2026-11-21T08:00:00+08:00"),
            "Waits until 2026-11-21T08:00:00+08:00.",
        ),
        (_because(Kind.WAIT_CONDITION, every=5), "Waits until its condition holds, looked at every 5 s."),
    ],
)
def test_a_wait_says_what_for_and_leads_to_its_definition(reason: Any, words: str) -> None:
    waits = job("pause", "waiting", **reason)

    found = why_job(waits, _around(waits))

    assert _said(found) == words
    assert found is not None
    assert found.blocker == Target("task", "nightly", "pause", "definition")


def test_a_sub_task_leads_to_the_instance_that_it_started() -> None:
    waits = job("greet", "waiting", results={"instance": 12}, **_because(Kind.SUB_TASK, instance=12))

    found = why_job(waits, _around(waits))

    assert _said(found) == "Waits for the end of its sub-task, instance 12."
    assert found is not None
    assert found.blocker == Target("instance", "12")


def test_a_skipped_job_leads_to_the_failure_at_the_root() -> None:
    load = job("load", "failed")
    index = job("index", "skipped", reason="parent_failed: load")
    publish = job("publish", "skipped", reason="parent_failed: index")

    found = why_job(publish, _around(load, index, publish))

    assert _said(found) == "Not run: index failed."
    assert found is not None
    assert found.blocker == Target("instance", "7", "load")


def test_what_runs_or_has_run_needs_no_reason() -> None:
    assert why_job(job("a", "running"), _around()) is None
    assert why_instance(_around(job("a", "running"), job("b", "pending"))) is None
    assert why_instance(_around(status="succeeded")) is None


def test_an_instance_in_which_nothing_runs_tells_the_reason_of_the_job_that_is_next() -> None:
    retry = {"seconds": 5, "message": "exit status 3", "at": "08:15", "attempt": 2, "of": 3}
    retried = job("load", "retrying", error_code=-11000001003, **_because(Kind.RETRY, **retry))
    around = _around(retried, job("publish", "pending", **_because(Kind.PARENTS, nodes=["load"])))

    assert _said(why_instance(around)) == "Tried again at 08:15 (attempt 2 of 3): exit status 3."
    assert "planned for" in _said(why_instance(_around(status="planned")))


def test_a_failure_is_said_in_the_language_of_the_window(console: Console) -> None:
    error = with_facts({"error_code": -11000001003, "error_message": Message.of("exit status {n}", n=3)})
    failed = job("load", "failed", **error)
    known = what_is_wrong(failed)

    console.language.switch("zh_CN")

    assert (known, what_is_wrong(failed)) == ("exit status 3", "退出状态 3")
    assert message_then(failed, {"ERROR_MESSAGE": "exit status 3"}).facts == {"n": 3}
    assert message_then(failed, {"ERROR_MESSAGE": "exit status 4"}).facts == {}


def test_each_worker_that_cannot_run_it_has_its_reason_in_the_readers_language() -> None:
    message = Message.of("{where}: {error}", where="h:22", error="Connection refused")
    away = Reason.of(Kind.REACHED_NO_MORE, at="2026-11-21T10:00:00+00:00", message=message)
    gone = Reason.of(Kind.WORKER_STATE, state="paused")
    workers = [{"name": name, "why": why.to_json()} for name, why in (("a", away), ("b", gone))]

    shown = sentence(with_failure_words(Reason.of(Kind.NO_WORKER, workers=workers), "zh"), "zh")

    assert "a（自 2026-11-21T10:00:00+00:00 起无法联系：h:22：" in shown
    assert "b（状态为 已暂停）" in shown
    assert "Connection refused" not in shown
