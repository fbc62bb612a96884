"""Waiting for an operator: a job paused by a handling rule, or one that no worker can run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from engine.model.errors import Failure
from engine.model.reason import Kind, Reason
from engine.model.states import JobState
from engine.runtime.fibers import Coroutine, Signal
from engine.runtime.jobs.retry_delay import guarded, until_gone
from engine.runtime.jobs.stop_outcome import RETRY_NOW, RetryNow, Settled, state_for

if TYPE_CHECKING:
    from engine.runtime.jobs.execution import JobExecution

Word = Literal["retry", "skip", "succeed", "fail", "discard"]
WORDS: tuple[Word, ...] = ("retry", "skip", "succeed", "fail", "discard")


class Answer(NamedTuple):
    """What a person decided, and why."""

    word: Word
    reason: str
    actor: str


def asked(job: JobExecution, failure: Failure, state: JobState, why: Reason) -> Coroutine[RetryNow | Settled]:
    """Wait for the answer in ``state``; gives what is done then."""
    job.handling = replace(job.handling, asks=True)
    job.between(state, failure, why)
    return (yield from answered(job, failure))


def answered(job: JobExecution, failure: Failure) -> Coroutine[RetryNow | Settled]:
    """The wait itself, also after a restart of the engine."""
    signal = job.services.asking[job.id] = Signal()
    try:
        answer: Answer = yield from guarded(job, failure, signal)
    finally:
        job.services.asking.pop(job.id, None)
    job.handling = replace(job.handling, asks=False)
    step = _step(answer, failure)
    if isinstance(step, RetryNow):
        yield from until_gone(job, failure)
        job.between(job.state, None)
    return step


def _step(answer: Answer, failure: Failure) -> RetryNow | Settled:
    why = Reason.of(Kind.BY_HAND, note=answer.reason, by=answer.actor)
    match answer.word:
        case "retry":
            return RETRY_NOW
        case "skip":
            return Settled(JobState.SKIPPED, None, why)
        case "succeed":
            return Settled(JobState.SUCCEEDED, None, why)
        case "discard":
            return Settled(JobState.DISCARDED, failure, why)
    return Settled(state_for(failure), failure, why)
