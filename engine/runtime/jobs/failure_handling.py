"""What follows a failure: the retry of the job, a handling rule, recovery, or the end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.model.codes.processes import TIMED_OUT
from engine.model.codes.runtime import NOT_BEGUN
from engine.model.errors import Failure
from engine.model.reason import Kind, Reason
from engine.model.states import JobState
from engine.planning.recovery import Ask, Discard, Retry, decide
from engine.planning.retry import next_attempt
from engine.runtime.fibers import Coroutine
from engine.runtime.jobs import rule_actions
from engine.runtime.jobs.operator_answer import answered, asked
from engine.runtime.jobs.retry_delay import pause, rest_of_pause
from engine.runtime.jobs.stop_outcome import NO_ATTEMPT, WAITING_STATES, RetryNow, Settled, state_for
from engine.runtime.run_state import exceptions

if TYPE_CHECKING:
    from engine.runtime.jobs.execution import JobExecution
    from engine.runtime.run_state.job_rows import RecoveredJob


def after(job: JobExecution, failure: Failure) -> Coroutine[Settled | None]:
    """None when a new attempt is to be made now, else how the job ends (:class:`Settled`)."""
    exception = job.record(failure)
    own = _own_retry(job, failure)
    if own is not None:
        exceptions.handled(job.services, exception, "retry", f"tried again in {own:g} s")
        if failure.code not in NO_ATTEMPT:
            job.write_end(JobState.RETRYING, failure, job.services.now())
        which = {"attempt": job.attempt + 1 - job.never_begun, "of": job.job.retry.times + 1}
        return _plain((yield from pause(job, failure, own, Kind.RETRY, **which)))
    step = yield from rule_actions.applied(job, failure)
    return _plain(step or (yield from _recovered(job, failure)))


def _plain(step: RetryNow | Settled) -> Settled | None:
    return step if isinstance(step, Settled) else None


def _own_retry(job: JobExecution, failure: Failure) -> float | None:
    """Seconds until the job's own ``retry`` makes another attempt; None when it makes none."""
    if failure.code == NOT_BEGUN.number:
        job.never_begun += 1
        return 0.0
    if failure.code in NO_ATTEMPT:
        return None
    return next_attempt(job.job.retry, job.attempt - job.never_begun, failure)


# -- recovery --------------------------------------------------------------------------------------


def _recovered(job: JobExecution, failure: Failure) -> Coroutine[RetryNow | Settled]:
    trouble = trouble_of(failure)
    so_far = job.handling.recovery
    match decide(job.job.recovery, trouble, job.run.origin, so_far):
        case Retry(after=seconds):
            return (yield from _tried_again(job, failure, seconds, so_far + 1))
        case Discard():
            return _discarded(job, failure)
        case Ask():
            return (yield from _asks(job, failure, trouble))
    return Settled(state_for(failure), failure)


def trouble_of(failure: Failure) -> JobState:
    """The state that recovery decides about."""
    if failure.code == TIMED_OUT.number:  # an attempt that took too long has failed
        return JobState.FAILED
    return WAITING_STATES.get(failure.code, state_for(failure))


def _tried_again(job: JobExecution, failure: Failure, seconds: float, count: int) -> Coroutine[RetryNow]:
    limit = job.job.recovery.times
    job.handling = replace(job.handling, recovery=count)
    what = f"recovery {count} of {limit}: tried again in {seconds:g} s"
    exceptions.alert(job, "recovery_retry", "warning", failure, f"{_name(job)}: {failure.message}; {what}")
    exceptions.handled(job.services, job.exception, "recovery", what)
    return (yield from pause(job, failure, seconds, Kind.RECOVERY, count=count, of=limit))


def _discarded(job: JobExecution, failure: Failure) -> Settled:
    message = f"{_name(job)} is discarded: {failure.message}"
    exceptions.alert(job, "recovery_discard", "error", failure, message)
    exceptions.handled(job.services, job.exception, "recovery", "discarded")
    return Settled(JobState.DISCARDED, failure)


def _asks(job: JobExecution, failure: Failure, trouble: JobState) -> Coroutine[RetryNow | Settled]:
    exceptions.asks(job.services, job.exception, failure)
    message = f"{_name(job)}: {failure.message}; somebody has to decide"
    exceptions.alert(job, "recovery_ask", "warning", failure, message)
    if trouble not in WAITING_STATES.values():
        return Settled(state_for(failure), failure)
    return (yield from asked(job, failure, trouble, Reason.of(Kind.ASKS, message=failure.message)))


def _name(job: JobExecution) -> str:
    name = job.node if job.index is None else f"{job.node}[{job.index}]"
    return f"job {name!r} of instance {job.run.facts.id}"


# -- after a restart of the engine -----------------------------------------------------------------


def taken_up(job: JobExecution, left: RecoveredJob) -> Coroutine[Settled | None]:
    """The rest of what an earlier engine was doing about a failure; gives what ``after`` gives."""
    failure = left.failure
    if failure is None:
        return None
    if job.handling.remedy is not None:
        step = yield from rule_actions.rest_of_remedy(job, failure)
        return _plain(step or (yield from _recovered(job, failure)))
    if job.handling.asks:
        return _plain((yield from answered(job, failure)))
    return _plain((yield from rest_of_pause(job, failure, left.due)))
