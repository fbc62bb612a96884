"""What needs attention, in its order."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from app.desktop.home.attention import RunProgress, Section, items
from app.desktop.kernel.console import Target
from app.desktop.kernel.overview import Snapshot
from engine.model.message import Message
from engine.model.reason import Kind, Reason
from tests.api.fake_service import LOCAL_WORKER, instance
from tests.api.fake_troubles import question

NOW = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
EARLY = "2026-11-21T01:00:00+00:00"


def trouble(id: int, number: int, *, asks: bool = False, node: str = "load") -> dict[str, Any]:
    return {
        "id": id, "code": -11000001003, "message": "exit status 3", "status": "open", "asks": asks,
        "created_at": EARLY, "task": "nightly", "node": node, "instance": number,
    }  # fmt: skip


def entry(status: str, since: str = EARLY, job: str = "load") -> dict[str, Any]:
    return {"job_instance": 7, "instance": 3, "task": "nightly", "node": "load", "job": job,
            "status": status, "since": since}  # fmt: skip


def test_a_failed_instance_leads_to_its_failed_job() -> None:
    found = items(Snapshot(instances=(instance(3, "failed"),), exceptions=(trouble(1, 3),)), NOW)

    assert [item.name for item in found] == ["nightly #3 · load"]
    assert found[0].target == Target("instance", "3", node="load", detail="error")


def test_the_first_exception_of_an_instance_is_to_blame() -> None:
    exceptions = (trouble(2, 3, node="report"), trouble(1, 3, node="load"))

    found = items(Snapshot(instances=(instance(3, "failed"),), exceptions=exceptions), NOW)

    assert [item.name for item in found] == ["nightly #3 · load"]


def test_a_record_is_not_to_blame_where_its_job_succeeded_on_another_worker() -> None:
    tolerated, record, whole = (
        trouble(id, 3, node=node) for id, node in enumerate(("tidy@b", "every@b", "every"), 1)
    )

    found = items(Snapshot(instances=(instance(3, "failed"),), exceptions=(tolerated, record, whole)), NOW)
    goes_on = items(Snapshot(instances=(instance(3, "running"),), exceptions=(tolerated,)), NOW)

    assert [item.name for item in found] == ["nightly #3 · every@b"]
    assert goes_on[0].name == "nightly #3 · tidy@b"


def test_a_failure_that_an_operator_handled_is_gone() -> None:
    assert items(Snapshot(instances=(instance(3, "failed"),)), NOW) == []


def test_urgent_things_come_first() -> None:
    snapshot = Snapshot(
        instances=(instance(3, "failed"), instance(4, "running"), instance(5, "lost")),
        exceptions=(trouble(1, 3), trouble(2, 4, asks=True), {**trouble(3, 5), "code": None}),
        alerts=({"id": 1, "instance": 3, "message": "x", "created_at": EARLY, "code": None},),
        queue={"waiting": [entry("no_worker")], "running": [], "paused": False},
        coming=(instance(9, "planned"),),
        free=1 << 20,
        room=1 << 40,
    )

    found = items(snapshot, NOW)

    statuses = ["disk", "waiting", "failed", "lost", "no_worker", "alert", "running", "planned"]
    assert sorted(item.status for item in found[2:4]) == ["failed", "lost"]
    assert [item.status for item in found if item.status not in ("failed", "lost")] == [
        each for each in statuses if each not in ("failed", "lost")
    ]
    assert found[-1].section is Section.COMING


def test_a_paused_queue_with_work_needs_attention() -> None:
    queue = {"waiting": [entry("queued", NOW.isoformat())], "running": [], "paused": True}

    assert [item.status for item in items(Snapshot(queue=queue), NOW)] == ["paused"]


def test_an_instance_that_an_operator_paused_needs_attention() -> None:
    with_it = instance(4, "paused", why=Reason.of(Kind.PAUSED_WITH, instance=3, by="anna").to_json())
    found = items(Snapshot(instances=(instance(3, "paused"), with_it)), NOW)

    assert [(item.section, item.status) for item in found] == [(Section.NEEDS, "paused")]


def test_what_waits_or_runs_for_long_needs_attention() -> None:
    queue = {"waiting": [entry("queued")], "running": [entry("running")], "paused": False}
    stats = ({"kind": "job", "id": "load", "max_seconds": 60.0},)

    notes = {item.note for item in items(Snapshot(queue=queue, stats=stats), NOW)}

    assert notes == {"has waited for a slot for a long time", "has been running unusually long"}


def test_what_never_ran_before_is_not_called_unusual() -> None:
    queue = {"waiting": [], "running": [entry("running")], "paused": False}

    assert items(Snapshot(queue=queue), NOW) == []


def test_what_comes_next_is_in_the_order_of_time() -> None:
    coming = tuple(instance(n, "planned", scheduled_time=f"2026-11-21T0{n}:00:00+00:00") for n in (1, 2))

    assert [item.name for item in items(Snapshot(coming=coming), NOW)] == ["nightly #1", "nightly #2"]


def test_an_engine_that_does_not_run_comes_first() -> None:
    snapshot = Snapshot(instances=(instance(3, "failed"),), exceptions=(trouble(1, 3),))

    found = items(snapshot, NOW, no_engine="another engine owns it")

    assert [item.status for item in found] == ["engine", "failed"]
    assert found[0].detail == "another engine owns it"


def test_an_engine_that_is_stopped_comes_first_and_is_not_said_to_be_missing() -> None:
    [silent] = items(Snapshot(), NOW, no_engine="it is stopped", silent=True)

    assert silent.status == "engine"
    assert silent.note.startswith("The engine does not answer")
    assert silent.detail == "it is stopped"


def test_held_schedules_come_before_what_failed_and_say_why() -> None:
    clock = {"held": True, "since": EARLY, "reason": "the clock was set while the machine was off"}
    snapshot = Snapshot(clock=clock, instances=(instance(3, "failed"),), exceptions=(trouble(1, 3),))

    found = items(snapshot, NOW)

    assert [item.status for item in found] == ["clock", "failed"]
    assert (found[0].detail, found[0].time) == (clock["reason"], EARLY)
    assert found[0].note.startswith("All schedules are held")


def test_an_instance_that_has_waited_to_begin_for_long_says_for_what() -> None:
    why = Reason.of(Kind.UPSTREAMS, names=["tides"])
    times = {"scheduled_time": "2026-11-21T07:00:00+00:00", "created_at": "2026-11-20T23:50:00+00:00"}
    waits = instance(3, "waiting", run=0, why=why.to_json(), **times)
    fresh = {"scheduled_time": "2025-01-01T00:00:00+00:00", "created_at": "2026-11-21T07:59:00+00:00"}
    backfilled = instance(4, "waiting", run=0, **fresh)

    found = [
        item for item in items(Snapshot(instances=(waits, backfilled)), NOW) if item.section is Section.NEEDS
    ]

    assert [(item.name, item.time, item.target) for item in found] == [
        ("nightly #3", times["scheduled_time"], Target("instance", "3"))
    ]
    assert found[0].reason == why


def test_open_questions_need_a_person_each_member_of_its_own() -> None:
    found = items(Snapshot(questions=(question(3), question(3, index=1))), NOW)

    assert {item.name for item in found} == {"nightly #3 · ask", "nightly #3 · ask[1]"}
    assert all(item.section is Section.NEEDS for item in found)
    assert len({item.key for item in found}) == 2
    assert found[0].target == Target("instance", "3", node="ask", detail="why")
    assert found[0].reason is not None
    assert found[0].reason.facts["question"] == "Load the figures?"


def test_a_failure_that_waits_for_an_answer_is_one_line_and_none_once_it_is_answered() -> None:
    alert = {"id": 1, "kind": "recovery_ask", "instance": 3, "message": "a decision is needed",
             "created_at": EARLY, "code": -11000001003}  # fmt: skip
    runs = (instance(3, "running"),)

    waits = items(Snapshot(instances=runs, exceptions=(trouble(1, 3, asks=True),), alerts=(alert,)), NOW)
    answered = items(Snapshot(instances=runs, alerts=(alert,)), NOW)

    assert [item.name for item in waits if item.section is Section.NEEDS] == ["nightly #3 · load"]
    assert [item for item in answered if item.section is Section.NEEDS] == []


def test_a_question_without_a_deadline_has_none() -> None:
    [found] = items(Snapshot(questions=(question(until=None),)), NOW)

    assert found.reason is not None
    assert "until" not in found.reason.facts


def test_failures_of_one_task_and_code_are_one_line_with_the_latest_first() -> None:
    ends = {3: "2026-11-21T02:00:00+00:00", 4: "2026-11-21T05:00:00+00:00", 5: "2026-11-21T04:00:00+00:00"}
    instances = tuple(instance(n, "failed", ended_at=end) for n, end in ends.items())
    other = {**trouble(9, 6), "code": -20501002000}
    snapshot = Snapshot(
        instances=(*instances, instance(6, "timed_out")),
        exceptions=(*(trouble(n, n) for n in ends), other),
    )

    found = items(snapshot, NOW)

    assert [(item.name, item.alike) for item in found if item.code == -11000001003] == [
        ("nightly #4 · load", (4, 5, 3))
    ]
    assert [item.time for item in found if item.code == -11000001003] == [ends[4]]
    assert [item.alike for item in found if item.code == -20501002000] == [(6,)]
    assert len({item.key for item in found}) == 2


def test_a_failure_inside_a_run_that_goes_on_is_there_at_once() -> None:
    found = items(Snapshot(instances=(instance(3, "running"),), exceptions=(trouble(1, 3),)), NOW)

    [needs] = [item for item in found if item.section is Section.NEEDS]
    assert (needs.status, needs.name, needs.note) == ("failed", "nightly #3 · load", "in a run that goes on")


def test_an_open_exception_of_a_cancelled_run_is_there_and_one_of_a_good_run_is_not() -> None:
    instances = instance(3, "cancelled"), instance(4, "succeeded"), instance(5, "skipped")
    found = items(Snapshot(instances=instances, exceptions=tuple(trouble(n, n) for n in (3, 4, 5))), NOW)

    assert [(item.alike, item.note) for item in found] == [((3,), "in a run that was cancelled")]


def test_a_running_row_says_how_far_it_is_and_how_long_it_usually_takes() -> None:
    snapshot = Snapshot(
        instances=(instance(3, "running", started_at="2026-11-21T07:58:00+00:00"),),
        jobs={3: {"succeeded": 3, "failed": 1, "running": 2, "pending": 3}},
        stats=({"kind": "task", "id": "nightly", "mean_seconds": 300.0, "max_seconds": 400.0},),
    )

    [row] = items(snapshot, NOW)

    assert row.progress == RunProgress(done=4, all=9, bad=1, elapsed=120.0, usual=300.0)


def test_what_waits_to_begin_says_for_what_and_since_when_though_it_was_made_the_night_before() -> None:
    why = Reason.of(Kind.UPSTREAMS, names=["tides"])
    times = {"scheduled_time": "2026-11-21T07:58:00+00:00", "created_at": "2026-11-20T23:50:00+00:00"}

    [row] = items(Snapshot(instances=(instance(3, "waiting", run=0, why=why.to_json(), **times),)), NOW)

    assert (row.section, row.reason, row.progress) == (Section.RUNNING, why, None)
    assert row.time == times["scheduled_time"]


def test_a_task_that_never_ended_has_no_usual_duration() -> None:
    [row] = items(Snapshot(instances=(instance(3, "running"),)), NOW)

    assert row.progress is not None
    assert (row.progress.all, row.progress.usual) == (0, None)


def worker(name: str, state: str, reason: Reason | None = None, running: int = 0) -> dict[str, Any]:
    why = {"why": reason.to_json(), "reason": None} if reason else {"why": None, "reason": None}
    return {**LOCAL_WORKER, "name": name, "kind": "ssh", "state": state, "running": running, **why}


def test_workers_that_take_no_jobs_though_nobody_wants_it_so_need_attention() -> None:
    workers = (
        LOCAL_WORKER,
        worker("fine", "online"),
        worker("new", "untrusted", Reason(Kind.UNTRUSTED)),
        worker("away", "offline", Reason(Kind.NOT_REACHED), running=2),
        worker("late", "online", Reason.of(Kind.SKEWED, seconds=7, most=5)),
        worker("rest", "paused", Reason(Kind.WORKER_PAUSED)),
        worker("empty", "draining", Reason(Kind.WORKER_DRAINING)),
    )

    found = items(Snapshot(workers=workers), NOW)

    assert {item.name: item.status for item in found} == {
        "new": "worker_untrusted",
        "away": "worker_offline",
        "late": "worker_offline",
    }
    away = next(item for item in found if item.name == "away")
    assert away.values == {"n": 2}
    assert away.target == Target("worker", "away")
    assert away.subject is not None
    assert away.subject.worker is workers[3]


def test_without_an_engine_no_worker_is_reached_and_the_engine_alone_is_named() -> None:
    workers = (
        worker("new", "untrusted", Reason(Kind.UNTRUSTED)),
        worker("away", "offline", Reason(Kind.NOT_REACHED)),
    )

    found = items(Snapshot(workers=workers), NOW, no_engine="it was ended")

    assert [item.status for item in found] == ["engine", "worker_untrusted"]


def test_who_is_asked_what_to_do_without_a_worker_reads_once_that_it_waits() -> None:
    text = Message.of("it waits: {message}", message=Message.of("no worker is there to run it"))
    row = {**trouble(1, 3, asks=True), "message": str(text), "message_facts": text.to_json()}

    [item, *_] = items(Snapshot(instances=(instance(3, "running"),), exceptions=(row,)), NOW)

    assert (item.note, str(item.detail)) == ("waits for an answer", "no worker is there to run it")
