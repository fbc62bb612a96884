"""What must hold whenever an engine has nothing to do: reasons are true, the queue is fair."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain, product

from engine.model.reason import Kind
from engine.model.states import InstanceState, JobState
from engine.runtime.queue.job_queue import Claim, Queue
from tests.simulation.invariants.answers import a_question_holds_no_slot
from tests.simulation.invariants.history import Job
from tests.simulation.invariants.life import Life
from tests.simulation.invariants.workers_at_rest import (
    an_attempt_gets_its_slot_again_where_it_is_under_way,
    who_can_run_somewhere_has_a_worker,
)

_OF_QUEUE = frozenset({Kind.SLOT, Kind.EXCLUSIVE, Kind.EXCLUSIVE_NEXT, Kind.STILL_RUNS})  # known at once
_ROOM = 10.0  # seconds within which what found no room on the disk is tried again
_MOMENT = 1.0  # seconds that a thread may need to stop something, or to look for processes


def broken(life: Life) -> Iterator[str]:
    """Every promise that is broken at this moment, at which the loop of the engine waits."""
    services, unfiled = life.engine.services, _unfiled(life)
    doubts = dict[str, float]()
    for id, job in life.history.open.items():
        if job.instance in services.runs:
            for each in a_reason_is_true(life, id, job, unfiled):
                text = f"job_instance {id} ({job.why}): {each}"
                doubts[text] = life.history.doubts.get(text, life.hub.now)
                if _is_in_line(job) or life.hub.now > doubts[text] + _MOMENT:
                    yield text
    for text in chain(
        life.schedules.who_waits_for_an_earlier_one_begins_after_it(unfiled),
        life.schedules.who_is_let_go_waits_for_no_earlier_one(),
        who_can_run_somewhere_has_a_worker(life) if life.remotes else (),
        an_attempt_gets_its_slot_again_where_it_is_under_way(life) if life.remotes else (),
        life.schedules.who_has_all_that_it_waits_for_begins(unfiled),
        life.backfills.a_step_is_over_with_its_instance(unfiled),
    ):
        doubts[text] = life.history.doubts.get(text, life.hub.now)
        if life.hub.now > doubts[text] + _MOMENT:
            yield text
    for text in chain(what_waits_for_room_goes_on(life), what_has_ended_is_let_go(life, unfiled)):
        doubts[text] = life.history.doubts.get(text, life.hub.now)
        if life.hub.now > doubts[text] + _ROOM:
            yield text
    life.history.doubts = doubts
    yield from a_question_holds_no_slot(life)
    yield from life.questions.a_deadline_does_not_pass_unnoticed(life.engine)
    yield from the_most_urgent_comes_first(life, services.queue)


def what_waits_for_room_goes_on(life: Life) -> Iterator[str]:
    """Files that could not be written are when the disk takes them again."""
    runs = life.engine.services.runs.items()
    late = [] if life.trouble.is_recent else [id for id, run in runs if run.files.behind]
    yield from (f"files of instance {id} are not written, and the disk has room" for id in late)


def what_has_ended_is_let_go(life: Life, unfiled: Collection[int]) -> Iterator[str]:
    """Once its files are written, which are tried again at least each four seconds; then what waits for it begins."""
    late = unfiled if life.trouble.is_over else ()
    yield from (f"instance {id} has ended, and is not let go, though the disk has room" for id in late)


def _unfiled(life: Life) -> list[int]:
    """What has ended, but not for what waits for it: its files found no room."""
    states = life.history.states
    ended = (id for id in life.engine.services.runs if InstanceState(states["instance", id]).ended)
    return list(ended) if life.trouble.is_recent else []


def _is_in_line(job: Job) -> bool:
    """What becomes of it is known at once; an attempt that waits for its slot again may have to be stopped."""
    return job.why["kind"] in _OF_QUEUE and job.status != JobState.WAITING


def a_reason_is_true(life: Life, id: int, job: Job, unfiled: Collection[int]) -> Iterator[str]:
    """What a job that waits names is so; what has ended is waited for until its files have had room."""
    engine, queue = life.engine, life.engine.services.queue
    match Kind(job.why["kind"]) if job.why else None:
        case Kind.SLOT:
            if not any(claim.job == id for claim in queue.waiting()):
                yield "it waits for a slot outside of the queue"
        case Kind.EXCLUSIVE:
            beside = (claim for worker in queue._workers for claim in worker.beside)
            alone = [claim.job for claim in chain(queue.holders(), beside) if claim.exclusive]
            if job.why["job_instance"] not in alone:
                yield f"the worker belongs to {alone}"
        case Kind.EXCLUSIVE_NEXT:
            if all(worker.is_empty for worker in queue._workers):
                yield "no job runs for whose end it could wait"
        case Kind.STILL_RUNS:
            if not any(job == id for job, _ in queue._holders):
                yield "no attempt of it runs"
        case Kind.STAGE:
            prefix = f"{job.node}.{job.why['stage']}."
            stage = [each for each in life.history.open.values() if each.parent == id]
            if not any(each.node.startswith(prefix) for each in stage):
                yield "no job of that stage goes on"
        case Kind.REMEDY:
            state = life.history.states.get(("instance", job.why["instance"]))
            if state is None or (InstanceState(state).ended and job.why["instance"] not in unfiled):
                yield f"that instance is {state}"
        case Kind.ASKS | Kind.RULE_ASKS:
            if id not in engine.services.asking:
                yield "nobody waits for an answer"
        case Kind.INSTANCE_PAUSED | Kind.INSTANCE_PAUSED_WITH:
            if engine.services.runs[job.instance].pause.why is None:  # type: ignore[attr-defined]
                yield "the instance is not paused"


def the_most_urgent_comes_first(life: Life, queue: Queue) -> Iterator[str]:
    """Nobody waits while a slot is free, and nobody has passed one who waited for longer and is as urgent."""
    here = [claim for claim in queue.waiting() if not claim.where.names_some]  # others may run elsewhere
    waiting = [claim for claim in here if not _is_held(queue, claim)]
    if waiting and not queue.paused and queue.taken < queue.slots and not _is_kept(queue):
        yield f"job_instance {waiting[0].job} waits, {queue.taken} of {queue.slots} slots are taken"
    joined = life.history.joined
    if life.was_reordered:
        return
    for waits, has in product(waiting, (each for each in queue.holders() if not each.where.names_some)):
        more = _urgency(waits) > _urgency(has) and not has.exclusive  # nobody passes one whose turn has come
        when = has.since if more else joined.get(has, has.since) if _urgency(waits) >= _urgency(has) else 0.0
        if life.engine_ticks < waits.since < when and waits.limit is None:
            yield f"job_instance {has.job} has passed {waits.job} in the queue"


def _urgency(claim: Claim) -> tuple[bool, int]:
    """Those of a backfill come behind all others."""
    return not claim.last, claim.priority


def _is_held(queue: Queue, claim: Claim) -> bool:
    """Whether something else than the number of slots holds it: the limit of its run, an earlier attempt.

    An exclusive one of its run that a worker is kept free for has its place by then.
    """
    kept = [worker.next.claim.key for worker in queue._workers if worker.next is not None]
    places = queue._of_key.get(claim.key, 0) + kept.count(claim.key)
    at_limit = claim.limit is not None and places >= claim.limit
    return at_limit or (claim.job, claim.part) in queue._holders


def _is_kept(queue: Queue) -> bool:
    """Whether an exclusive job runs, or waits to be the next."""
    return queue._local.alone > 0 or queue._local.next is not None
