"""The stages of a job that are programs: ready, process, end (seed 004, 3.1.2)."""

from __future__ import annotations

from functools import partial

from engine.execution.code import Code, code
from engine.execution.environment import Surroundings, environment
from engine.execution.fetch import fetch
from engine.execution.launch import Launch
from engine.execution.outcomes import Exit, Lost, failure_of, may_leave_others
from engine.model.codes.runtime import QUEUE_TIMEOUT
from engine.model.errors import Failure, SkerryError
from engine.model.job import STAGES, JobKeys, Stage, StageName
from engine.model.reason import Kind, Reason
from engine.model.states import JobState
from engine.planning.worker_choice import Where
from engine.plugins.job_type import CallType, Program, ProgramRequest, ProgramType
from engine.runtime.fibers import Coroutine, Durable, Offload, Stopped
from engine.runtime.jobs import asynchronous_programs, calls, members, worker_refusal
from engine.runtime.jobs.attempt import Attempt, Slot
from engine.runtime.jobs.attempt_files import AttemptFiles
from engine.runtime.jobs.attempt_row import LiveAttemptRow
from engine.runtime.jobs.disk_room import room_to_start, with_room
from engine.runtime.jobs.execution import JobExecution
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.jobs.process_wait import Process, stop
from engine.runtime.jobs.results import Done
from engine.runtime.jobs.sent_inputs import inputs_of
from engine.runtime.jobs.stop_outcome import failure_of as failure_of_stop
from engine.runtime.jobs.surroundings import surroundings
from engine.runtime.queue.job_queue import Claim, SlotWait

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
            asynchronous_programs.nothing_goes_on(attempt)
        return made
    around = yield from surroundings(entry)
    program = _program(attempt.files, kind, settings)
    launch = _launch(attempt.files, attempt.row.mark, "process", program, around)
    if entry.identity.asynchronous:
        yield from with_room(entry.run, lambda: asynchronous_programs.start(attempt, launch))
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
        entry.check_worker()
        try:
            end = yield Process.launch(entry, launch, attempt.process_started)
        except SkerryError as error:
            yield from room_to_start(attempt, error)
    attempt.process_ended()
    if may_leave_others(end):
        attempt.execution.failures.leaves((yield from stop(entry, attempt.row.mark)))
    return end


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
