"""The stages of a job that are programs: ready, process, end (seed 004, 3.1.2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from engine.execution.child import Child
from engine.execution.code import Code, code
from engine.execution.environment import environment
from engine.execution.fetch import fetch
from engine.execution.kill import Left
from engine.execution.outcomes import Exit, Lost, failure_of
from engine.execution.spawn import Launch
from engine.model.codes.runtime import QUEUE_TIMEOUT
from engine.model.disk import no_room
from engine.model.errors import Failure, SkerryError
from engine.model.job import STAGES, JobKeys, Stage, StageName
from engine.model.reason import Kind, Reason
from engine.model.states import JobState
from engine.plugins.job_type import CallType, Program, ProgramRequest, ProgramType
from engine.runtime.fibers import Coroutine, Durable, Offload, ShieldedOffload, Sleep, Stopped
from engine.runtime.jobs import calls, members
from engine.runtime.jobs.process_wait import Process
from engine.runtime.jobs.results import Done
from engine.runtime.jobs.stop_outcome import failure_of as failure_of_stop
from engine.runtime.queue.job_queue import SlotWait

if TYPE_CHECKING:
    from engine.runtime.jobs.attempt import Attempt
    from engine.runtime.run_state.run_context import RunContext


def codes_of(attempt: Attempt) -> Coroutine[dict[str, Code]]:
    """The text of every stage that has one, files read and links fetched on a thread."""
    found: dict[str, Code] = {}
    root = attempt.services.workspace.root
    for name in STAGES:
        stage: Stage | None = getattr(attempt.job, name)
        if stage is None or stage.kind not in ("text", "file", "link"):
            continue
        if stage.kind == "text":
            found[name] = code(stage.value)
        else:
            found[name] = code((yield Offload(partial(fetch, stage.kind, str(stage.value), root))))
    return found


def process(attempt: Attempt, kind: ProgramType, settings: JobKeys) -> Coroutine[Done]:
    """The work itself; gives what it left. An asynchronous one is not waited for."""
    stage = attempt.job.process
    if stage is not None and stage.kind == "class":
        return (yield from _built_in(attempt, str(stage.value)))
    program = _program(attempt, kind, settings)
    launch = _launch(attempt, "process", program)
    if attempt.identity.asynchronous:
        yield from with_room(attempt.entry.run, lambda: _start_alone(attempt, launch))
        return Done()
    end = yield from _run(attempt, launch)
    return done(attempt, end)


def done(attempt: Attempt, end: Exit | Lost) -> Done:
    """What a program left that ended so."""
    if not isinstance(end, Exit):
        return Done({}, end)
    attempt.exit = end
    if attempt.entry.tree.get("EXIT_CODE") != end.code:
        attempt.entry.set(("EXIT_CODE",), end.code)
    return Done({"exit_code": end.code}, end)


def ended_meanwhile(attempt: Attempt) -> Done:
    """The exit status of an asynchronous program that has ended by now; its check decides all the same."""
    known = done(attempt, attempt.exit) if attempt.exit is not None else Done()
    return Done(known.own)


def _program(attempt: Attempt, kind: ProgramType, settings: JobKeys) -> Program:
    stage = attempt.job.process
    if stage is not None and stage.kind == "binary":
        return Program((str(attempt.services.workspace.root / str(stage.value)),))
    params, path = attempt.entry.params, attempt.directory.path
    program = kind.program(ProgramRequest(job=attempt.job, settings=settings, params=params, place=path))
    if program.argv is None and "process" in attempt.codes:
        return Program(attempt.codes["process"].argv("executeCode/process"), program.env)
    return program


def stage(attempt: Attempt, name: StageName) -> Coroutine[Failure | None]:
    """The ready or end stage; gives its failure, or None (also when there is none)."""
    stage: Stage | None = getattr(attempt.job, name)
    if stage is None:
        return None
    if attempt.identity.is_control or stage.kind in ("group", "task"):
        return (yield from _by_jobs(attempt, name, stage))
    if attempt.folder is None:
        return None
    if stage.kind == "class":
        yield from _built_in(attempt, str(stage.value))
        return None
    if stage.kind == "binary":
        program = Program((str(attempt.services.workspace.root / str(stage.value)),))
    else:
        program = Program(attempt.codes[name].argv(f"executeCode/{name}"))
    end = yield from _run(attempt, _launch(attempt, name, program))
    return in_stage(name, failure_of(end, attempt.job.limits))


def _by_jobs(attempt: Attempt, name: StageName, stage: Stage) -> Coroutine[Failure | None]:
    """A stage that is made of jobs: they have slots of their own, so this one gives its back meanwhile."""
    attempt.row.to(JobState.WAITING, Reason.of(Kind.STAGE, stage=name))
    had_slot = attempt.release_slot()
    try:
        yield from members.in_order(attempt.execution, members.of_stage(attempt.entry, name, stage))
    except SkerryError as error:
        return in_stage(name, Failure.of(error))
    if had_slot and name == "ready":
        yield from _slot_again(attempt)
    attempt.row.to(JobState.RUNNING, None)
    if name == "ready":
        yield Durable()  # how they ended, before the work that depends on it begins
    return None


def _slot_again(attempt: Attempt) -> Coroutine[None]:
    """It waits as what it is, an attempt that has begun: neither queued nor busy."""
    attempt.row.to(JobState.WAITING, Reason(Kind.SLOT))
    claim = attempt.execution.claim(lambda reason: None)
    try:
        yield SlotWait(attempt.services.queue, claim, attempt.job.queue_timeout)
    except Stopped as stopped:
        if stopped.kind != "queue_timeout":
            raise
        raise SkerryError(QUEUE_TIMEOUT, failure_of_stop(stopped).message) from stopped
    attempt.has_slot(claim)


def in_stage(name: str, failure: Failure | None) -> Failure | None:
    """The failure of a ready or end stage, naming it."""
    return failure and failure.passed_on(f"in the {name} stage")


def _launch(attempt: Attempt, name: StageName, program: Program) -> Launch:
    folder, entry, services = attempt.directory, attempt.entry, attempt.services
    env = environment(services.base_env, entry.params, folder.path, attempt.mark, extra=program.env)
    return Launch(
        argv=program.argv,
        script=f"executeCode/{name}",
        directory=folder.path,
        stage=name,
        mark=attempt.mark,
        env=env,
        limits=attempt.job.limits,
        secrets=entry.secrets and (*entry.secrets, *services.passphrases()),
    )


def _run(attempt: Attempt, launch: Launch) -> Coroutine[Exit | Lost]:
    """Run a stage to its end; what a program that was killed left alive is stopped too."""
    end: Exit | Lost | None = None
    while end is None:
        try:
            end = yield Process.launch(attempt.services, launch, attempt.process_started)
        except SkerryError as error:
            yield from wait_for_room(attempt.entry.run, error)
    attempt.process_ended()
    if isinstance(end, Exit) and end.signal is not None:
        attempt.leaves((yield from stop(attempt)))
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
    run.behind += 1
    try:
        run.services.writes.disk_is_full(error)
        yield Sleep(run.services.writes.retry_seconds)
    finally:
        run.behind -= 1


def stop(attempt: Attempt) -> Coroutine[Left]:
    """End everything that the attempt started; gives what is left."""
    services, folder = attempt.services, attempt.entry.directory_text
    grace = services.workspace.settings.grace
    left: Left = yield ShieldedOffload(lambda: services.processes.stop_tree(folder, attempt.mark, grace))
    return left


def _start_alone(attempt: Attempt, launch: Launch) -> None:
    """Start an asynchronous job's process; the slot is free again at once."""
    services = attempt.services
    child = services.processes.spawn(launch)
    attempt.process_started(child)
    attempt.release_slot()
    services.supervised.watch(child, lambda: _reaped(attempt, child))


def left_alone(attempt: Attempt, found: Child | Exit | Lost) -> Done:
    """An asynchronous job's process that an earlier engine started."""
    if isinstance(found, Child):
        attempt.process_started(found)
        attempt.services.supervised.watch(found, lambda: _reaped(attempt, found))
        return Done()
    attempt.exit = found if isinstance(found, Exit) else None
    return Done()


def _reaped(attempt: Attempt, child: Child) -> None:
    end = child.reap(drained=True)
    if isinstance(end, Exit):
        attempt.exit = end
        attempt.update(exit_code=end.code, signal=end.signal)
        attempt.row.update(exit_code=end.code)


def _built_in(attempt: Attempt, name: str) -> Coroutine[Done]:
    """``{class: name}``: a job type of that name does the stage, with the job's parameters."""
    kind = attempt.services.job_types[name]
    assert isinstance(kind, CallType)
    return (yield from calls.made(attempt, kind, kind.keys()))
