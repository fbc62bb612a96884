"""Whether an attempt succeeded: what was observed, judged by the pure rules (contract 2.2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.execution.outcomes import Exit, Lost, failure_of
from engine.model.codes.runtime import LOST, NOT_SUCCESSFUL, STATUS_SAYS_FAILED
from engine.model.errors import Failure
from engine.model.job import Limits
from engine.model.states import AttemptState
from engine.planning.judge import JudgedBy, Seen
from engine.planning.judge import judge as rule
from engine.runtime.fibers import Coroutine, Stopped
from engine.runtime.jobs import control_jobs
from engine.runtime.jobs.attempt_files import AttemptFiles
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.jobs.questions import refused
from engine.runtime.jobs.results import Done
from engine.runtime.monitoring.output_guard import wrote_too_much


def judge(files: AttemptFiles, done: Done, *, checked: bool = False) -> Coroutine[Failure | None]:
    """Why the attempt failed, or None; the rules are those of ``engine.planning.judge``."""
    end, job, folder = done.end, files.entry.job, files.folder
    if isinstance(end, Lost) or (end is not None and end.problem is not None):
        return failure_of(end)
    if folder is not None and (failure := wrote_too_much(job.limits, folder.path)):
        return failure  # a program that was quicker than the samples
    signal = end.signal if end is not None else None
    held: bool | None = None
    if signal is None and job.success is not None:
        held = yield from all_hold(files.entry, job.success, "success")
    elif (refusal := refused(job.settings, done.own)) is not None:
        return refusal
    written = folder.read_status() if folder is not None else None
    seen = Seen(
        signal=signal,
        success=held,
        status=None if written is None else str(int(written)),
        check=True if checked else None,
        exit_code=end.code if end is not None else None,
    )
    verdict = rule(seen)
    failure = None if verdict.ok else _failure(job.limits, verdict.cause, end)
    return replace(failure, exit_status=end.code) if failure is not None and end is not None else failure


def _failure(limits: Limits, cause: JudgedBy, end: Exit | None) -> Failure | None:
    if cause is JudgedBy.SUCCESS:
        return Failure.new(NOT_SUCCESSFUL, "its success condition does not hold")
    if cause is JudgedBy.STATUS:
        return Failure.new(STATUS_SAYS_FAILED, "it wrote another status than 1")
    return failure_of(end, limits) if end is not None else None


def all_hold(entry: JobEntry, conditions: tuple[Any, ...], why: str) -> Coroutine[bool]:
    for condition in conditions:
        if not (yield from control_jobs.truth(entry, condition, why)):
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
    if stopped.kind == "cancelled":
        return AttemptState.CANCELLED
    return AttemptState.FAILED if stopped.failure is None else attempt_state(stopped.failure)
