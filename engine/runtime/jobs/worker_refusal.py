"""A job that its worker keeps refusing beyond the recovery delay: it waits on, is discarded, or asks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.execution.outcomes import VOUCHED
from engine.model.codes.recovery import BUSY
from engine.model.codes.runtime import LOST, NO_WORKER
from engine.model.codes.workers import NO_WORKER_IN_TIME
from engine.model.errors import Failure
from engine.model.message import Message
from engine.model.reason import Kind, Reason
from engine.model.reason_words import message_of, sentences
from engine.model.states import JobState
from engine.planning.recovery import Ask, Discard, RetryAgain, decide
from engine.runtime.fibers import Stopped
from engine.runtime.jobs.execution import JobExecution
from engine.runtime.jobs.job_failures import JobFailures


def refusal_changed(job: JobExecution, reason: Reason | None) -> None:
    """The queue's word: why the worker refuses the job, or (None) that it waits for a slot like others."""
    if reason is None:
        job.failures.accepted()
        job.row.to(JobState.QUEUED, Reason(Kind.SLOT))
        return
    if reason.kind is Kind.NO_WORKER:
        return _nobody(job, reason)
    job.row.to(JobState.BUSY, reason)
    failures, after = job.failures, job.identity.job.recovery.after
    failures.refusal = reason
    if failures.watch is None:
        failures.watch = job.services.loop.later(after, lambda: _still(job))


def _nobody(job: JobExecution, reason: Reason) -> None:
    """No worker is there for it: what follows is recovery's, until one comes or the time for that is up."""
    if is_lost_with_worker(job.outer):
        return
    limit_wait(job)
    failure = Failure.new(NO_WORKER, "it waits: {message}", message=message_of(reason))
    job.interrupt(Stopped("refused", failure=failure))


def is_lost_with_worker(job: JobExecution | None) -> bool:
    """Whether its attempt, or one that it is a part of, was under way on a worker that is gone: lost."""
    while job is not None:
        if job.entry.is_on_gone_worker:
            job.interrupt(Stopped("limit", failure=Failure.new(LOST, VOUCHED)))
            return True
        job = job.outer
    return False


def limit_wait(job: JobExecution) -> None:
    """From now on it waits for a worker: as long as its ``queue_timeout``, without one its ``timeout``."""
    definition, failures = job.identity.job, job.failures
    limit = definition.timeout if definition.queue_timeout is None else definition.queue_timeout
    if limit is not None and failures.patience is None:
        failures.patience = job.services.loop.later(limit, lambda: _too_long(job, limit))


def _too_long(job: JobExecution, limit: float) -> None:
    job.failures.patience = None
    job.failures.handled("engine", "no worker came in time")
    failure = Failure.new(NO_WORKER_IN_TIME, "no worker was there for {seconds:g} s", seconds=limit)
    job.interrupt(Stopped("no_worker", failure=failure))


def _still(job: JobExecution) -> None:
    """It stays in the queue whatever is decided, but for a discarded one."""
    failures, reason = job.failures, job.failures.refusal
    failures.watch = None
    if job.row.state is not JobState.BUSY or reason is None:
        return
    why = Message.of(sentences()[reason.kind].brief, **reason.facts)
    failure = Failure.new(BUSY, "the worker refuses it: {message}", message=why)
    match decide(
        job.identity.job.recovery, JobState.BUSY, job.run.facts.origin, so_far=0
    ):  # waiting is no attempt
        case RetryAgain():
            _waits_on(failures, failure, reason)
        case Discard():
            job.interrupt(Stopped("refused", failure=failure))
        case Ask() if failures.refused is None:
            failures.record(failure)
            failures.asks(failure)
            failures.refused = refused = failures.exception
            _write(failures, reason, refused=refused)


def _waits_on(failures: JobFailures, failure: Failure, reason: Reason) -> None:
    failures.record(failure)
    failures.alert("recovery_retry", "warning", failure, "{job}: {message}; it waits on")
    failures.handled("recovery", "waits on")
    _write(failures, reason, exception=failures.exception)


def _write(failures: JobFailures, reason: Reason, **fields: Any) -> None:
    handling = replace(failures.handling, **fields).to_json()
    failures.row.to(JobState.BUSY, reason, handling=handling)
