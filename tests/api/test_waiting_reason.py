"""What the queue knows of a job that waits in line is in its reason, for window and command line alike."""

from __future__ import annotations

from engine.api.waiting_reason import behind, in_line, waits_in_line, with_queue
from engine.model.reason import Kind, Reason
from engine.model.reason_words import said, words
from tests.api.fake_service import instance, job

RUNNING = {"job_instance": 3, "instance": 7, "node": "load", "since": "2026-11-21T10:40:00+00:00"}


def test_a_job_in_line_names_its_place_and_who_has_the_slots() -> None:
    queue = {"paused": False, "waiting": [{"job_instance": 8}, {"job_instance": 9}], "running": [RUNNING]}

    found = in_line(Reason(Kind.SLOT), 9, queue)

    assert words(found) == "waits for a slot: number 2 of 2 in the queue; taken by #7 load"
    assert in_line(Reason(Kind.SLOT), 9, {"paused": True}) == Reason(Kind.QUEUE_PAUSED)
    assert words(in_line(Reason(Kind.SLOT), 9, {})) == "waits for a slot"


def test_who_waits_for_a_slot_of_this_machine_does_not_wait_for_those_on_others() -> None:
    there, here = {**RUNNING, "worker": "build"}, {**RUNNING, "node": "sales", "worker": "local"}

    found = in_line(Reason(Kind.SLOT), 9, {"paused": False, "waiting": [], "running": [there, here]})

    assert words(found) == "waits for a slot; taken by #7 sales"


def test_who_waits_for_a_slot_of_other_workers_waits_for_those_who_have_theirs() -> None:
    here, there = {**RUNNING, "node": "sales", "worker": "local"}, {**RUNNING, "worker": "build"}
    line = [
        {"job_instance": 8, "workers": ["local"]},
        {"job_instance": 9, "workers": ["build"]},
        {"job_instance": 10, "workers": ["quay", "build"]},
    ]
    queue = {"paused": False, "waiting": line, "running": [here, there]}

    in_words = {number: words(in_line(Reason(Kind.SLOT), number, queue)) for number in (8, 9, 10)}

    assert in_words == {
        8: "waits for a slot: number 1 of 1 in the queue; taken by #7 sales",
        9: "waits for a slot of build: number 1 of 2 in the queue; taken by #7 load",
        10: "waits for a slot of quay, build: number 2 of 2 in the queue; taken by #7 load",
    }
    assert words(in_line(Reason(Kind.EXCLUSIVE_NEXT), 9, queue)) == (
        "exclusive: waits for the end of what runs on build: #7 load"
    )


def test_who_waits_while_a_worker_is_kept_free_names_the_exclusive_job_that_comes_first() -> None:
    line = [
        {"job_instance": 8, "instance": 7, "node": "alone", "workers": ["a"],
         **said(Reason(Kind.EXCLUSIVE_NEXT))},
        {"job_instance": 9, "workers": ["a"]},
        {"job_instance": 10, "workers": ["a", "b"]},
    ]  # fmt: skip
    queue = {"paused": False, "waiting": line, "running": [{**RUNNING, "worker": "a"}]}

    first, second = (words(in_line(Reason(Kind.SLOT), number, queue)) for number in (9, 10))

    assert first.endswith("taken by #7 load; kept free for #7 alone, which is exclusive")
    assert second.endswith("taken by #7 load"), "b is not kept free"


def test_of_many_that_have_the_slots_some_are_named_and_members_with_their_index() -> None:
    running = [{**RUNNING, "index": number} for number in range(4)]

    found = in_line(Reason(Kind.SLOT), 9, {"paused": False, "waiting": [], "running": running})

    assert words(found) == "waits for a slot; taken by #7 load[0], #7 load[1], #7 load[2], …"


def test_who_waits_until_an_engine_has_connected_says_so() -> None:
    why = said(Reason.of(Kind.CONNECTS, names=["a"]))
    queue = {"paused": False, "waiting": [{"job_instance": 9, "workers": [], **why}], "running": []}

    assert words(in_line(Reason(Kind.SLOT), 9, queue)).endswith("an engine that has just begun connects: a")


def test_who_waits_for_workers_that_nobody_knows_just_waits() -> None:
    line = [{"job_instance": 8, "workers": None}, {"job_instance": 9, "workers": []}]
    queue = {"paused": False, "waiting": line, "running": [{**RUNNING, "worker": "local"}]}

    in_words = [words(in_line(Reason(Kind.SLOT), number, queue)) for number in (8, 9)]

    assert in_words == ["waits for a slot", "waits for a slot"]


def test_a_busy_worker_is_held_by_a_job_since_a_time() -> None:
    busy = in_line(Reason.of(Kind.EXCLUSIVE, job_instance=3), 9, {"running": [RUNNING]})
    still = in_line(Reason(Kind.STILL_RUNS), 3, {"running": [RUNNING]})

    assert words(busy) == (
        "its worker is busy: load of instance 7, job instance 3, exclusive, "
        "holds it since 2026-11-21T10:40:00+00:00"
    )
    assert words(still) == "the worker still runs this job, since 2026-11-21T10:40:00+00:00"
    assert in_line(Reason.of(Kind.EXCLUSIVE, job_instance=4), 9, {}).facts == {"job_instance": 4}


def test_only_what_waits_in_line_is_changed() -> None:
    run = instance(
        7, "running",
        jobs=[
            job("a", "queued", instance=9, **said(Reason(Kind.SLOT))),
            job("b", "pending", instance=10, **said(Reason(Kind.TURN))),
        ],
    )  # fmt: skip

    found = with_queue(run, {"paused": True})

    assert waits_in_line(run)
    assert [each["why"] for each in found["jobs"]] == [{"kind": "queue_paused"}, {"kind": "turn"}]
    assert not waits_in_line(instance(7, "running", jobs=[job("b", "pending")]))


def test_what_holds_a_row_of_jobs_up_is_named_with_its_state() -> None:
    parents = {"load": ("extract",), "report": ("load",)}

    assert behind(["load"], parents, {"load": "running"}).facts == {"nodes": ["load"], "status": "running"}
    far = behind(["load"], parents, {"extract": "queued", "load": "pending"})
    assert words(far) == "waits for load; extract is queued"
    assert words(behind(["x"], {"x": ("y",), "y": ("x",)}, {})).startswith("waits for x")
