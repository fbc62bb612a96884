"""The life of a job: attempts until one succeeds or there is no more reason to try (contract 2.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.model.codes.processes import TIMED_OUT
from engine.model.codes.runtime import NOT_BEGUN
from engine.model.errors import Failure, SkerryError
from engine.model.job import Job
from engine.model.states import JobState
from engine.planning.retry import next_attempt
from engine.runtime import stages, verdicts
from engine.runtime.attempt import Attempt
from engine.runtime.fibers import Life, Signal, Sleep, Stopped
from engine.runtime.queue import Place
from engine.runtime.stops import failure_of

if TYPE_CHECKING:
    from engine.runtime.job import JobLife

LOCAL = "local"  # the name of this machine as a worker


def life(job: JobLife) -> Life:
    """From the first attempt to the last; gives the failure that stays, or None."""
    return (yield from _until_settled(job, lambda: _new_attempt(job)))


def rest_of_life(job: JobLife, state: JobState, mark: str | None) -> Life:
    """The same for a job that an earlier engine had begun and whose state was ``state``."""
    under_way = state in (JobState.RUNNING, JobState.CHECKING, JobState.WAITING) and mark is not None
    first = (lambda: _taken_up(job, mark or "")) if under_way else (lambda: _new_attempt(job))
    return (yield from _until_settled(job, first))


def _until_settled(job: JobLife, first: Callable[[], Life]) -> Life:
    failure: Failure | None = yield from first()
    while failure is not None:
        begun = failure.code != NOT_BEGUN.number
        delay = next_attempt(job.job.retry, job.attempt, failure) if begun else 0.0
        if delay is None:
            return failure
        job.write_end(JobState.RETRYING, failure, job.house.now())
        job.to(JobState.RETRYING, reason=f"tried again in {delay:g} s: {failure.message}")
        yield Sleep(delay)
        failure = yield from _new_attempt(job)
    return None


def _new_attempt(job: JobLife) -> Life:
    job.attempt += 1
    if job.steers:
        return (yield from _attempt(job, Attempt(job, holds_place=False), stages.all_of))
    yield from _place(job)
    attempt = Attempt(job, holds_place=True)
    try:
        return (yield from _attempt(job, attempt, stages.all_of))
    finally:
        attempt.give_place_back()


def _place(job: JobLife) -> Life:
    if not _somebody_can(job.job):
        wanted = job.job.on.group or ", ".join(job.job.on.workers or ())
        job.to(JobState.NO_WORKER, reason=f"there is no worker {wanted!r}")
        yield Signal()  # until somebody cancels it
    job.to(JobState.QUEUED, reason="waits for a place")
    yield Place(
        job.house.queue,
        priority=job.priority,
        key=job.run.facts.id,
        limit=job.run.plan.task.limits.parallel,
        timeout=job.job.queue_timeout,
    )


def _somebody_can(job: Job) -> bool:
    """Only this machine runs jobs yet."""
    return job.on.group is None and (not job.on.workers or LOCAL in job.on.workers)


def _taken_up(job: JobLife, mark: str) -> Life:
    """The attempt that an earlier engine began; it has its place without asking."""
    holds = not job.steers and not job.asynchronous
    if holds:
        job.house.queue.take(job.run.facts.id)
    attempt = Attempt(job, holds_place=holds, mark=mark)
    try:
        return (yield from _attempt(job, attempt, stages.rest_of))
    finally:
        attempt.give_place_back()


def _attempt(job: JobLife, attempt: Attempt, work: Callable[[JobLife, Attempt], Life]) -> Life:
    """One attempt; gives None when it succeeded, else its failure. Stopped goes through, written down."""
    attempt.begin()
    try:
        with _time_limit(job):
            failure = yield from work(job, attempt)
    except SkerryError as error:
        failure = Failure.of(error)
    except Stopped as stopped:
        attempt.end(verdicts.stopped_state(stopped), stopped.failure or failure_of(stopped))
        if stopped.failure is None:
            raise
        job.run.remaining.extend(stopped.remaining)
        return stopped.failure
    attempt.end(verdicts.attempt_state(failure), failure)
    return failure


@contextmanager
def _time_limit(job: JobLife) -> Iterator[None]:
    limit = job.job.timeout
    if limit is None:
        yield
        return
    late = Failure(TIMED_OUT.number, f"it took longer than its timeout of {limit:g} s")
    timer = job.house.loop.later(limit, lambda: job.interrupt(Stopped("timed_out", failure=late)))
    try:
        yield
    finally:
        timer.cancel()
