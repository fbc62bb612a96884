"""The delay between two attempts, and the certainty that no process of the earlier one is alive."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from engine.execution.host import UNKNOWN
from engine.model.codes.runtime import LOST, NO_WORKER
from engine.model.errors import Failure
from engine.model.reason import Kind, Reason
from engine.model.states import JobState
from engine.runtime.elapsed import iso
from engine.runtime.fibers import Awaited, Coroutine, Fiber, Offload, Sleep, Stopped
from engine.runtime.jobs.job_failures import JobFailures, LatestAttempt
from engine.runtime.jobs.process_wait import stop
from engine.runtime.jobs.stop_outcome import RETRY_NOW, WAITING_STATES, RetryNow

_LOOK = 0.5, 60.0  # seconds: how soon, and how late at most, a living tree is looked at again


def pause(
    failures: JobFailures, failure: Failure, seconds: float, kind: Kind, **facts: Any
) -> Coroutine[RetryNow]:
    """Wait, then let a new attempt be made; a restart of the engine in between changes nothing.

    The reason is of this kind: ``facts`` with the message of the failure, and when it is tried again.
    """
    services, failed = failures.services, failure.message
    due = services.clock.now() + timedelta(seconds=seconds)
    state = WAITING_STATES.get(failure.code, JobState.RETRYING)
    failures.begins_to_wait(seconds)
    facts = {"seconds": seconds, "message": failed, "at": services.local(due), **facts}
    failures.between(state, failure, Reason.of(kind, **facts), iso(due))
    return (yield from _rest(failures, failure, seconds))


def rest_of_pause(failures: JobFailures, failure: Failure, due: str | None) -> Coroutine[RetryNow]:
    """What is left of a pause that began under an earlier engine."""
    return (yield from _rest(failures, failure, failures.still_waits(due)))


def _rest(failures: JobFailures, failure: Failure, seconds: float) -> Coroutine[RetryNow]:
    wait = Sleep(seconds) if failure.code != NO_WORKER.number else _WorkerComes(failures, seconds)
    yield from guarded(failures, failure, wait)
    yield from until_gone(failures, failure)
    failures.over()
    return RETRY_NOW


class _WorkerComes(Awaited):
    """For so many seconds, or until a worker is there for what none was there for."""

    def __init__(self, failures: JobFailures, seconds: float) -> None:
        self._failures = failures
        self._seconds = seconds

    def begin(self, fiber: Fiber) -> None:
        self._ended = False
        services = self._failures.services
        self._timer = services.loop.later(self._seconds, lambda: self._end(fiber))
        self._unwatch = services.workers.watch(self._failures.where, lambda: self._end(fiber))

    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        self._stopped = stopped
        self._end(fiber)

    def _end(self, fiber: Fiber) -> None:
        if not self._ended:
            self._ended = True
            self._timer.cancel()
            fiber.loop.soon(lambda: self._gone_on(fiber))

    def _gone_on(self, fiber: Fiber) -> None:
        self._unwatch()
        self._over(fiber)


def guarded(failures: JobFailures, failure: Failure, wait: Awaited) -> Coroutine[Any]:
    """``value = yield from guarded(…)``: a wait between two attempts.

    When the job is stopped meanwhile, what is left of its earlier attempt is stopped too.
    """
    try:
        return (yield wait)
    except Stopped as stopped:
        if _may_live(failures.attempt, failure):
            stopped.left = yield from stop(failures.entry, failures.attempt.mark or "")
        raise


def until_gone(failures: JobFailures, failure: Failure) -> Coroutine[None]:
    """Wait until no process of the earlier attempt lives; says so meanwhile."""
    if not _may_live(failures.attempt, failure):
        return
    soonest, latest = _LOOK
    look = min(max(failures.entry.job.recovery.after, soonest), latest)
    services, folder, host = failures.services, failures.entry.directory_text, failures.entry.host
    mark = failures.attempt.mark or ""
    while pids := (yield Offload(lambda: host.living([(folder, mark)]), lane=host.facts.name)):
        due = services.clock.now() + timedelta(seconds=look)
        at = services.local(due)
        why = Reason.of(Kind.PROCESSES_LIVE, pids=list(pids), at=at)
        if UNKNOWN in pids:
            why = Reason.of(Kind.MAY_LIVE, worker=host.facts.name, at=at)
        failures.between(failures.row.state, failure, why, iso(due))
        yield from guarded(failures, failure, Sleep(look))


def _may_live(attempt: LatestAttempt, failure: Failure) -> bool:
    return attempt.mark is not None and (failure.code == LOST.number or attempt.left_alive)
