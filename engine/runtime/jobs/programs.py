"""The stages of a job that are programs: ready, process, end (seed 004, 3.1.2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engine.execution.code import Code, code
from engine.execution.environment import Surroundings, environment
from engine.execution.fetch import fetch
from engine.execution.host import LivingStage
from engine.execution.launch import Launch
from engine.execution.outcomes import Exit, Lost, failure_of, may_leave_others
from engine.execution.ssh.refusals import is_of_disk_there
from engine.model.codes.runtime import QUEUE_TIMEOUT
from engine.model.codes.ssh import HOST_UNREACHABLE
from engine.model.disk import may_pass, no_room
from engine.model.errors import Failure, SkerryError
from engine.model.job import STAGES, JobKeys, Stage, StageName
from engine.model.reason import Kind, Reason
from engine.model.states import JobState
from engine.planning.worker_choice import Where
from engine.plugins.job_type import CallType, Program, ProgramRequest, ProgramType
from engine.runtime.fibers import Coroutine, Durable, Offload, Sleep, Stopped
from engine.runtime.jobs import calls, members, worker_refusal
from engine.runtime.jobs.attempt import Attempt, Slot
from engine.runtime.jobs.attempt_files import AttemptFiles
from engine.runtime.jobs.attempt_row import LiveAttemptRow
from engine.runtime.jobs.execution import JobExecution
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.jobs.process_wait import Process, stop
from engine.runtime.jobs.results import Done
from engine.runtime.jobs.sent_inputs import inputs_of
from engine.runtime.jobs.stop_outcome import failure_of as failure_of_stop
from engine.runtime.jobs.surroundings import surroundings
from engine.runtime.queue.job_queue import Claim, SlotWait
from engine.runtime.run_state.run_context import RunContext

_ASK_AGAIN = 1.0  # seconds after which a machine that could not be asked, or had no room, is asked again


def codes_of(entry: JobEntry) -> Coroutine[dict[str, Code]]:
    """The text of every stage that has one, files read and links fetched on a thread."""
    found: dict[str, Code] = {}
    root = entry.services.workspace.root
    for name in STAGES:
        stage: Stage | None = getattr(entry.job, name)
        if stage is None or stage.kind not in ("text", "file", "link"):
            continue
        if stage.kind == "text":
            found[name] = code(stage.value)
        else:
            found[name] = code((yield Offload(partial(fetch, stage.kind, str(stage.value), root))))
    return found


def process(attempt: Attempt, kind: ProgramType, settings: JobKeys) -> Coroutine[Done]:
    """The work itself; gives what it left. An asynchronous one is not waited for."""
    entry, stage = attempt.entry, attempt.entry.job.process
    if stage is not None and stage.kind == "class":
        made = yield from _built_in(attempt, "process", stage)
        if entry.identity.asynchronous:
            nothing_goes_on(attempt)
        return made
    around = yield from surroundings(entry)
    program = _program(attempt.files, kind, settings)
    launch = _launch(attempt.files, attempt.row.mark, "process", program, around)
    if entry.identity.asynchronous:
        yield from with_room(entry.run, lambda: _start_alone(attempt, launch))
        return Done()
    end = yield from _run(attempt, launch)
    return done(entry, attempt.row, end)


def done(entry: JobEntry, row: LiveAttemptRow, end: Exit | Lost) -> Done:
    """What a program left that ended so."""
    if not isinstance(end, Exit):
        return Done({}, end)
    row.exit = end
    if entry.tree.get("EXIT_CODE") != end.code:
        entry.set(("EXIT_CODE",), end.code)
    return Done({"exit_code": end.code}, end)


def ended_meanwhile(entry: JobEntry, row: LiveAttemptRow, before: Done) -> Done:
    """With the exit status of an asynchronous program that has ended by now; its check decides."""
    return Done({**before.own, **done(entry, row, row.exit).own}) if row.exit is not None else before


def _program(files: AttemptFiles, kind: ProgramType, settings: JobKeys) -> Program:
    entry, job = files.entry, files.entry.job
    if job.process is not None and job.process.kind == "binary":
        return Program((str(entry.services.workspace.root / str(job.process.value)),))
    path = files.directory.path
    program = kind.program(
        ProgramRequest(job=job, settings=settings, params=entry.params, place=path, here=entry.is_here)
    )
    if program.argv is None and "process" in files.codes:
        return Program(files.codes["process"].argv(_script(files, "process")), program.env)
    return program


def _script(files: AttemptFiles, name: StageName) -> str:
    """The file of a stage, as a program finds it from the folder that it starts in."""
    around = files.entry.surroundings
    script = f"executeCode/{name}"
    return script if around is None or around.working_dir is None else f"{files.directory.path}/{script}"


def stage(attempt: Attempt, name: StageName) -> Coroutine[Failure | None]:
    """The ready or end stage; gives its failure, or None (also when there is none)."""
    entry, files = attempt.entry, attempt.files
    stage: Stage | None = getattr(entry.job, name)
    if stage is None:
        return None
    if entry.identity.is_control or stage.kind in ("group", "task"):
        return (yield from _by_jobs(attempt.execution, attempt.slot, name, stage))
    if files.folder is None:
        return None
    if stage.kind == "class":
        return (yield from _called(attempt, name, stage))
    around = yield from surroundings(entry)
    if stage.kind == "binary":
        program = Program((str(entry.services.workspace.root / str(stage.value)),))
    else:
        program = Program(files.codes[name].argv(_script(files, name)))
    end = yield from _run(attempt, _launch(files, attempt.row.mark, name, program, around))
    return in_stage(name, failure_of(end, entry.job.limits))


def _called(attempt: Attempt, name: StageName, stage: Stage) -> Coroutine[Failure | None]:
    """A ready or end stage that a built-in does."""
    try:
        yield from _built_in(attempt, name, stage)
    except SkerryError as error:
        return in_stage(name, Failure.of(error))
    return None


def _by_jobs(job: JobExecution, slot: Slot, name: StageName, stage: Stage) -> Coroutine[Failure | None]:
    """A stage that is made of jobs: they have slots of their own, so this one gives its back meanwhile."""
    job.row.to(JobState.WAITING, Reason.of(Kind.STAGE, stage=name))
    had_slot = slot.release()
    slot.ended()  # what an asynchronous job left running keeps no job of its end stage waiting
    try:
        yield from members.in_order(job, members.of_stage(job.entry, name, stage))
    except SkerryError as error:
        return in_stage(name, Failure.of(error))
    if had_slot and name == "ready":
        slot.claim = yield from _slot_again(job)
    job.row.to(JobState.RUNNING, None)
    if name == "ready":
        yield Durable()  # how they ended, before the work that depends on it begins
    return None


def _slot_again(job: JobExecution) -> Coroutine[Claim]:
    """It waits as what it is, an attempt that has begun: neither queued nor busy."""
    own = (job.entry.host.facts.name,)

    def refused(reason: Reason | None) -> None:
        is_nobody = reason is not None and reason.kind is Kind.NO_WORKER
        if not (is_nobody and worker_refusal.is_lost_with_worker(job)):
            job.row.to(JobState.WAITING, reason or Reason(Kind.SLOT))

    job.row.to(JobState.WAITING, Reason(Kind.SLOT))
    claim = job.claim(refused, Where(workers=own, within=own))
    try:
        yield SlotWait(job.services.queue, claim, job.identity.job.queue_timeout)
    except Stopped as stopped:
        if stopped.kind != "queue_timeout":
            raise
        raise SkerryError(QUEUE_TIMEOUT, failure_of_stop(stopped).message) from stopped
    return claim


def in_stage(name: str, failure: Failure | None) -> Failure | None:
    """The failure of a ready or end stage, naming it."""
    return failure and failure.passed_on("in the {stage} stage: {message}", stage=name)


def _launch(
    files: AttemptFiles, mark: str, name: StageName, program: Program, around: Surroundings
) -> Launch:
    entry, path = files.entry, files.directory.path
    env = environment(entry.host.base_env, entry.params, path, mark, around=around, extra=program.env)
    return Launch(
        argv=program.argv,
        script=f"executeCode/{name}",
        directory=path,
        working_dir=around.working_dir,
        stage=name,
        mark=mark,
        env=env,
        limits=entry.job.limits,
        secrets=entry.masked_in_output,
        has_secret=bool(entry.secrets),
        inputs=inputs_of(entry),
        alone=entry.job.on.exclusive,
    )


def _run(attempt: Attempt, launch: Launch) -> Coroutine[Exit | Lost]:
    """Run a stage to its end; what a program that was killed left alive is stopped too."""
    entry = attempt.entry
    end: Exit | Lost | None = None
    while end is None:
        try:
            end = yield Process.launch(entry, launch, attempt.process_started)
        except SkerryError as error:
            yield from _room_for(attempt, error)
    attempt.process_ended()
    if may_leave_others(end):
        attempt.execution.failures.leaves((yield from stop(entry, attempt.row.mark)))
    return end


def with_room(run: RunContext, work: Callable[[], None]) -> Coroutine[None]:
    """Do something with files as soon as the disk has room for it."""
    while True:
        try:
            work()
        except (OSError, SkerryError) as error:
            yield from wait_for_room(run, error)
        else:
            return run.services.writes.has_room()


def wait_for_room(run: RunContext, error: SkerryError | OSError) -> Coroutine[None]:
    """A moment, if the disk is full; any other error is raised again."""
    if not no_room(error):
        raise error
    run.files.behind += 1
    try:
        run.services.writes.disk_is_full(error)
        yield Sleep(run.services.writes.retry_seconds)
    finally:
        run.files.behind -= 1


def _room_for(attempt: Attempt, error: SkerryError) -> Coroutine[None]:
    """A moment, if a disk is full: on another machine it holds up this job alone, and the job says so."""
    run = attempt.entry.run
    if not is_of_disk_there(error):
        return (yield from wait_for_room(run, error))
    attempt.waits_for_room(error)
    yield Sleep(run.services.writes.retry_seconds)
    return None


def brought(attempt: Attempt) -> Coroutine[None]:
    """What an asynchronous program has left by now on another machine; a link that is cut is waited for."""
    host, folder = attempt.entry.host, attempt.files.folder
    while folder is not None and not attempt.entry.is_here:
        try:
            bring = partial(host.bring, folder.path, attempt.row.mark)
            return (yield Offload(bring, lane=host.facts.name))  # type: ignore[no-any-return]
        except SkerryError as error:
            if error.entry is not HOST_UNREACHABLE and not may_pass(error):
                raise
            yield Sleep(_ASK_AGAIN)


def _start_alone(attempt: Attempt, launch: Launch) -> None:
    """Start an asynchronous job's process; the slot is free again at once."""
    living = attempt.entry.host.start(launch)
    attempt.process_started(living)
    attempt.slot.leave()
    _watched_alone(attempt, living, lambda error: _not_begun(attempt, launch, error))


def _not_begun(attempt: Attempt, launch: Launch, error: SkerryError) -> None:
    """Another machine says only later that it cannot be started there."""
    entry = attempt.entry
    if no_room(error):
        entry.services.loop.later(_ASK_AGAIN, lambda: _start_again(attempt, launch))
    else:
        attempt.slot.ended()
        attempt.execution.interrupt(Stopped("limit", failure=Failure.of(error)))


def _start_again(attempt: Attempt, launch: Launch) -> None:
    if attempt.execution.row.state.ended:
        return
    try:
        _start_alone(attempt, launch)
    except SkerryError as error:
        _not_begun(attempt, launch, error)


def left_alone(attempt: Attempt, found: LivingStage | Exit | Lost) -> Done:
    """An asynchronous job's process that an earlier engine started."""
    attempt.slot.leave()
    if isinstance(found, Exit):
        attempt.row.exit = found
    if isinstance(found, (Exit, Lost)):
        attempt.program_ended()
    else:
        attempt.process_started(found)
        _watched_alone(attempt, found)
    return Done()


def _watched_alone(
    attempt: Attempt,
    living: LivingStage,
    not_begun: Callable[[SkerryError], None] = lambda error: None,
) -> None:
    def ended(end: Exit | Lost | SkerryError) -> None:
        if isinstance(end, SkerryError):
            return not_begun(end)
        attempt.program_ended()
        if isinstance(end, Exit):
            attempt.row.reaped(end)
        return None

    attempt.entry.host.wake(living, ended)


def nothing_goes_on(attempt: Attempt) -> None:
    """Of an asynchronous job while it is checked, but that its end stage is still to come."""
    attempt.slot.leave()
    attempt.program_ended()


def _built_in(attempt: Attempt, name: StageName, stage: Stage) -> Coroutine[Done]:
    """``{class: name}``: a job type of that name does the stage, with the job's parameters."""
    kind = attempt.entry.services.job_types[str(stage.value)]
    assert isinstance(kind, CallType)
    yield from call_begins(attempt, name)
    return (yield from calls.made(attempt.files, kind, kind.keys()))


def call_begins(attempt: Attempt, name: StageName) -> Coroutine[None]:
    """Write down that a stage is begun which is a call: the next engine must not make it again unasked."""
    note = partial(attempt.files.note_call, record_of_call(name), attempt.row.mark)
    yield from with_room(attempt.entry.run, note)


def record_of_call(name: StageName) -> str:
    """The name of its record, beside those of programs."""
    return f"{name}.call"
