"""What follows a failure: the retry of the job, a handling rule, recovery, or the end."""

from __future__ import annotations

from engine.model.codes.jobs import REJECTED
from engine.model.codes.processes import TIMED_OUT
from engine.model.errors import Failure
from engine.model.message import Message
from engine.model.names import is_handler
from engine.model.reason import Kind, Reason
from engine.model.states import JobState
from engine.planning.recovery import Ask, Discard, RetryAgain, decide, next_attempt
from engine.runtime.fibers import Coroutine
from engine.runtime.jobs import rule_actions
from engine.runtime.jobs.job_failures import JobFailures
from engine.runtime.jobs.operator_answer import answered, asked
from engine.runtime.jobs.retry_delay import pause, rest_of_pause
from engine.runtime.jobs.stop_outcome import NO_ATTEMPT, WAITING_STATES, RetryNow, Settled, state_for
from engine.runtime.run_state.job_rows import UNBEGUN, RecoveredJob


def after(failures: JobFailures, failure: Failure) -> Coroutine[Settled | None]:
    """None when a new attempt is to be made now, else how the job ends (:class:`Settled`)."""
    failures.record(failure)
    if failure.code == REJECTED.number:
        return Settled(state_for(failure), failure)  # asking again is for a person to order
    own = _own_retry(failures, failure)
    if own is not None:
        failures.handled("retry", Message.of("tried again in {seconds:g} s", seconds=own))
        if failure.code not in NO_ATTEMPT:
            failures.entry.write_end(JobState.RETRYING, failure, failures.services.now())
        counted = failures.attempt.number - failures.attempt.never_begun
        which = {"attempt": counted + 1, "of": failures.entry.job.retry.times + 1}
        return _plain((yield from pause(failures, failure, own, Kind.RETRY, **which)))
    if is_handler(failures.entry.identity.node) and failures.entry.job.recovery.strategy is None:
        return Settled(state_for(failure), failure)  # nobody is asked: it ends, with an alert
    step = yield from rule_actions.applied(failures, failure)
    return _plain(step or (yield from _recovered(failures, failure)))


def _plain(step: RetryNow | Settled) -> Settled | None:
    return step if isinstance(step, Settled) else None


def _own_retry(failures: JobFailures, failure: Failure) -> float | None:
    """Seconds until the job's own ``retry`` makes another attempt; None when it makes none."""
    if failure.code in UNBEGUN:
        failures.attempt.never_begun += 1
        return 0.0
    if failure.code in NO_ATTEMPT:
        return None
    counted = failures.attempt.number - failures.attempt.never_begun
    return next_attempt(failures.entry.job.retry, counted, failure)


# -- recovery --------------------------------------------------------------------------------------


def _recovered(failures: JobFailures, failure: Failure) -> Coroutine[RetryNow | Settled]:
    trouble = trouble_of(failure)
    so_far = failures.handling.recovery
    match decide(failures.entry.job.recovery, trouble, failures.run.facts.origin, so_far):
        case RetryAgain(after=seconds):
            return (yield from _tried_again(failures, failure, seconds, so_far + 1))
        case Discard():
            return _discarded(failures, failure)
        case Ask():
            return (yield from _asks(failures, failure, trouble))
    return Settled(state_for(failure), failure)


def trouble_of(failure: Failure) -> JobState:
    """The state that recovery decides about."""
    if failure.code == TIMED_OUT.number:  # an attempt that took too long has failed
        return JobState.FAILED
    return WAITING_STATES.get(failure.code, state_for(failure))


def _tried_again(failures: JobFailures, failure: Failure, seconds: float, count: int) -> Coroutine[RetryNow]:
    limit = failures.entry.job.recovery.times
    failures.change(recovery=count)
    template = "recovery {count} of {limit}: tried again in {seconds:g} s"
    what = Message.of(template, count=count, limit=limit, seconds=seconds)
    if not failures.goes_on:
        failures.alert("recovery_retry", "warning", failure, "{job}: {message}; {what}", what=what)
    failures.handled("recovery", what)
    return (yield from pause(failures, failure, seconds, Kind.RECOVERY, count=count, of=limit))


def _discarded(failures: JobFailures, failure: Failure) -> Settled:
    failures.alert("recovery_discard", "error", failure, "{job} is discarded: {message}")
    failures.handled("recovery", "discarded")
    return Settled(JobState.DISCARDED, failure)


def _asks(failures: JobFailures, failure: Failure, trouble: JobState) -> Coroutine[RetryNow | Settled]:
    failures.asks(failure)
    if not failures.goes_on:
        failures.alert("recovery_ask", "warning", failure, "{job}: {message}; a decision is needed")
    if trouble not in WAITING_STATES.values():
        return Settled(state_for(failure), failure)
    return (yield from asked(failures, failure, trouble, Reason.of(Kind.ASKS, message=failure.message)))


# -- after a restart of the engine -----------------------------------------------------------------


def taken_up(failures: JobFailures, left: RecoveredJob) -> Coroutine[Settled | None]:
    """The rest of what an earlier engine was doing about a failure; gives what ``after`` gives."""
    failure = left.failure
    if failure is None:
        return None
    if failures.handling.remedy is not None:
        step = yield from rule_actions.rest_of_remedy(failures, failure)
        return _plain(step or (yield from _recovered(failures, failure)))
    if failures.handling.asks:
        return _plain((yield from answered(failures, failure)))
    return _plain((yield from rest_of_pause(failures, failure, left.due)))
