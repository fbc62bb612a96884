"""The attempt loop of a job: attempts until one succeeds or none is left to make (contract 2.2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engine.model.codes.processes import TIMED_OUT
from engine.model.codes.runtime import NO_WORKER
from engine.model.errors import Failure, SkerryError
from engine.model.pausing import of_job
from engine.model.plain_words import unforeseen
from engine.model.reason import Kind, Reason
from engine.model.states import AttemptState, JobState
from engine.planning.worker_choice import HERE, Where
from engine.runtime.fibers import Coroutine, Stopped
from engine.runtime.jobs import (
    every_worker,
    failure_handling,
    judging,
    resumed_stages,
    stages,
    worker_refusal,
)
from engine.runtime.jobs.attempt import Attempt
from engine.runtime.jobs.execution import JobExecution
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.jobs.job_row import LiveJobRow
from engine.runtime.jobs.place import where_of
from engine.runtime.jobs.stop_outcome import NO_ATTEMPT, Settled, failure_of
from engine.runtime.queue.job_queue import Claim, SlotWait
from engine.runtime.run_state.job_rows import RecoveredJob
from engine.runtime.run_state.pause import PAUSED, InstancePause
from engine.runtime.timers import Timer


def body_of(job: JobExecution) -> Coroutine[Settled | None]:
    """What a job does: all of it, or what is left of one that an earlier engine had begun."""
    if job.turn is not None and (yield job.turn) is False:
        return Settled(JobState.SKIPPED, None, Reason(Kind.STOPPED))
    if every_worker.is_everywhere(job):
        return (yield from every_worker.everywhere(job))
    return (yield from attempts(job) if job.left is None else remaining_attempts(job, job.left))


def attempts(job: JobExecution) -> Coroutine[Settled | None]:
    """From the first attempt to the last; gives how it was settled, or None when the last one succeeded."""
    return (yield from _until_settled(job, lambda: _new_attempt(job)))


def remaining_attempts(job: JobExecution, left: RecoveredJob) -> Coroutine[Settled | None]:
    """The same for a job that an earlier engine had begun and that was as ``left`` says."""
    at_work = left.state in (JobState.RUNNING, JobState.CHECKING, JobState.WAITING)
    # A rebuilt database has no mark for what has no process.
    known = left.mark is not None or job.identity.is_control
    if at_work and known and left.failure is None:
        return (yield from _until_settled(job, lambda: _taken_up(job, left)))
    return (yield from _until_settled(job, lambda: _gone_on(job, left)))


def _until_settled(
    job: JobExecution, first: Callable[[], Coroutine[Failure | Settled | None]]
) -> Coroutine[Settled | None]:
    outcome: Failure | Settled | None = yield from first()
    while isinstance(outcome, Failure):
        outcome = (yield from failure_handling.after(job.failures, outcome)) or (yield from _new_attempt(job))
    return outcome


def _gone_on(job: JobExecution, left: RecoveredJob) -> Coroutine[Failure | Settled | None]:
    """What an earlier engine was doing between two attempts, then the next one."""
    if left.failure is not None and left.failure.code == NO_WORKER.number:
        job.failures.where = yield from where_of(job)  # the worker may be there by now
        worker_refusal.limit_wait(job)
    return (yield from failure_handling.taken_up(job.failures, left)) or (yield from _new_attempt(job))


def _new_attempt(job: JobExecution) -> Coroutine[Failure | None]:
    job.attempt.number += 1
    job.attempt.ended_meanwhile = None
    if job.identity.is_control and not job.counted:
        yield from _while_paused(job.row, job.run.pause)
        return (yield from _attempt(Attempt(job), stages.all_of))
    slot: Claim | Failure | None = None
    while slot is None:
        yield from _while_kept_back(job)
        slot = yield from _slot(job)
    if isinstance(slot, Failure):
        job.attempt.number -= slot.code in NO_ATTEMPT
        return slot
    attempt = Attempt(job, slot)
    try:
        return (yield from _attempt(attempt, stages.all_of))
    finally:
        attempt.slot.close()


def _slot(job: JobExecution) -> Coroutine[Claim | Failure | None]:
    """Until it has a slot; gives the claim to it, the failure of a job that cannot have one, or None.

    None: its instance was paused while it waited, or it was held itself, which keeps its place in line.
    """
    job.failures.where = where = yield from where_of(job)
    claim = _claim(job, where)
    if job.identity.job.queue_timeout is None and job.services.workers.able(where):
        job.failures.accepted()  # it waits for a slot of one that is there: for ever
    job.row.to(JobState.QUEUED, Reason(Kind.SLOT))
    try:
        yield SlotWait(job.services.queue, claim, job.identity.job.queue_timeout)
    except Stopped as stopped:
        if stopped.kind == PAUSED:
            held = job.services.queue.holds.why(job.identity.id) is not None
            job.place_in_line = claim.order if held else job.place_in_line
            return None
        if stopped.kind not in ("removed", "queue_timeout", "refused"):
            raise
        if stopped.kind == "refused":
            job.place_in_line = claim.order
        return stopped.failure or failure_of(stopped)
    job.place_in_line = None
    job.failures.accepted()
    return claim


def _claim(job: JobExecution, where: Where = HERE) -> Claim:
    return job.claim(partial(worker_refusal.refusal_changed, job), where)


def _while_kept_back(job: JobExecution) -> Coroutine[None]:
    """While its instance is paused, or an operator holds the job itself."""
    holds, id = job.services.queue.holds, job.identity.id
    yield from _while_paused(job.row, job.run.pause)
    while (why := holds.why(id)) is not None:
        job.row.to(JobState.QUEUED, why)
        yield holds.wait(id, job)
        yield from _while_paused(job.row, job.run.pause)


def _while_paused(row: LiveJobRow, pause: InstancePause) -> Coroutine[None]:
    while (why := pause.why) is not None:
        row.to(JobState.QUEUED, of_job(why))
        yield pause.signal()


def _taken_up(job: JobExecution, left: RecoveredJob) -> Coroutine[Failure | None]:
    """The attempt that an earlier engine began; it has its slot without asking."""
    claim = None if job.identity.is_control and not job.counted else _claim(job)
    if claim is not None:
        claim.since -= left.spent(job.services.clock)
        job.services.queue.take(claim)
    attempt = Attempt(job, claim, left)
    try:
        return (yield from _attempt(attempt, partial(resumed_stages.rest_of, left=left)))
    finally:
        attempt.slot.close()


def _attempt(
    attempt: Attempt, work: Callable[[Attempt], Coroutine[Failure | None]]
) -> Coroutine[Failure | None]:
    """One attempt; gives None when it succeeded, else its failure. Stopped goes through, written down."""
    job = attempt.execution
    attempt.row.begin()
    timer = _time_limit(attempt.entry, attempt.row.began, job.interrupt)
    try:
        failure = yield from work(attempt)
    except SkerryError as error:
        failure = Failure.of(error)
    except Stopped as stopped:
        left = yield from attempt.stop_all(stopped)
        attempt.end(judging.stopped_state(stopped), stopped.failure or failure_of(stopped))
        if stopped.failure is None:
            raise
        job.failures.leaves(left)
        job.attempt.left_alive = bool(left.pids)
        return stopped.failure
    except Exception as error:  # unforeseen: its job fails with it, and nothing of it counts as running
        attempt.end(AttemptState.FAILED, Failure.of(unforeseen(error)))
        raise
    finally:
        if timer is not None:
            timer.cancel()
    attempt.end(judging.attempt_state(failure), failure)
    return failure


def _time_limit(entry: JobEntry, began: float, interrupt: Callable[[Stopped], None]) -> Timer | None:
    limit, services = entry.job.timeout, entry.services
    if limit is None:
        return None
    late = Failure.new(TIMED_OUT, "it took longer than its timeout of {seconds:g} s", seconds=limit)
    spent = services.clock.monotonic() - began
    return services.loop.later(max(limit - spent, 0.0), lambda: interrupt(Stopped("timed_out", failure=late)))
