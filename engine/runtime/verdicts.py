"""Whether an attempt succeeded: what was seen, brought before the pure judge (contract 2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.execution.outcomes import Exit, Lost, failure_of
from engine.model.codes.runtime import LOST, NOT_SUCCESSFUL, STATUS_SAYS_FAILED
from engine.model.errors import Failure
from engine.model.states import AttemptState
from engine.runtime import control
from engine.runtime.fibers import Life, Stopped
from engine.runtime.results import Done

if TYPE_CHECKING:
    from engine.runtime.attempt import Attempt
    from engine.runtime.job import JobLife


def judge(job: JobLife, attempt: Attempt, done: Done) -> Life:
    """Why the attempt failed, or None: a signal, then ``success``, then ``status``, then the exit status."""
    end = done.end
    if end is not None and (isinstance(end, Lost) or end.signal is not None or end.problem is not None):
        return failure_of(end, job.job.limits)
    if job.job.success is not None:
        held = yield from all_hold(job, job.job.success, "success")
        return None if held else Failure(NOT_SUCCESSFUL.number, "its success condition does not hold")
    written = attempt.folder.read_status() if attempt.folder is not None else None
    if written is not None:
        return None if written else Failure(STATUS_SAYS_FAILED.number, "it wrote another status than 1")
    if attempt.checked or not isinstance(end, Exit):
        return None
    return failure_of(end, job.job.limits)


def all_hold(job: JobLife, conditions: tuple[Any, ...], why: str) -> Life:
    """Whether every condition and resource holds."""
    for condition in conditions:
        if not (yield from control.truth(job, condition, why)):
            return False
    return True


def attempt_state(failure: Failure | None) -> AttemptState:
    """The state of an attempt that came to its own end."""
    if failure is None:
        return AttemptState.SUCCEEDED
    return AttemptState.LOST if failure.code == LOST.number else AttemptState.FAILED


def stopped_state(stopped: Stopped) -> AttemptState:
    """The state of an attempt that was ended from outside."""
    if stopped.kind in ("timed_out", "queue_timeout"):
        return AttemptState.TIMED_OUT
    return AttemptState.CANCELLED if stopped.kind == "cancelled" else AttemptState.FAILED
