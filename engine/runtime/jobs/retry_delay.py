"""The delay between two attempts, and the certainty that no process of the earlier one is alive."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from engine.execution import remains
from engine.execution.kill import Left, stop_tree
from engine.model.codes.runtime import LOST
from engine.model.errors import Failure
from engine.model.reason import Kind, Reason
from engine.model.states import JobState
from engine.runtime.fibers import Coroutine, Offload, ShieldedOffload, Sleep, Stopped, Wait
from engine.runtime.jobs.stop_outcome import RETRY_NOW, WAITING_STATES, RetryNow
from engine.runtime.services import iso

if TYPE_CHECKING:
    from engine.runtime.jobs.execution import JobExecution

_LOOK = 0.5, 60.0  # seconds: how soon, and how late at most, a living tree is looked at again


def pause(
    job: JobExecution, failure: Failure, seconds: float, kind: Kind, **facts: Any
) -> Coroutine[RetryNow]:
    """Wait, then let a new attempt be made; a restart of the engine in between changes nothing.

    The reason is of this kind: ``facts`` with the message of the failure, and when it is tried again.
    """
    due = job.services.clock.now() + timedelta(seconds=seconds)
    state = WAITING_STATES.get(failure.code, JobState.RETRYING)
    job.handling = replace(job.handling, pause=seconds)
    facts = {"seconds": seconds, "message": failure.message, "at": job.services.local(due), **facts}
    job.between(state, failure, Reason.of(kind, **facts), iso(due))
    return (yield from _rest(job, failure, seconds))


def rest_of_pause(job: JobExecution, failure: Failure, due: str | None) -> Coroutine[RetryNow]:
    """What is left of a pause that began under an earlier engine: never more than all of it.

    The wall clock, in which its end stands there, may have been set in between.
    """
    now = job.services.clock.now()
    left = (datetime.fromisoformat(due) - now).total_seconds() if due is not None else 0.0
    longest = left if job.handling.pause is None else job.handling.pause
    return (yield from _rest(job, failure, min(max(left, 0.0), longest)))


def _rest(job: JobExecution, failure: Failure, seconds: float) -> Coroutine[RetryNow]:
    yield from guarded(job, failure, Sleep(seconds))
    yield from until_gone(job, failure)
    job.between(job.state, None)
    return RETRY_NOW


def guarded(job: JobExecution, failure: Failure, wait: Wait) -> Coroutine[Any]:
    """``value = yield from guarded(…)``: a wait between two attempts.

    When somebody stops the job meanwhile, what is left of its earlier attempt is stopped too.
    """
    try:
        return (yield wait)
    except Stopped as stopped:
        if _may_live(job, failure):
            stopped.left += yield from _ended(job)
        raise


def until_gone(job: JobExecution, failure: Failure) -> Coroutine[None]:
    """Wait until no process of the earlier attempt lives; says so meanwhile."""
    if not _may_live(job, failure):
        return
    soonest, latest = _LOOK
    look = min(max(job.job.recovery.after, soonest), latest)
    folder, mark = job.directory_text, job.mark or ""
    while pids := (yield Offload(lambda: remains.alive(folder, mark))):
        due = job.services.clock.now() + timedelta(seconds=look)
        why = Reason.of(Kind.PROCESSES_LIVE, pids=list(pids), at=job.services.local(due))
        job.between(job.state, failure, why, iso(due))
        yield from guarded(job, failure, Sleep(look))


def _may_live(job: JobExecution, failure: Failure) -> bool:
    return job.mark is not None and (failure.code == LOST.number or job.left_alive)


def _ended(job: JobExecution) -> Coroutine[Left]:
    """What is left of the earlier attempt is ended; gives what is left all the same."""
    folder, mark = job.directory_text, job.mark or ""
    grace, clock = job.services.workspace.settings.grace, job.services.clock
    left: Left = yield ShieldedOffload(lambda: stop_tree(folder, mark, grace, clock))
    return left
