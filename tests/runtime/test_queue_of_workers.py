"""One line for all workers: whoever cannot go on holds up nobody elsewhere; exclusive ones are alone at theirs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.execution.strangers import Stranger
from engine.execution.vitals import Vitals
from engine.model.reason import Kind, Reason
from engine.model.worker import Address, Worker
from engine.planning.worker_choice import HERE, Where
from engine.runtime.queue.job_queue import Claim, Queue
from engine.runtime.queue.workers import LiveWorker, WorkerRegistry
from engine.store.rows import WorkerRow
from tests.effort import effort
from tests.runtime.test_queue import _Fiber, _Loop

A, B, BOTH = Where(workers=("a",)), Where(workers=("b",)), Where(group="pair")


class Line:
    """A queue over the workers local, a and b, and what became of its claims."""

    def __init__(self, load: float | None = None) -> None:
        self.loop: Any = _Loop()
        self.workers = WorkerRegistry("", lambda: load)
        for name in "ab":
            worker = Worker(name, address=Address(name), groups=("pair",), slots=2)
            self.workers.add(WorkerRow(name, "ssh", "", "", "online", content=worker.to_json()))
        for live in self.workers:
            live.put(live.row)
        self.queue = Queue(self.loop, 2, workers=self.workers)
        self.running: list[Claim] = []
        self.reasons: dict[Claim, Reason | None] = {}
        self.ids = iter(range(1, 10_000))

    def join(self, where: Where, *, job: int = 0, **how: Any) -> Claim:
        claim = Claim(job or next(self.ids), key=1, where=where, **how)
        claim.fiber = _Fiber(lambda: self.running.append(claim))  # type: ignore[assignment]
        claim.on_refusal = lambda reason: self.reasons.update({claim: reason})
        self.queue.join(claim)
        self.loop.turn()
        return claim

    def end(self, claim: Claim) -> None:
        self.running.remove(claim)
        self.queue.give_back(claim)
        self.loop.turn()

    def state(self, name: str, state: str) -> None:
        live = self.at(name)
        live.put(replace(live.row, state=state))
        self.workers.changed()
        self.loop.turn()

    def at(self, name: str) -> LiveWorker:
        found = self.workers.find(name)
        assert found is not None
        return found


def test_who_waits_for_a_full_worker_holds_up_nobody_elsewhere() -> None:
    line = Line()
    for _ in range(3):
        line.join(A, priority=9)

    elsewhere = line.join(B)

    assert elsewhere in line.running
    assert [claim.where for claim in line.queue.waiting()] == [A]


def test_who_waits_names_the_workers_of_which_it_would_take_a_slot() -> None:
    line = Line()
    for where in (A, A, B, B):
        line.join(where)
    one, either, alone = line.join(A), line.join(BOTH), line.join(BOTH, exclusive=True)
    line.state("b", "offline")

    assert [line.queue.waits_for(claim) for claim in (one, either, alone)] == [["a"], ["a"], ["a"]]

    line.state("b", "online")
    assert line.queue.waits_for(either) == ["a", "b"]


def test_an_exclusive_one_waits_for_the_worker_that_is_kept_free_for_it() -> None:
    line = Line()
    for where in (A, B):
        line.join(where)

    alone = line.join(BOTH, exclusive=True)

    [kept] = [live.name for live in line.workers if live.next is not None]
    assert line.queue.waits_for(alone) == [kept]


def test_jobs_are_spread_over_the_workers_of_a_group() -> None:
    line = Line()
    claims = [line.join(BOTH) for _ in range(4)]

    assert Counter(claim.worker for claim in claims) == {"a": 2, "b": 2}
    assert line.queue.taken == 0, "nothing of it runs on this machine"


@pytest.mark.parametrize(("load", "chosen"), [(0.1, "local"), (0.9, "b"), (None, "b")])
def test_the_load_of_this_machine_counts_like_that_of_others(load: float | None, chosen: str) -> None:
    line = Line(load)
    line.at("a").vitals = Vitals(load=6.0, cores=8)
    line.at("b").vitals = Vitals(load=4.0, cores=8)

    claim = line.join(Where(workers=("a", "local", "b")))

    assert claim.worker == chosen


def test_the_most_urgent_goes_first_whichever_worker_gets_free() -> None:
    line = Line()
    running = [line.join(BOTH) for _ in range(4)]
    late, urgent, on_a = line.join(BOTH), line.join(BOTH, priority=5), line.join(A, priority=3)

    line.end(next(claim for claim in running if claim.worker == "b"))
    assert urgent in line.running
    line.end(next(claim for claim in line.running if claim.worker == "a"))
    assert on_a in line.running
    assert late not in line.running


def test_an_exclusive_job_waits_at_its_worker_only() -> None:
    line = Line()
    runs = line.join(A)
    alone = line.join(A, exclusive=True)
    later, elsewhere = line.join(A, priority=9), line.join(B)

    assert line.reasons[alone] == Reason(Kind.EXCLUSIVE_NEXT)
    assert elsewhere in line.running
    assert later not in line.running, "nothing passes it there"
    line.end(runs)
    assert alone in line.running
    assert later not in line.running, "nothing starts beside it"
    refused = line.reasons[later]
    assert refused is not None
    assert refused.kind is Kind.EXCLUSIVE
    line.end(alone)
    assert later in line.running


def test_an_exclusive_job_that_a_worker_is_kept_free_for_has_its_place_under_the_limit_of_its_run() -> None:
    line = Line()
    on_a = line.join(A, limit=2)
    alone = line.join(A, exclusive=True, limit=2)

    elsewhere = line.join(B, limit=2)
    assert elsewhere not in line.running

    line.end(on_a)
    assert line.running == [alone, elsewhere]
    line.end(alone)
    assert line.join(B, limit=2) in line.running


def test_who_waits_for_the_limit_of_a_run_is_not_looked_at_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # given two hundred of a run of which two may run at once, and others with a limit of their own
    line = Line()
    first = [line.join(BOTH, limit=2, priority=1) for _ in range(200)]
    other = [line.join(BOTH, limit=2) for _ in range(3)]
    assert line.running == first[:2]

    # when one has ended
    is_open, looks = LiveWorker.is_open, []
    monkeypatch.setattr(
        LiveWorker, "is_open", property(lambda each: looks.append(each) or is_open.fget(each))
    )
    line.end(first[0])

    # then the next one has its slot, after a look at each worker for each slot that was given
    assert line.running == first[1:3]
    assert len(looks) <= 2 * 3

    # and once all of them have ended the others have theirs
    while line.running and line.running[0] in first:
        line.end(line.running[0])
    assert line.running == other[:2]


def test_an_exclusive_job_takes_a_worker_that_is_empty() -> None:
    line = Line()
    line.join(A)

    assert line.join(BOTH, exclusive=True).worker == "b"


def test_an_exclusive_job_goes_to_what_is_empty_first_whichever_worker_was_kept_for_it() -> None:
    line = Line()
    on_a, on_b = line.join(A), line.join(B)
    alone = line.join(BOTH, exclusive=True)
    kept = next(name for name in "ab" if line.at(name).next is not None)
    later = line.join(A if kept == "a" else B)

    line.end(on_b if kept == "a" else on_a)

    assert alone in line.running
    assert alone.worker != kept
    assert later in line.running, "nothing waits for it at the worker that was kept"


def test_it_chooses_another_worker_when_the_one_kept_for_it_goes() -> None:
    line = Line()
    line.join(A)
    on_b = line.join(B)
    alone = line.join(BOTH, exclusive=True)
    kept = next(name for name in "ab" if line.at(name).next is not None)

    line.state(kept, "offline")
    other = on_b if kept == "a" else next(claim for claim in line.running if claim.worker == "a")
    line.end(other)

    assert alone in line.running
    assert alone.worker != kept


def test_without_any_worker_the_reasons_of_all_are_given() -> None:
    line = Line()
    line.state("a", "offline")

    nobody = line.join(Where(workers=("a", "nowhere")))

    told = line.reasons[nobody]
    assert told is not None
    assert (told.kind, told.facts["names"]) == (Kind.NO_WORKER, ["a (offline)", "nowhere (not registered)"])
    line.state("a", "online")
    assert nobody in line.running


def test_a_job_is_not_started_twice_at_once() -> None:
    line = Line()
    line.join(A, job=77)

    again = line.join(B, job=77)

    assert line.reasons[again] == Reason(Kind.STILL_RUNS)


def test_what_a_worker_still_runs_unknown_to_the_engine_is_not_started_there_again() -> None:
    line = Line()
    line.at("a").strangers = (Stranger("77.1.x", 77),)

    again, other, elsewhere = line.join(A, job=77), line.join(A, job=78), line.join(BOTH, job=77)

    assert line.reasons[again] == Reason.of(Kind.STILL_RUNS_THERE, worker="a")
    assert other in line.running
    assert elsewhere.worker == "b"
    line.end(elsewhere)
    line.at("a").strangers = ()
    line.queue.wake()
    line.loop.turn()
    assert again in line.running


def test_nothing_begins_beside_something_exclusive_that_is_unknown() -> None:
    line = Line()
    line.at("a").strangers = (Stranger("77.1.x", 77, alone=True),)

    waits, elsewhere = line.join(A), line.join(BOTH)

    assert line.reasons[waits] == Reason.of(Kind.EXCLUSIVE_THERE, worker="a")
    assert elsewhere.worker == "b"
    line.at("a").strangers = ()
    line.queue.wake()
    line.loop.turn()
    assert waits in line.running


def test_an_exclusive_job_waits_for_what_is_unknown_too() -> None:
    line = Line()
    line.at("a").strangers = (Stranger("77.1.x", 77),)

    alone, later = line.join(A, exclusive=True), line.join(A)

    assert line.reasons[alone] == Reason(Kind.EXCLUSIVE_NEXT)
    assert later not in line.running
    line.at("a").strangers = ()
    line.queue.wake()
    line.loop.turn()
    assert line.running == [alone]


WHERES = st.sampled_from([HERE, A, B, BOTH, Where(workers=("local", "b"))])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("join"), WHERES, st.booleans(), st.integers(0, 2)),
        st.tuples(st.just("end"), st.integers(0, 20)),
        st.tuples(st.just("state"), st.sampled_from(["a", "b"]), st.sampled_from(["online", "offline"])),
    ),
    max_size=60,
)


@given(STEPS)
@settings(max_examples=effort(60, all=1200))
def test_whatever_happens_nothing_runs_beside_an_exclusive_job_and_no_slot_is_left_free(steps: Any) -> None:
    line = Line()
    for step in steps:
        if step[0] == "join":
            line.join(step[1], exclusive=step[2], priority=step[3])
        elif step[0] == "state":
            line.state(step[1], step[2])
        elif line.running:
            line.end(line.running[step[1] % len(line.running)])
        _check(line)
    for name in "ab":
        line.state(name, "online")
    while line.running:
        line.end(line.running[0])
    assert not list(line.queue.waiting())
    assert [worker.taken for worker in line.workers] == [0, 0, 0]


def _check(line: Line) -> None:
    for worker in line.workers:
        there = [claim for claim in line.running if claim.worker == worker.name]
        assert len(there) == worker.taken <= worker.slots
        assert not any(claim.exclusive for claim in there) or len(there) == 1
    kept = [worker.next.claim for worker in line.workers if worker.next is not None]
    for claim in line.queue.waiting():
        free = [worker for worker in line.workers.able(claim.where) if worker.is_open]
        if claim in kept:  # exclusive: it waits until nothing runs at a worker
            free = [worker for worker in free if worker.is_empty]
        assert not free, "it waits while a slot is free for it"


def test_those_that_run_are_counted_wherever_they_run() -> None:
    line = Line()

    for where in (HERE, A, B):
        line.join(where)

    assert (line.queue.running, line.queue.taken) == (3, 1)


def test_the_next_at_a_worker_are_those_that_can_run_nowhere_else() -> None:
    line = Line()
    for _ in range(2):
        line.join(A)
        line.join(B)
    low, both, high = line.join(A), line.join(BOTH), line.join(A, priority=5)

    assert line.queue.next_at("a", 2) == [high, low]
    assert both not in line.queue.next_at("a", 9)
