"""The stages of an attempt that an earlier engine began, from where that had come to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.execution.host import LivingStage, Remains
from engine.execution.outcomes import RESTARTED, Exit, Lost, Unreachable, failure_of, may_leave_others
from engine.model.errors import Failure
from engine.model.job import STAGES, StageName
from engine.model.states import JobState
from engine.plugins.job_type import CallType
from engine.runtime.fibers import Coroutine, Durable, Signal
from engine.runtime.jobs import (
    asynchronous_programs,
    attempt_entry,
    judging,
    left_calls,
    programs,
    restarted_stages,
    stage_looks,
    stages,
)
from engine.runtime.jobs.attempt import Attempt, is_restarted
from engine.runtime.jobs.attempt_files import AttemptFiles
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.jobs.left_failures import lost, not_begun, unless_stopped
from engine.runtime.jobs.process_wait import Process, stop
from engine.runtime.jobs.programs import record_of_call
from engine.runtime.jobs.results import Done
from engine.runtime.run_state.job_rows import RecoveredJob

_NO_RECORD = "a power cut may have taken the record of a call"


def rest_of(attempt: Attempt, left: RecoveredJob) -> Coroutine[Failure | None]:
    """What is left of an attempt that was as ``left`` says; gives its failure or None."""
    entry, identity = attempt.entry, attempt.entry.identity
    attempt_entry.reopen(entry)
    if not identity.is_control:
        attempt.files.take_up()
    folder, host = attempt.files.folder, entry.host
    remains = host.remains(None if folder is None else folder.path, attempt.row.mark)
    if identity.asynchronous and (left.state is JobState.CHECKING or remains.has_started("process")):
        attempt.slot.leave()  # before its host has said what became of it: others may have its slot by now
    if entry.has_made("end.0"):
        return (yield from _rest_of_end(attempt, left, remains))
    if identity.is_control:
        return (yield from _rest_of_control(attempt))
    if is_restarted(host, left):
        if not remains.have_begun_in(host.facts.boot):
            return (yield from restarted_stages.after_restart(attempt, left, remains))
        attempt.has_gone_on()
    return (yield from _rest_of_program(attempt, left, remains))


def _rest_of_end(attempt: Attempt, left: RecoveredJob, remains: Remains) -> Coroutine[Failure | None]:
    """What it was for is done: it is neither waited for nor limited, checked or stopped again.

    The jobs of its end stage go on before anything else: they have slots, which others must not get.
    """
    failure = yield from programs.stage(attempt, "end")
    identity, job = attempt.entry.identity, attempt.entry.job
    if is_restarted(attempt.entry.host, left) and not identity.is_control:
        return lost(RESTARTED)
    done = _done_before(attempt, remains)
    problem = yield from stages.results_of(attempt.files, done)
    verdict = yield from _judged(attempt, done)
    return verdict or problem or stages.counting(job, failure)


def _judged(attempt: Attempt, done: Done) -> Coroutine[Failure | None]:
    """In the end stage a check has held."""
    checked = attempt.entry.identity.asynchronous and attempt.entry.job.check is not None
    return (yield from judging.judge(attempt.files, done, checked=checked))


def _done_before(attempt: Attempt, remains: Remains) -> Done:
    """What its work left whose end an earlier engine saw."""
    entry = attempt.entry
    if entry.identity.is_control or left_calls.is_work(entry):
        return left_calls.done(entry, attempt.execution.row)
    if not entry.identity.asynchronous:
        return programs.done(entry, attempt.row, remains.recorded("process"))
    found = stage_looks.looked_at(attempt, "process")
    if found is None or isinstance(found, Unreachable):
        return Done()
    return asynchronous_programs.resumed(attempt, found)


def _rest_of_control(attempt: Attempt) -> Coroutine[Failure | None]:
    """Its stages are jobs of their own: those that have ended are not run again."""
    if not attempt.entry.has_made("0"):  # what comes after the ready stage takes its slot at once
        failure = yield from programs.stage(attempt, "ready")
        if failure is not None:
            return failure
    settings = yield from attempt_entry.settings_of(attempt.entry)
    return (yield from stages.from_process_on(attempt, settings, {}))


def _rest_of_program(
    attempt: Attempt, left: RecoveredJob, remains: Remains, *, asked: bool = False
) -> Coroutine[Failure | None]:
    """What is left by what was written down of its calls and programs; the order of the questions matters.

    ``asked``: its host has been asked for every stage, whatever became of what was written down.
    """
    entry = attempt.entry
    call, stage = _latest(remains, record_of_call), _latest(remains, str)
    failure = _call_broken_off(entry, left, call, stage)
    if failure is None and left_calls.is_checked(entry, left) and stage != "end":
        asynchronous_programs.nothing_goes_on(attempt)
        return (yield from stages.after_process(attempt, left_calls.done(entry, attempt.execution.row)))
    is_unrecorded = not asked and _may_be_unrecorded(entry, left, stage)
    if failure is None and is_unrecorded and remains.assume_sent():
        return (yield from _rest_of_program(attempt, replace(left, pid=None), remains, asked=True))
    if failure is None and is_unrecorded:
        failure = lost("a power cut may have taken the record of its start")
    if failure is None and stage is None:
        failure = _call_unrecorded(entry, left, None)
    if failure is None and stage is None and _has_ready_jobs(attempt.files):
        return (yield from _from_ready_on(attempt))
    if failure is None and remains.is_damaged(left.pid):
        failure = lost("the record of its start is damaged")
    if failure is None and stage is not None:
        return (yield from _rest_of_stage(attempt, left, remains, stage, asked=asked))
    return (yield from unless_stopped(left, failure or not_begun()))


def _call_broken_off(
    entry: JobEntry, left: RecoveredJob, call: StageName | None, stage: StageName | None
) -> Failure | None:
    """A call ends with its engine; how far it had come is not known, unless it is over."""
    is_over = left_calls.is_checked(entry, left) and call != "end"
    if call is not None and not is_over and (stage is None or STAGES.index(stage) < STAGES.index(call)):
        return programs.in_stage(call, lost("the engine ended while it was at work"))
    return lost(_NO_RECORD) if left_calls.end_may_be_unrecorded(entry, left) else None


def _call_unrecorded(entry: JobEntry, left: RecoveredJob, over: StageName | None) -> Failure | None:
    return lost(_NO_RECORD) if left_calls.may_be_unrecorded(entry, left, over) else None


def _latest(remains: Remains, record: Callable[[StageName], str]) -> StageName | None:
    """The last stage that has such a record."""
    return next((stage for stage in reversed(STAGES) if remains.has_started(record(stage))), None)


def _rest_of_stage(
    attempt: Attempt, left: RecoveredJob, remains: Remains, stage: StageName, *, asked: bool
) -> Coroutine[Failure | None]:
    """What is left once a stage is known to have begun: it ended, lives, or nobody knows."""
    found = yield from stage_looks.found_out(attempt, stage)
    if isinstance(found, Lost) and not found.begun:
        remains.forget(stage)
        return (yield from _rest_of_program(attempt, left, remains, asked=asked))
    if left.stop is not None and isinstance(found, (Exit, Lost)):
        yield Signal()  # never fired: the stop follows in this very turn
    if attempt.entry.identity.asynchronous and stage == "process":
        return (yield from stages.after_process(attempt, asynchronous_programs.resumed(attempt, found)))
    for later in ("process", "end"):
        remains.forget_torn(later)
    if isinstance(found, (Exit, Lost)):
        end = yield from _ended_meanwhile(attempt, found, stage, remains)
    else:
        end = yield from _end_of(attempt, found)
    if isinstance(end, Lost):
        return failure_of(end)
    return (yield from _after(attempt, left, stage, end, remains))


def _ended_meanwhile(
    attempt: Attempt, end: Exit | Lost, stage: StageName, remains: Remains
) -> Coroutine[Exit | Lost]:
    """A stage that ended while no engine saw it; where a signal ended it, its tree may live on."""
    entry = attempt.entry
    if isinstance(end, Exit) and (stage == "end" or (stage == "process" and entry.job.end is None)):
        attempt.row.ended_meanwhile(remains.ended_at(stage))
    if may_leave_others(end):
        attempt.execution.failures.leaves((yield from stop(entry, attempt.row.mark)))
        yield Durable()  # its timeout, if that was it, interrupts here
    return end


def _after(
    attempt: Attempt, left: RecoveredJob, stage: StageName, end: Exit, remains: Remains
) -> Coroutine[Failure | None]:
    """What comes after a stage that has ended."""
    entry, job = attempt.entry, attempt.entry.job
    unrecorded = _call_unrecorded(entry, left, stage)
    if stage == "ready":
        failure = programs.in_stage("ready", failure_of(end, job.limits)) or unrecorded
        return failure or (yield from _after_ready(attempt))
    if unrecorded is not None:
        return unrecorded
    if stage == "process":
        return (yield from stages.after_process(attempt, programs.done(entry, attempt.row, end)))
    verdict = yield from _judged(attempt, _done_before(attempt, remains))
    return verdict or stages.counting(job, programs.in_stage("end", failure_of(end, job.limits)))


def _may_be_unrecorded(entry: JobEntry, left: RecoveredJob, stage: StageName | None) -> bool:
    """Another machine goes on through a power cut here, which may have taken what was just written down."""
    was_begun = left.pid is not None or (left.announced and entry.services.unsynced.cut)
    return stage is None and not entry.is_here and was_begun and left.state is not JobState.WAITING


def _has_ready_jobs(files: AttemptFiles) -> bool:
    """Whether the ready stage is made of jobs that an earlier engine may have begun."""
    ready = files.entry.job.ready
    return files.folder is not None and ready is not None and ready.kind in ("group", "task")


def _from_ready_on(attempt: Attempt) -> Coroutine[Failure | None]:
    failure = yield from programs.stage(attempt, "ready")
    return failure or (yield from stages.behind_ready(attempt))


def _after_ready(attempt: Attempt) -> Coroutine[Failure | None]:
    if isinstance(attempt.entry.identity.kind, CallType):  # which works with a resource
        return (yield from stages.behind_ready(attempt))
    settings = yield from attempt_entry.settings_of(attempt.entry)
    return (yield from stages.from_process_on(attempt, settings, {}))


def _end_of(attempt: Attempt, found: LivingStage) -> Coroutine[Exit | Lost]:
    """How a stage ends whose process lives."""
    attempt.process_started(found)
    end: Exit | Lost = yield Process.adopted(attempt.entry, found)
    attempt.process_ended()
    return end
