"""The stages of an attempt that an earlier engine began, from where that had come to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.execution import outputs
from engine.execution.host import LOCAL, LOOK_AGAIN, Found, LivingStage, Remains
from engine.execution.outcomes import RESTARTED, Exit, Lost, Unreachable, failure_of, may_leave_others
from engine.model.codes.runtime import LOST, NOT_BEGUN, RESULT_MISSING
from engine.model.errors import Failure
from engine.model.job import STAGES, Job, StageName
from engine.model.reason import Kind, Reason
from engine.model.states import JobState
from engine.plugins.job_type import CallType
from engine.runtime.fibers import Coroutine, Durable, Signal, Sleep
from engine.runtime.jobs import attempt_entry, judging, left_calls, programs, resource_checks, stages
from engine.runtime.jobs.attempt import Attempt, is_restarted
from engine.runtime.jobs.attempt_files import AttemptFiles
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.jobs.process_wait import Process, stop
from engine.runtime.jobs.programs import record_of_call
from engine.runtime.jobs.results import Done
from engine.runtime.run_state.job_rows import RecoveredJob
from engine.runtime.upkeep.worker_rows import away_since

_ASK_AGAIN = 1.0  # seconds between two questions to a host that was not reachable
_MORE_PATIENCE = 1.1  # times as long until the next look: an answer is seen a tenth later at most


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
    if _has_made(entry, "end.0"):
        return (yield from _rest_of_end(attempt, left, remains))
    if identity.is_control:
        return (yield from _rest_of_control(attempt))
    if is_restarted(host, left):
        if not remains.have_begun_in(host.facts.boot):
            return (yield from _after_restart(attempt, left, remains))
        attempt.has_gone_on()
    return (yield from _rest_of_program(attempt, left, remains))


def _has_made(entry: JobEntry, inner: str) -> bool:
    """Whether an earlier engine made that job (``0``, ``end.0``) within this attempt."""
    identity = entry.identity
    return entry.run.job_rows.has(f"{identity.node}.{inner}", identity.index, identity.round)


def _rest_of_end(attempt: Attempt, left: RecoveredJob, remains: Remains) -> Coroutine[Failure | None]:
    """What it was for is done: it is neither waited for nor limited, checked or stopped again.

    The jobs of its end stage go on before anything else: they have slots, which others must not get.
    """
    failure = yield from programs.stage(attempt, "end")
    identity, job = attempt.entry.identity, attempt.entry.job
    if is_restarted(attempt.entry.host, left) and not identity.is_control:
        return _lost(RESTARTED)
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
    found = _looked_at(attempt, "process")
    if found is None or isinstance(found, Unreachable):
        return Done()
    return programs.left_alone(attempt, found)


def _rest_of_control(attempt: Attempt) -> Coroutine[Failure | None]:
    """Its stages are jobs of their own: those that have ended are not run again."""
    if not _has_made(attempt.entry, "0"):  # what comes after the ready stage takes its slot at once
        failure = yield from programs.stage(attempt, "ready")
        if failure is not None:
            return failure
    settings = yield from attempt_entry.settings_of(attempt.entry)
    return (yield from stages.from_process_on(attempt, settings, {}))


def _rest_of_program(attempt: Attempt, left: RecoveredJob, remains: Remains) -> Coroutine[Failure | None]:
    entry = attempt.entry
    call, stage = _latest(remains, record_of_call), _latest(remains, str)
    if left_calls.is_checked(entry, left) and "end" not in (call, stage):
        programs.nothing_goes_on(attempt)
        return (yield from stages.after_process(attempt, left_calls.done(entry, attempt.execution.row)))
    if call is not None and (stage is None or STAGES.index(stage) < STAGES.index(call)):
        return (yield from _unless_stopped(left, programs.in_stage(call, _at_work())))
    if left_calls.may_be_unrecorded(entry, left, stage):
        return (yield from _unless_stopped(left, _lost("a power cut may have taken the record of a call")))
    is_unrecorded = _may_be_unrecorded(entry, left, stage) and left.state is not JobState.WAITING
    if stage is None and not is_unrecorded and _has_ready_jobs(attempt.files):
        return (yield from _from_ready_on(attempt))
    if is_unrecorded:
        if not remains.assume_sent():
            why = "a power cut may have taken the record of its start"
            return (yield from _unless_stopped(left, _lost(why)))
        return (yield from _rest_of_program(attempt, replace(left, announced=False, pid=None), remains))
    if remains.is_damaged(left.pid):
        return (yield from _unless_stopped(left, _lost("the record of its start is damaged")))
    if stage is None:
        return (yield from _unless_stopped(left, _not_begun()))
    return (yield from _rest_of_stage(attempt, left, remains, stage))


def _latest(remains: Remains, record: Callable[[StageName], str]) -> StageName | None:
    """The last stage that has such a record."""
    return next((stage for stage in reversed(STAGES) if remains.has_started(record(stage))), None)


def _rest_of_stage(
    attempt: Attempt, left: RecoveredJob, remains: Remains, stage: StageName
) -> Coroutine[Failure | None]:
    """What is left once a stage is known to have begun: it ended, lives, or nobody knows."""
    found = yield from _found_out(attempt, stage)
    if isinstance(found, Lost) and not found.begun:
        remains.forget(stage)
        return (yield from _rest_of_program(attempt, left, remains))
    if left.stop is not None and isinstance(found, (Exit, Lost)):
        yield Signal()  # never fired: the stop follows in this very turn
    if attempt.entry.identity.asynchronous and stage == "process":
        return (yield from stages.after_process(attempt, programs.left_alone(attempt, found)))
    for later in ("process", "end"):
        remains.forget_torn(later)
    if isinstance(found, (Exit, Lost)):
        end = yield from _ended_meanwhile(attempt, found, stage, remains)
    else:
        end = yield from _end_of(attempt, found)
    if isinstance(end, Lost):
        return failure_of(end)
    return (yield from _after(attempt, stage, end, remains))


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


def _after(attempt: Attempt, stage: StageName, end: Exit, remains: Remains) -> Coroutine[Failure | None]:
    """What comes after a stage that has ended."""
    job = attempt.entry.job
    if stage == "ready":
        return (yield from _after_ready(attempt, end))
    if stage == "process":
        return (yield from stages.after_process(attempt, programs.done(attempt.entry, attempt.row, end)))
    verdict = yield from _judged(attempt, _done_before(attempt, remains))
    return verdict or stages.counting(job, programs.in_stage("end", failure_of(end, job.limits)))


def _may_be_unrecorded(entry: JobEntry, left: RecoveredJob, stage: StageName | None) -> bool:
    """Another machine goes on through a power cut here, which may have taken what was just written down."""
    elsewhere = entry.host.facts.name != LOCAL
    was_begun = left.pid is not None or (left.announced and entry.services.unsynced.cut)
    return stage is None and elsewhere and was_begun


def _found_out(attempt: Attempt, stage: StageName) -> Coroutine[LivingStage | Exit | Lost]:
    """What became of its process, once that can be known: a host that cannot be asked is asked again."""
    looks, pause, execution = 0, LOOK_AGAIN, attempt.execution
    waits = False
    while True:
        found = _looked_at(attempt, stage, looks)
        if found is None:
            looks += 1
            yield Sleep(pause)
            if not attempt.entry.is_here:
                pause = min(pause * _MORE_PATIENCE, _ASK_AGAIN)
        elif isinstance(found, Unreachable):
            if not waits:
                waits = True
                execution.held_up(_out_of_reach(attempt, found))
            yield Sleep(_ASK_AGAIN)
        else:
            if waits:
                execution.held_up(None)
            return found


def _out_of_reach(attempt: Attempt, found: Unreachable) -> Reason:
    """As its worker says it, which knows since when."""
    services, worker = attempt.entry.services, attempt.entry.host.facts.name
    live = services.workers.find(worker)
    if live is not None and live.unreached is not None:
        return live.unreached
    at = services.local(services.loop.now()) if live is None else away_since(services, live)
    return Reason.of(Kind.REACHED_NO_MORE, at=at, message=found.reason)


def _looked_at(attempt: Attempt, stage: StageName, looks: int = 0, boot: str | None = None) -> Found | None:
    """The word of its host about a stage; ``boot`` is that of the attempt, where it is to be compared."""
    entry, path = attempt.entry, attempt.files.directory.path
    secrets = None if entry.run.typed_secrets.is_forgotten else entry.masked_in_output
    return entry.host.look(path, stage, attempt.row.mark, began_in=boot, looks=looks, secrets=secrets)


def _at_work() -> Failure:
    return _lost("the engine ended while it was at work")


def _lost(why: str) -> Failure:
    """Not to be tried again by the job's own retry: that is for what is known to have failed."""
    return Failure.new(LOST, why)


def _not_begun() -> Failure:
    return Failure.new(NOT_BEGUN, "the engine ended before it was started")


# -- after a restart of the machine ----------------------------------------------------------------


def _after_restart(attempt: Attempt, left: RecoveredJob, remains: Remains) -> Coroutine[Failure | None]:
    """Nothing of it lives, and a file that is empty or missing proves nothing: the power may have failed.

    What is certain is in the store, or is an end that was written down with everything it left.
    """
    entry = attempt.entry
    if not left.announced:
        return (yield from _unless_stopped(left, _not_begun()))
    if left.stop is not None:
        attempt.files.reserve()
        if _has_made(entry, "ready.0"):
            yield from programs.stage(attempt, "ready")  # its jobs have outcomes of their own
        return (yield from _unless_stopped(left, _lost(RESTARTED)))
    if left.state is JobState.CHECKING:
        programs.nothing_goes_on(attempt)
        done = left_calls.done(entry, attempt.execution.row) if left_calls.is_work(entry) else Done()
        return _unless_taken((yield from stages.after_process(attempt, done)))
    if left.state is JobState.WAITING:
        attempt.files.reserve()
        failure = yield from programs.stage(attempt, "ready")  # first: its jobs end with it if it is stopped
        codes = yield from programs.codes_of(entry)
        yield from programs.with_room(entry.run, lambda: attempt.files.remake(codes))
        return failure or (yield from _behind_ready(attempt))
    # Of an end stage that may have begun nothing is known.
    ends = entry.job.end is not None and entry.tree.get("EXIT_CODE") is not None
    end = None if ends else _end_before_restart(attempt, left.boot)
    if entry.identity.asynchronous or end is None:
        return _lost(RESTARTED)
    attempt.row.ended_meanwhile(remains.ended_at("process"))
    return (yield from stages.after_process(attempt, programs.done(entry, attempt.row, end)))


def _unless_taken(failure: Failure | None) -> Failure | None:
    """A result that is missing now may have been there before the restart: nobody knows."""
    if failure is None or failure.code != RESULT_MISSING.number:
        return failure
    return _lost("a power cut may have taken a result of it")


def _end_before_restart(attempt: Attempt, boot: str | None) -> Exit | None:
    """The end that its process wrote down before the machine was restarted, if all it left is whole too.

    What a program writes reaches the disk up to half a minute later: then it is empty or missing.
    """
    folder = attempt.files.folder
    end = _looked_at(attempt, "process", boot=boot) if folder is not None else None
    if folder is None or not isinstance(end, Exit):
        return None
    return end if outputs.is_whole(folder.path, _wanted(attempt.entry.job, end)) else None


def _wanted(job: Job, end: Exit) -> list[str]:
    """The files that a program which ended so must have left: results, and output where that is read."""
    written = [name for name, spec in job.results.items() if not spec.computed and name != "exit_code"]
    reads = job.success is not None or any(spec.computed for spec in job.results.values())
    return [f"outputs/{name}" for name in written if not end.code] + ["job.log"] * reads


def _unless_stopped(left: RecoveredJob, failure: Failure | None) -> Coroutine[Failure | None]:
    """What an engine's end made of it, unless that engine was stopping it: nothing of it lives any more."""
    if left.stop is not None:
        yield Signal()  # never: the stop follows in this very turn
    return failure


def _has_ready_jobs(files: AttemptFiles) -> bool:
    """Whether the ready stage is made of jobs that an earlier engine may have begun."""
    ready = files.entry.job.ready
    return files.folder is not None and ready is not None and ready.kind in ("group", "task")


def _from_ready_on(attempt: Attempt) -> Coroutine[Failure | None]:
    failure = yield from programs.stage(attempt, "ready")
    return failure or (yield from _behind_ready(attempt))


def _behind_ready(attempt: Attempt) -> Coroutine[Failure | None]:
    entry = attempt.entry
    settings = yield from attempt_entry.settings_of(entry)
    resources = yield from resource_checks.ready(entry, resource_checks.needed(entry.job, settings))
    return (yield from stages.from_process_on(attempt, settings, resources))


def _after_ready(attempt: Attempt, ready: Exit) -> Coroutine[Failure | None]:
    failure = programs.in_stage("ready", failure_of(ready, attempt.entry.job.limits))
    if failure is not None:
        return failure
    if isinstance(attempt.entry.identity.kind, CallType):  # which works with a resource
        return (yield from _behind_ready(attempt))
    settings = yield from attempt_entry.settings_of(attempt.entry)
    return (yield from stages.from_process_on(attempt, settings, {}))


def _end_of(attempt: Attempt, found: LivingStage) -> Coroutine[Exit | Lost]:
    """How a stage ends whose process lives."""
    attempt.process_started(found)
    end: Exit | Lost = yield Process.adopted(attempt.entry, found)
    attempt.process_ended()
    return end
