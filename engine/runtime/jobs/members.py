"""Jobs within a job, run in order: the members of a group, and stages that are made of jobs."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any, NamedTuple

from engine.model.codes.runtime import MEMBER_FAILED
from engine.model.control import GroupKeys, Member
from engine.model.errors import SkerryError
from engine.model.expression import Template
from engine.model.job import Job, ParamSpec, Stage
from engine.model.states import JobState
from engine.planning.uses import handed_names, members, stage_members
from engine.runtime.fibers import Coroutine, Fiber, Stopped, Wait
from engine.runtime.jobs.execution import JobExecution
from engine.runtime.param_binding import Binding, bindings, with_defaults


class Inner(NamedTuple):
    """One of them: what its name ends in (``0``, ``ready.0``), the job, where its parameters come from."""

    name: str
    job: Job
    rows: tuple[Binding, ...]


class End(Wait):
    """Until something that lives by itself has ended; an interrupt is passed on and its end awaited."""

    def __init__(
        self, start: Callable[[Callable[[Any], None]], None], stop: Callable[[Stopped], None]
    ) -> None:
        self._start = start
        self._stop = stop
        self._stopped: Stopped | None = None

    def begin(self, fiber: Fiber) -> None:
        self._start(lambda value: fiber.loop.soon(lambda: self._end(fiber, value)))

    def _end(self, fiber: Fiber, value: Any) -> None:
        if self._stopped is not None:
            fiber.fail(self._stopped)
        else:
            fiber.resume(value)

    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        self._stopped = stopped
        self._stop(stopped)


# -- which they are --------------------------------------------------------------------------------


def of_group(job: JobExecution, keys: GroupKeys) -> Iterator[Inner]:
    """A group's members; the group's parameters are the defaults of theirs."""
    found = keys.jobs or members(job.job)
    return (_member(job, str(position), member) for position, member in enumerate(found))


def of_stage(job: JobExecution, name: str, stage: Stage) -> Iterator[Inner]:
    """The jobs that a ready or end stage is made of.

    A sub-task gets those of the job's parameters that it has; a program beside a job that has no slot
    of its own (a condition, wait, group or task) is a shell job and gets all of them.
    """
    for position, member in enumerate(stage_members(stage)):
        inner = _member(job, f"{name}.{position}", member)
        yield inner._replace(rows=_handed_on(job, stage)) if stage.kind == "task" else inner
    if stage.kind not in ("group", "task"):
        program = Job(id=f"{job.job.id}.{name}", type="shell", process=stage, limits=job.job.limits)
        yield Inner(f"{name}.0", program, _handed_on(job, stage))


def _member(job: JobExecution, name: str, member: Member) -> Inner:
    plan = job.run.plan
    definition = member.job if isinstance(member.job, Job) else plan.definitions.jobs[member.job]
    table = job.services.job_types[definition.type].params
    reusable = isinstance(member.job, str)
    rows = bindings(definition, table, plan.task, member.params, reusable=reusable)
    names = handed_names(definition, job.params, plan.definitions, table)
    return Inner(name, definition, with_defaults(rows, _as_they_are(job, names)))


def _handed_on(job: JobExecution, stage: Stage) -> tuple[Binding, ...]:
    """The values that the job was given, as they are; a stored secret goes by its name."""
    tasks = job.run.plan.definitions.tasks
    return _as_they_are(job, tasks[str(stage.value)].params if stage.kind == "task" else job.params)


def _as_they_are(job: JobExecution, wanted: Container[str]) -> tuple[Binding, ...]:
    return tuple(_as_it_is(row, job.params[row.name]) for row in job.rows if row.name in wanted)


def _as_it_is(row: Binding, value: Any) -> Binding:
    if isinstance(row.spec.secret, str):
        return row
    spec = ParamSpec(value=value, dynamic=False, secret=row.spec.secret)
    return Binding(row.name, spec, Template(value, value, (), literal=True), evaluated=False)


# -- one after the other ---------------------------------------------------------------------------


def in_order(job: JobExecution, inner: Iterable[Inner]) -> Coroutine[dict[str, Any]]:
    """Run them until one fails (MEMBER_FAILED); gives the results of the last."""
    results: dict[str, Any] = {}
    before = 0
    for each in inner:
        member = _execution(job, each, before)
        before = member.id
        if not member.state.ended:
            yield End(
                lambda ended, member=member: member.start(lambda: ended(None)),  # type: ignore[misc]
                lambda stopped, member=member: member.interrupt(_again(stopped)),  # type: ignore[misc]
            )
        results = member.entry.get("RESULT", {})
        if member.state is not JobState.SUCCEEDED:
            message = member.failure.message if member.failure else str(member.state)
            nested = message.startswith(f"member '{member.node}.")  # it names the whole way already
            text = message if nested else f"member {member.node!r}: {message}"
            raise SkerryError(MEMBER_FAILED, text, where=member.node)
    return dict(results)


def _execution(job: JobExecution, inner: Inner, before: int) -> JobExecution:
    """The next one. What an earlier engine left of it goes on, unless that was of an earlier attempt."""
    node = f"{job.node}.{inner.name}"
    id, left = job.run.job_rows.take(node, job.index, job.round) if _taken_up(job) else (None, None)
    if id is None or id < before:
        left, id = None, job.run.job_rows.insert(node, inner.job, job.index, job.round, parent=job.id)
    at: dict[str, Any] = {"index": job.index, "round": job.round, "item": job.item}
    return JobExecution(job.run, job.body_of, inner.job, node, id, inner.rows, **at, left=left, outer=job)


def _taken_up(job: JobExecution) -> bool:
    """Whether this is the very attempt that an earlier engine was at."""
    return job.left is not None and job.left.attempt == job.attempt


def _again(stopped: Stopped) -> Stopped:
    return Stopped(stopped.kind, stopped.actor, stopped.why)
