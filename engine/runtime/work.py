"""The life of a job: attempts until one succeeds or there is no more reason to try (contract 2.2).

An attempt reads from top to bottom: parameters, resources, ready, process, (check,) results, end, judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from engine.model.codes.processes import TIMED_OUT
from engine.model.codes.runtime import CHECK_NEVER_HELD, NO_WORKER
from engine.model.errors import Failure, SkerryError
from engine.model.job import Job
from engine.model.states import AttemptState, JobState
from engine.planning.retry import next_attempt
from engine.plugins.job_type import CallType, ProgramType
from engine.runtime import calls, control, entry, needs, programs, results, verdicts
from engine.runtime.attempt import Attempt
from engine.runtime.fibers import Durable, Life, Sleep, Stopped
from engine.runtime.queue import Place

if TYPE_CHECKING:
    from engine.runtime.job import JobLife


def life(job: JobLife) -> Life:
    """From the first attempt to the last; gives the failure that stays, or None."""
    while True:
        job.attempt += 1
        failure: Failure | None = yield from _attempt_with_place(job)
        if failure is None:
            return None
        delay = next_attempt(job.job.retry, job.attempt, failure)
        if delay is None:
            return failure
        job.to(JobState.RETRYING, reason=f"tried again in {delay:g} s: {failure.message}")
        yield Sleep(delay)


def _attempt_with_place(job: JobLife) -> Life:
    if job.steers:
        return (yield from _attempt(job, Attempt(job, holds_place=False)))
    _somebody_can(job.job)
    job.to(JobState.QUEUED)
    run = job.run
    yield Place(
        job.house.queue,
        priority=job.priority,
        key=run.facts.id,
        limit=run.plan.task.limits.parallel,
        timeout=job.job.queue_timeout,
    )
    attempt = Attempt(job, holds_place=True)
    try:
        return (yield from _attempt(job, attempt))
    finally:
        attempt.give_place_back()


def _somebody_can(job: Job) -> None:
    """Only this machine runs jobs: another worker by name is not there."""
    if job.on.group is not None or (job.on.workers and not set(job.on.workers) & {"local", "any"}):
        wanted = job.on.group or ", ".join(job.on.workers or ())
        raise SkerryError(NO_WORKER, f"no worker {wanted!r}")


def _attempt(job: JobLife, attempt: Attempt) -> Life:
    """One attempt; gives None when it succeeded, else its failure. Stopped goes through, written down."""
    attempt.begin()
    try:
        with _time_limit(job):
            failure = yield from _stages(job, attempt)
    except SkerryError as error:
        failure = Failure.of(error)
    except Stopped as stopped:
        failure = _stopped(job, stopped)
        attempt.end(verdicts.stopped_state(stopped), failure)
        if stopped.kind == "attempt_timed_out":
            return failure
        raise
    attempt.end(AttemptState.FAILED if failure else AttemptState.SUCCEEDED, failure)
    return failure


def _stopped(job: JobLife, stopped: Stopped) -> Failure:
    if stopped.kind == "attempt_timed_out":
        return Failure(TIMED_OUT.number, f"it took longer than its timeout of {job.job.timeout:g} s")
    from engine.runtime.job import failure_of

    return failure_of(stopped)


@contextmanager
def _time_limit(job: JobLife) -> Iterator[None]:
    limit = job.job.timeout
    if limit is None:
        yield
        return
    timer = job.house.loop.later(limit, lambda: job.interrupt(Stopped("attempt_timed_out")))
    try:
        yield
    finally:
        timer.cancel()


def _stages(job: JobLife, attempt: Attempt) -> Life:
    """The three stages of the seed (004, 3.1.2); gives the failure or None."""
    kind = job.house.job_types[job.job.type]
    entry.open_entry(job)
    settings = entry.settings_of(job)
    resources = yield from needs.ready(job, needs.needed(job, settings))
    if not job.steers:
        codes = yield from programs.codes_of(job)
        yield Durable()
        attempt.prepare(codes)
    ready_failure = yield from programs.stage(job, attempt, "ready")
    if ready_failure is not None:
        return ready_failure
    done = yield from _process(kind, job, attempt, settings, resources)
    if job.job.mode == "async" and isinstance(kind, ProgramType):
        settled = yield from _later(job, attempt)
        if settled is not None:
            return settled
    problem = results.compute(job, attempt, done, (yield from needs.after(job)))
    end_failure = yield from programs.stage(job, attempt, "end")
    verdict = yield from verdicts.judge(job, attempt, done)
    return verdict or problem or end_failure


def _process(kind: Any, job: JobLife, attempt: Attempt, settings: Any, resources: Any) -> Life:
    if isinstance(kind, ProgramType):
        return (yield from programs.process(job, attempt, kind, settings))
    if isinstance(kind, CallType):
        return (yield from calls.process(job, attempt, kind, settings, resources))
    own = yield from control.body(job, settings)
    return results.Done(own)


def _later(job: JobLife, attempt: Attempt) -> Life:
    """An asynchronous job: its success is looked for now and then; None when it is there."""
    check = job.job.check
    if check is None:
        return None
    job.to(JobState.CHECKING, reason="its outcome is looked for later")
    yield Sleep(check.after)
    for tries in range(check.times):
        if tries:
            yield Sleep(check.every)
        if (yield from verdicts.all_hold(job, check.success, "check")):
            attempt.checked = True
            return None
    return Failure(CHECK_NEVER_HELD.number, f"not successful after {check.times} checks")
