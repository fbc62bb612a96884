"""The stages of one attempt in the order of the contract (2.2).

Parameters, resources, ready, process, (check,) results, end, judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from engine.model.codes.runtime import CHECK_NEVER_HELD
from engine.model.errors import Failure
from engine.model.job import AsyncCheck, Job, JobKeys, Stage
from engine.model.reason import Kind, Reason
from engine.model.states import JobState
from engine.plugins.job_type import CallType, ProgramType
from engine.plugins.resource_type import ResolvedResource
from engine.runtime.fibers import Coroutine, Durable, Sleep
from engine.runtime.jobs import (
    asynchronous_programs,
    attempt_entry,
    calls,
    control_jobs,
    judging,
    programs,
    resource_checks,
    results,
)
from engine.runtime.jobs.attempt import Attempt
from engine.runtime.jobs.attempt_files import AttemptFiles
from engine.runtime.jobs.disk_room import with_room
from engine.runtime.jobs.process_wait import stop
from engine.runtime.jobs.results import Done


def all_of(attempt: Attempt) -> Coroutine[Failure | None]:
    """The whole attempt; gives its failure or None."""
    entry = attempt.entry
    yield from attempt_entry.open_entry(entry, attempt.row.number)
    settings = yield from attempt_entry.settings_of(entry)
    resources = yield from resource_checks.ready(entry, resource_checks.needed(entry.job, settings))
    if not entry.identity.is_control:
        codes = yield from programs.codes_of(entry)
        attempt.row.announce()
        yield Durable()
        yield from with_room(entry.run, lambda: attempt.files.prepare(codes))
    failure = yield from programs.stage(attempt, "ready")
    if failure is not None:
        return failure
    return (yield from from_process_on(attempt, settings, resources))


def from_process_on(
    attempt: Attempt, settings: JobKeys, resources: Mapping[str, ResolvedResource]
) -> Coroutine[Failure | None]:
    """What follows the ready stage."""
    kind = attempt.entry.identity.kind
    if isinstance(kind, ProgramType):
        done = yield from programs.process(attempt, kind, settings)
    elif isinstance(kind, CallType):
        yield from programs.call_begins(attempt, "process")
        done = yield from calls.process(attempt.files, kind, settings, resources)
    else:
        done = Done((yield from control_jobs.body(attempt, settings)))
    return (yield from after_process(attempt, done))


def behind_ready(attempt: Attempt) -> Coroutine[Failure | None]:
    """What follows a ready stage that an earlier engine began: the resources are checked first."""
    entry = attempt.entry
    settings = yield from attempt_entry.settings_of(entry)
    resources = yield from resource_checks.ready(entry, resource_checks.needed(entry.job, settings))
    return (yield from from_process_on(attempt, settings, resources))


def after_process(attempt: Attempt, done: Done) -> Coroutine[Failure | None]:
    """What follows the work itself."""
    entry, checked = attempt.entry, False
    if entry.identity.asynchronous:
        results.of_call(attempt.files, done)
        failure = yield from _attended(attempt)
        if failure is not None:
            return failure
        yield from asynchronous_programs.brought(attempt)
        done = programs.ended_meanwhile(entry, attempt.row, done)
        checked = entry.job.check is not None
    problem = yield from results_of(attempt.files, done)
    if entry.job.end is not None:
        _checks_no_more(attempt, entry.job.end)
        yield Durable()  # when the end stage is found begun after a restart, the results are there
    end_failure = yield from programs.stage(attempt, "end")
    verdict = yield from judging.judge(attempt.files, done, checked=checked)
    return verdict or problem or counting(entry.job, end_failure)


def _checks_no_more(attempt: Attempt, end: Stage) -> None:
    """A power cut may take the record of the end stage: that stage is not begun again then.

    Jobs that it is made of have rows of their own, which say it.
    """
    row, failures = attempt.execution.row, attempt.execution.failures
    if row.state is JobState.CHECKING and end.kind not in ("group", "task"):
        attempt.entry.set(("STATUS",), str(JobState.RUNNING))
        failures.change(held=attempt.row.number)
        failures.write()
        row.to(JobState.RUNNING, None)


def results_of(files: AttemptFiles, done: Done) -> Coroutine[Failure | None]:
    """Into the context; gives the first problem, or None."""
    answers = yield from resource_checks.after(files.entry)
    return (yield from results.compute(files, done, answers))


def counting(job: Job, end: Failure | None) -> Failure | None:
    """A failed end stage counts unless the job says itself what its success is: that decides alone."""
    return end if job.success is None else None


def _attended(attempt: Attempt) -> Coroutine[Failure | None]:
    """The check of an asynchronous job, unless it has held; one that is given up does not go on by itself."""
    if attempt.execution.failures.handling.held == attempt.row.number:
        return None
    failure = yield from _look_later(attempt)
    if failure is not None:
        attempt.execution.failures.leaves((yield from stop(attempt.entry, attempt.row.mark)))
    return failure


def _look_later(attempt: Attempt) -> Coroutine[Failure | None]:
    """An asynchronous job: its success is checked now and then; None when it holds."""
    entry, check = attempt.entry, attempt.entry.job.check
    if check is None:
        return None
    entry.set(("STATUS",), str(JobState.CHECKING))
    first, delay = _next_check(attempt, check)
    for number in range(first, check.times + 1):
        _checks_in(attempt, delay, number, check.times)
        yield Sleep(delay)
        if (yield from judging.all_hold(entry, check.success, "check")):
            return None
        delay = check.every
    return Failure.new(CHECK_NEVER_HELD, "not successful after {times} checks", times=check.times)


def _checks_in(attempt: Attempt, delay: float, number: int, times: int) -> None:
    """Write down when it is checked next, for people and for the next engine."""
    execution, services = attempt.execution, attempt.entry.services
    at = services.local(services.clock.now() + timedelta(seconds=delay))
    execution.row.next_check = Reason.of(Kind.CHECK, at=at, check=number, of=times)
    execution.failures.begins_to_wait(delay)
    execution.row.to(JobState.CHECKING, execution.next_check(), handling=execution.failures.written())


def _next_check(attempt: Attempt, check: AsyncCheck) -> tuple[int, float]:
    """Its number and the seconds until then, from where an earlier engine was."""
    left = attempt.execution.left if attempt.row.taken_up else None
    was = left.checks if left is not None else None
    if was is None:
        return 1, check.after
    number, failures = int(was.facts["check"]), attempt.execution.failures
    return number, min(failures.still_waits(was.facts["at"]), check.after if number == 1 else check.every)
