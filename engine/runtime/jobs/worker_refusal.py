"""A job that its worker keeps refusing beyond the recovery delay: it waits on, is discarded, or asks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.model.codes.recovery import BUSY
from engine.model.errors import Failure
from engine.model.reason import Kind, Reason
from engine.model.reason_words import brief
from engine.model.states import JobState
from engine.planning.recovery import Ask, Discard, Retry, decide
from engine.runtime.fibers import Stopped
from engine.runtime.run_state import exceptions

if TYPE_CHECKING:
    from engine.runtime.jobs.execution import JobExecution


def refusal_changed(job: JobExecution, reason: Reason | None) -> None:
    """The queue's word: why the worker refuses the job, or (None) that it waits for a slot like others."""
    if reason is None:
        job.accepted()
        job.to(JobState.QUEUED, Reason(Kind.SLOT))
        return
    job.to(JobState.BUSY, reason)
    if not job.busy_watched:
        _watch(job, reason)


def _watch(job: JobExecution, reason: Reason) -> None:
    job.busy_watched = True
    job.services.loop.later(job.job.recovery.after, lambda: _still(job, reason))


def _still(job: JobExecution, reason: Reason) -> None:
    """It keeps its place in the queue whatever is decided, but for a discarded one."""
    job.busy_watched = False
    if job.state is not JobState.BUSY:
        return
    failure = Failure(BUSY.number, f"the worker refuses it: {brief(reason)}")
    match decide(job.job.recovery, JobState.BUSY, job.run.origin, so_far=0):  # waiting is no attempt
        case Retry():
            _waits_on(job, failure, reason)
        case Discard():
            job.interrupt(Stopped("refused", failure=failure))
        case Ask() if job.refused is None:
            job.refused = job.record(failure)
            exceptions.asks(job.services, job.refused, failure)
            job.to(JobState.BUSY, reason, handling=replace(job.handling, refused=job.refused).to_json())


def _waits_on(job: JobExecution, failure: Failure, reason: Reason) -> None:
    exception = job.record(failure)
    name = f"job {job.node!r} of instance {job.run.facts.id}"
    exceptions.alert(job, "recovery_retry", "warning", failure, f"{name}: {failure.message}; it waits on")
    exceptions.handled(job.services, exception, "recovery", "waits on")
    job.to(JobState.BUSY, reason, handling=replace(job.handling, exception=exception).to_json())
