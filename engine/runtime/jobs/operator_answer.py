"""Waiting for an operator: a job paused by a handling rule, or one that no worker can run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from engine.context.line import ENGINE
from engine.execution.outcomes import VOUCHED
from engine.model.codes.runtime import NO_WORKER
from engine.model.errors import Failure
from engine.model.reason import Kind, Reason
from engine.model.states import JobState
from engine.planning.worker_choice import Where
from engine.runtime.fibers import Coroutine, Signal
from engine.runtime.jobs.job_failures import JobFailures
from engine.runtime.jobs.retry_delay import guarded, until_gone
from engine.runtime.jobs.stop_outcome import RETRY_NOW, RetryNow, Settled, state_for

Word = Literal["retry", "skip", "succeed", "fail", "discard"]
WORKER_CAME = "a worker is there that can run it"
WORDS: tuple[Word, ...] = ("retry", "skip", "succeed", "fail", "discard")


class OperatorAnswer(NamedTuple):
    """What a person decided, and why."""

    word: Word
    reason: str
    actor: str


def asked(
    failures: JobFailures, failure: Failure, state: JobState, why: Reason
) -> Coroutine[RetryNow | Settled]:
    """Wait for the answer in ``state``; gives what is done then."""
    if failure.code == NO_WORKER.number and failures.where is not None:
        why = _no_worker(failures, failure, failures.where)
    failures.change(asks=True)
    failures.between(state, failure, why)
    return (yield from answered(failures, failure))


def answered(failures: JobFailures, failure: Failure) -> Coroutine[RetryNow | Settled]:
    """The wait itself, also after a restart of the engine."""
    asking, id = failures.services.asking, failures.entry.identity.id
    signal = asking[id] = Signal()
    unwatch = _when_a_worker_comes(failures, failure, signal)
    try:
        answer: OperatorAnswer = yield from guarded(failures, failure, signal)
    finally:
        unwatch()
        asking.pop(id, None)
    failures.change(asks=False)
    step = _step(answer, failure)
    if isinstance(step, RetryNow):
        yield from until_gone(failures, failure)
        failures.over()
    return step


def _when_a_worker_comes(failures: JobFailures, failure: Failure, signal: Signal) -> Callable[[], None]:
    """Nobody has to answer once a worker is there for what none was there for."""
    if failure.code != NO_WORKER.number:
        return lambda: None

    def there() -> None:
        failures.handled("engine", WORKER_CAME)
        signal.fire(OperatorAnswer("retry", WORKER_CAME, ENGINE))

    unwatch, where = failures.services.workers.watch(failures.where, there), failures.where
    if where is None:
        return unwatch
    said = _KeptTrue(failures, failure, where, signal)

    def over() -> None:
        unwatch()
        said.over()

    return over


def _no_worker(failures: JobFailures, failure: Failure, where: Where) -> Reason:
    found = failures.services.workers.obstacles(where).facts
    known = {name: found.get(name) for name in ("workers", "wanted")}
    return Reason.of(Kind.ASKS_FOR_WORKER, message=failure.message, **known)


class _KeptTrue:
    """Why each worker does not take it changes while it waits, and what is said of that follows."""

    def __init__(self, failures: JobFailures, failure: Failure, where: Where, signal: Signal) -> None:
        self._failures, self._failure, self._where, self._signal = failures, failure, where, signal
        self._said = _no_worker(failures, failure, where)
        self._watch()

    def _watch(self) -> None:
        self.over = self._failures.services.workers.watch(None, self._look)

    def _look(self) -> None:
        self._watch()
        if any(live.is_gone for live in self._failures.services.workers if live.name in self._where.within):
            self._failures.handled("engine", VOUCHED)
            return self._signal.fire(OperatorAnswer("retry", VOUCHED, ENGINE))
        row, now = self._failures.row, _no_worker(self._failures, self._failure, self._where)
        if now != self._said and not self._failures.services.workers.able(self._where):
            self._said = now
            row.to(row.state, now)


def _step(answer: OperatorAnswer, failure: Failure) -> RetryNow | Settled:
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
