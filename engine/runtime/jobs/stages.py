"""The stages of one attempt in the order of the contract (2.2), from the beginning or where it was.

Parameters, resources, ready, process, (check,) results, end, judged.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from engine.execution.adopt import RESTARTED
from engine.execution.child import LOOK_AGAIN, Child
from engine.execution.outcomes import Exit, Lost, failure_of
from engine.model.codes.runtime import CHECK_NEVER_HELD, LOST, NOT_BEGUN
from engine.model.errors import Failure
from engine.model.job import STAGES, Job, JobKeys, StageName
from engine.model.reason import Kind, Reason
from engine.model.states import JobState
from engine.plugins.job_type import CallType, ProgramType
from engine.runtime.fibers import Awaited, Coroutine, Durable, Signal, Sleep, Stopped
from engine.runtime.jobs import (
    attempt_entry,
    calls,
    control_jobs,
    judging,
    programs,
    resource_checks,
    results,
)
from engine.runtime.jobs.process_wait import Process
from engine.runtime.jobs.results import Done

if TYPE_CHECKING:
    from engine.runtime.jobs.attempt import Attempt


def all_of(attempt: Attempt) -> Coroutine[Failure | None]:
    """The whole attempt; gives its failure or None."""
    yield from attempt_entry.open_entry(attempt.entry, attempt.number, attempt.made)
    settings = yield from attempt_entry.settings_of(attempt.entry)
    resources = yield from resource_checks.ready(attempt.entry, resource_checks.needed(attempt.job, settings))
    if not attempt.identity.is_control:
        codes = yield from programs.codes_of(attempt)
        attempt.announce()
        yield Durable()
        yield from programs.with_room(attempt.entry.run, lambda: attempt.prepare(codes))
    failure = yield from programs.stage(attempt, "ready")
    if failure is not None:
        return failure
    done = yield from _process(attempt, settings, resources)
    return (yield from _after_process(attempt, done))


def _process(attempt: Attempt, settings: JobKeys, resources: Any) -> Coroutine[Done]:
    kind = attempt.identity.kind
    if isinstance(kind, ProgramType):
        return (yield from programs.process(attempt, kind, settings))
    if isinstance(kind, CallType):
        return (yield from calls.process(attempt, kind, settings, resources))
    own = yield from control_jobs.body(attempt, settings)
    return Done(own)


def _after_process(attempt: Attempt, done: Done) -> Coroutine[Failure | None]:
    if attempt.identity.asynchronous:
        failure = yield from _attended(attempt)
        if failure is not None:
            return failure
        done = programs.ended_meanwhile(attempt)
    problem = yield from _results(attempt, done)
    if attempt.job.end is not None:
        yield Durable()  # when the end stage is found begun after a restart, the results are there
    end_failure = yield from programs.stage(attempt, "end")
    verdict = yield from judging.judge(attempt, done)
    return verdict or problem or _counting(attempt.job, end_failure)


def _results(attempt: Attempt, done: Done) -> Coroutine[Failure | None]:
    answers = yield from resource_checks.after(attempt.entry)
    return (yield from results.compute(attempt, done, answers))


def _counting(job: Job, end: Failure | None) -> Failure | None:
    """A failed end stage counts unless the job says itself what its success is: that decides alone."""
    return end if job.success is None else None


def _attended(attempt: Attempt) -> Coroutine[Failure | None]:
    """The check of an asynchronous job; one that is given up does not go on by itself."""
    try:
        failure = yield from _look_later(attempt)
    except Stopped as stopped:
        stopped.left = yield from programs.stop(attempt)
        raise
    if failure is not None:
        attempt.leaves((yield from programs.stop(attempt)))
    return failure


def _look_later(attempt: Attempt) -> Coroutine[Failure | None]:
    """An asynchronous job: its success is checked now and then; None when it holds."""
    check, services = attempt.job.check, attempt.services
    if check is None:
        return None
    attempt.entry.set(("STATUS",), str(JobState.CHECKING))
    for number in range(1, check.times + 1):
        delay = check.after if number == 1 else check.every
        at = services.local(services.clock.now() + timedelta(seconds=delay))
        attempt.row.to(JobState.CHECKING, Reason.of(Kind.CHECK, at=at, check=number, of=check.times))
        yield Sleep(delay)
        if (yield from judging.all_hold(attempt.entry, check.success, "check")):
            attempt.checked = True
            return None
    return Failure(CHECK_NEVER_HELD.number, f"not successful after {check.times} checks")


# -- after a restart of the engine -----------------------------------------------------------------


def rest_of(attempt: Attempt) -> Coroutine[Failure | None]:
    """What is left of an attempt that an earlier engine began; gives its failure or None."""
    attempt_entry.reopen(attempt.entry)
    if not attempt.identity.is_control:
        attempt.take_up()
    if attempt.has_made("end.0"):
        return (yield from _rest_of_end(attempt))
    if attempt.identity.is_control:
        return (yield from _rest_of_control(attempt))
    if not isinstance(attempt.identity.kind, ProgramType) and attempt.state is not JobState.WAITING:
        return (yield from _unless_stopped(attempt, _at_work()))
    return (yield from _rest_of_program(attempt))


def _rest_of_end(attempt: Attempt) -> Coroutine[Failure | None]:
    """What it was for is done: it is neither waited for nor limited, checked or stopped again.

    The jobs of its end stage go on before anything else: they have slots, which others must not get.
    """
    failure = yield from programs.stage(attempt, "end")
    if attempt.of_earlier_boot and not attempt.identity.is_control:
        return _lost(RESTARTED)
    done = _left(attempt)
    attempt.checked = attempt.identity.asynchronous and attempt.job.check is not None
    problem = yield from _results(attempt, done)
    verdict = yield from judging.judge(attempt, done)
    return verdict or problem or _counting(attempt.job, failure)


def _left(attempt: Attempt) -> Done:
    """What its work left whose end an earlier engine saw."""
    if attempt.identity.asynchronous:
        found = _look_for(attempt, "process", 0)
        return programs.left_alone(attempt, found) if found is not None else Done()
    process = attempt.job.process
    if isinstance(attempt.identity.kind, ProgramType) and (process is None or process.kind != "class"):
        return programs.done(attempt, attempt.recorded("process"))
    return Done(control_jobs.recorded(attempt))


def _rest_of_control(attempt: Attempt) -> Coroutine[Failure | None]:
    """Its stages are jobs of their own: those that have ended are not run again."""
    if not attempt.has_made("0"):  # what comes after the ready stage takes its slot at once
        failure = yield from programs.stage(attempt, "ready")
        if failure is not None:
            return failure
    own = yield from control_jobs.body(attempt, (yield from attempt_entry.settings_of(attempt.entry)))
    return (yield from _after_process(attempt, Done(own)))


def _rest_of_program(attempt: Attempt) -> Coroutine[Failure | None]:
    if attempt.of_earlier_boot:
        return (yield from _after_restart(attempt))
    stage = next((stage for stage in reversed(STAGES) if attempt.has_started(stage)), None)
    if stage is None and _has_ready_jobs(attempt):
        return (yield from _from_ready_on(attempt))
    if attempt.record_lost:
        return (yield from _unless_stopped(attempt, _lost("the record of its start is damaged")))
    if stage is None:
        called = attempt.folder is not None and _is_called(attempt.job, stage)
        return (yield from _unless_stopped(attempt, _at_work() if called else _not_begun()))
    found = yield from _adopted(attempt, stage)
    if isinstance(found, Lost) and not found.begun:
        attempt.forget(stage)
        return (yield from _rest_of_program(attempt))
    if attempt.to_be_stopped and not isinstance(found, Child):
        yield from _or_stopped(attempt, Signal())  # never fired: the stop follows in this very turn
    if attempt.identity.asynchronous and stage == "process":
        return (yield from _after_process(attempt, programs.left_alone(attempt, found)))
    for later in ("process", "end"):
        attempt.forget_torn(later)
    end = (yield from _end_of(attempt, found)) if isinstance(found, Child) else found
    if (
        end is found
        and isinstance(end, Exit)
        and (stage == "end" or attempt.job.end is None)
        and stage != "ready"
    ):
        attempt.ended_at(stage)
    if end is found and isinstance(end, Exit) and end.signal is not None:
        attempt.leaves((yield from programs.stop(attempt)))
        yield Durable()  # its timeout, if that was it, interrupts here
    if isinstance(end, Lost):
        return failure_of(end)
    if stage == "ready" and isinstance(found, Exit) and found.code == 0 and _is_called(attempt.job, stage):
        return _at_work()
    if stage == "ready":
        return (yield from _from_process_on(attempt, end))
    if stage == "process":
        return (yield from _after_process(attempt, programs.done(attempt, end)))
    earlier = attempt.recorded("process")
    verdict = yield from judging.judge(attempt, programs.done(attempt, earlier))
    return verdict or _counting(attempt.job, programs.in_stage("end", failure_of(end, attempt.job.limits)))


def _adopted(attempt: Attempt, stage: StageName) -> Coroutine[Child | Exit | Lost]:
    """What became of its process, once that can be known."""
    looks = 0
    while (found := _look_for(attempt, stage, looks)) is None:
        looks += 1
        yield from _or_stopped(attempt, Sleep(LOOK_AGAIN))
    return found


def _look_for(attempt: Attempt, stage: StageName, looks: int) -> Child | Exit | Lost | None:
    return attempt.services.processes.adopt(attempt.directory.path, stage, attempt.mark, looks=looks)


def _at_work() -> Failure:
    return _lost("the engine ended while it was at work")


def _lost(why: str) -> Failure:
    """Not to be tried again by the job's own retry: that is for what is known to have failed."""
    return Failure(LOST.number, why, LOST.retryable)


def _not_begun() -> Failure:
    return Failure(NOT_BEGUN.number, "the engine ended before it was started")


def _is_called(job: Job, reached: StageName | None) -> bool:
    """Whether what comes next is a call, which leaves no record of its start."""
    ready, process = job.ready, job.process
    if reached is None and ready is not None and ready.kind not in ("group", "task"):
        return ready.kind == "class"
    return process is not None and process.kind == "class"


# -- after a restart of the machine ----------------------------------------------------------------


def _after_restart(attempt: Attempt) -> Coroutine[Failure | None]:
    """Nothing of it lives, and a file that is empty or missing proves nothing: the power may have failed.

    What is certain is in the store, or is an end that was written down with everything it left.
    """
    if not attempt.announced:
        return (yield from _unless_stopped(attempt, _not_begun()))
    if attempt.to_be_stopped:
        if attempt.has_made("ready.0"):
            yield from programs.stage(attempt, "ready")  # its jobs have outcomes of their own
        return (yield from _unless_stopped(attempt, _lost(RESTARTED)))
    if attempt.state is JobState.CHECKING:
        return (yield from _after_process(attempt, Done()))
    if attempt.state is JobState.WAITING:
        codes = yield from programs.codes_of(attempt)
        yield from programs.with_room(attempt.entry.run, lambda: attempt.remake(codes))
        return (yield from _from_ready_on(attempt))
    end = attempt.end_of_process()
    if attempt.identity.asynchronous or end is None:
        return _lost(RESTARTED)
    attempt.ended_at("process")
    return (yield from _after_process(attempt, programs.done(attempt, end)))


def _unless_stopped(attempt: Attempt, failure: Failure) -> Coroutine[Failure]:
    """What an engine's end made of it, unless that engine was stopping it: nothing of it lives any more."""
    if attempt.to_be_stopped:
        yield Signal()  # never: the stop follows in this very turn
    return failure


def _or_stopped(attempt: Attempt, wait: Awaited) -> Coroutine[None]:
    """A stop meanwhile ends all that is left: how its own process ended is no outcome, others may live."""
    try:
        yield wait
    except Stopped as stopped:
        stopped.left = yield from programs.stop(attempt)
        raise


def _has_ready_jobs(attempt: Attempt) -> bool:
    """Whether the ready stage is made of jobs that an earlier engine may have begun."""
    ready = attempt.job.ready
    return attempt.folder is not None and ready is not None and ready.kind in ("group", "task")


def _from_ready_on(attempt: Attempt) -> Coroutine[Failure | None]:
    failure = yield from programs.stage(attempt, "ready")
    if failure is not None:
        return failure
    settings = yield from attempt_entry.settings_of(attempt.entry)
    resources = yield from resource_checks.ready(attempt.entry, resource_checks.needed(attempt.job, settings))
    done = yield from _process(attempt, settings, resources)
    return (yield from _after_process(attempt, done))


def _from_process_on(attempt: Attempt, ready: Exit) -> Coroutine[Failure | None]:
    failure = programs.in_stage("ready", failure_of(ready, attempt.job.limits))
    if failure is not None:
        return failure
    done = yield from _process(attempt, (yield from attempt_entry.settings_of(attempt.entry)), {})
    return (yield from _after_process(attempt, done))


def _end_of(attempt: Attempt, found: Child) -> Coroutine[Exit | Lost]:
    """How a stage ends whose process lives."""
    attempt.process_started(found)
    end: Exit | Lost = yield Process.adopted(attempt.services, found)
    attempt.process_ended()
    return end
