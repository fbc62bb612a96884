"""The life of a job: attempts until one succeeds or there is no more reason to try (contract 2.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
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
from engine.runtime.house import iso
from engine.runtime.queue import Claim, Place
from engine.runtime.stops import failure_of

if TYPE_CHECKING:
    from engine.runtime.job import JobLife, LeftOver

LOCAL = "local"  # the name of this machine as a worker


def life(job: JobLife) -> Life:
    """From the first attempt to the last; gives the failure that stays, or None."""
    return (yield from _until_settled(job, lambda: _new_attempt(job)))


def rest_of_life(job: JobLife, left: LeftOver) -> Life:
    """The same for a job that an earlier engine had begun and that stood as ``left`` tells."""
    if left.state in (JobState.RUNNING, JobState.CHECKING, JobState.WAITING) and left.mark is not None:
        return (yield from _until_settled(job, lambda: _taken_up(job, left)))
    due = left.due if left.state is JobState.RETRYING else None
    return (yield from _until_settled(job, lambda: _rest_of_pause(job, due)))


def _until_settled(job: JobLife, first: Callable[[], Life]) -> Life:
    failure: Failure | None = yield from first()
    while failure is not None:
        begun = failure.code != NOT_BEGUN.number
        job.never_begun += not begun
        delay = next_attempt(job.job.retry, job.attempt - job.never_begun, failure) if begun else 0.0
        if delay is None:
            return failure
        job.write_end(JobState.RETRYING, failure, job.house.now())
        yield from _pause(job, delay, failure.message)
        failure = yield from _new_attempt(job)
    return None


def _pause(job: JobLife, delay: float, why: str) -> Life:
    due = job.house.clock.now() + timedelta(seconds=delay)
    job.to(JobState.RETRYING, reason=f"tried again in {delay:g} s: {why}", due_at=iso(due))
    yield Sleep(delay)


def _rest_of_pause(job: JobLife, due: str | None) -> Life:
    """The next attempt of a job whose pause began under an earlier engine."""
    if due is not None:
        left = datetime.fromisoformat(due) - job.house.clock.now()
        yield Sleep(max(left.total_seconds(), 0.0))
    return (yield from _new_attempt(job))


def _new_attempt(job: JobLife) -> Life:
    job.attempt += 1
    if job.steers:
        return (yield from _attempt(job, Attempt(job), stages.all_of))
    claim = job.claim()
    removed: Failure | None = yield from _place(job, claim)
    if removed is not None:
        return removed
    attempt = Attempt(job, claim)
    try:
        return (yield from _attempt(job, attempt, stages.all_of))
    finally:
        attempt.give_place_back()


def _place(job: JobLife, claim: Claim) -> Life:
    """Until it has a place; gives the failure of a job that was taken out of the queue, else None."""
    if not _somebody_can(job.job):
        wanted = job.job.on.group or ", ".join(job.job.on.workers or ())
        job.to(JobState.NO_WORKER, reason=f"there is no worker {wanted!r}")
        yield Signal()  # until somebody cancels it
    job.to(JobState.QUEUED, reason="waits for a place")
    try:
        yield Place(job.house.queue, claim, job.job.queue_timeout)
    except Stopped as stopped:
        if stopped.kind != "removed":
            raise
        return stopped.failure
    return None


def _somebody_can(job: Job) -> bool:
    """Only this machine runs jobs yet."""
    return job.on.group is None and (not job.on.workers or LOCAL in job.on.workers)


def _taken_up(job: JobLife, left: LeftOver) -> Life:
    """The attempt that an earlier engine began; it has its place without asking."""
    claim = None if job.steers or job.asynchronous else job.claim()
    if claim is not None:
        claim.since -= left.spent(job.house.clock.now())
        job.house.queue.take(claim)
    attempt = Attempt(job, claim, left=left)
    try:
        return (yield from _attempt(job, attempt, stages.rest_of))
    finally:
        attempt.give_place_back()


def _attempt(job: JobLife, attempt: Attempt, work: Callable[[JobLife, Attempt], Life]) -> Life:
    """One attempt; gives None when it succeeded, else its failure. Stopped goes through, written down."""
    attempt.begin()
    try:
        with _time_limit(job, attempt):
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
def _time_limit(job: JobLife, attempt: Attempt) -> Iterator[None]:
    limit = job.job.timeout
    if limit is None:
        yield
        return
    late = Failure(TIMED_OUT.number, f"it took longer than its timeout of {limit:g} s")
    spent = job.house.clock.monotonic() - attempt.began
    timer = job.house.loop.later(
        max(limit - spent, 0.0), lambda: job.interrupt(Stopped("timed_out", failure=late))
    )
    try:
        yield
    finally:
        timer.cancel()
