"""Jobs within a job, run in order: the members of a group, and stages that are made of jobs."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any, NamedTuple

from engine.model.codes.runtime import MEMBER_FAILED
from engine.model.control import GroupKeys, Member
from engine.model.errors import Failure, SkerryError
from engine.model.expression import literal_value
from engine.model.job import Job, ParamSpec, Stage
from engine.model.states import JobState
from engine.planning.inherited import within
from engine.planning.uses import handed_names, members, stage_members
from engine.plugins.job_type import ProgramType
from engine.runtime.fibers import Awaited, Coroutine, Fiber, Stopped
from engine.runtime.jobs.execution import JobExecution
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.param_binding import Binding, bindings, with_defaults
from engine.runtime.run_state.job_identity import JobIdentity


class Inner(NamedTuple):
    """One of them: what its name ends in (``0``, ``ready.0``), the job, where its parameters come from."""

    name: str
    job: Job
    rows: tuple[Binding, ...]


class End(Awaited):
    """Until something that lives by itself has ended; an interrupt is passed on and its end awaited."""

    def __init__(
        self, start: Callable[[Callable[[Any], None]], None], stop: Callable[[Stopped], None]
    ) -> None:
        self._start = start
        self._stop = stop

    def begin(self, fiber: Fiber) -> None:
        self._start(lambda value: fiber.loop.soon(lambda: self._over(fiber, value)))

    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        self._stopped = stopped
        self._stop(stopped)


# -- which they are --------------------------------------------------------------------------------


def of_group(entry: JobEntry, keys: GroupKeys) -> Iterator[Inner]:
    """A group's members; the group's parameters are the defaults of theirs."""
    found = keys.jobs or members(entry.job)
    return (_member(entry, str(position), member) for position, member in enumerate(found))


def of_stage(entry: JobEntry, name: str, stage: Stage) -> Iterator[Inner]:
    """The jobs that a ready or end stage is made of.

    A sub-task gets those of the job's parameters that it has; a program beside a job that has no slot
    of its own (a condition, wait, group or task) is a shell job and gets all of them.
    """
    for position, member in enumerate(stage_members(stage)):
        inner = _member(entry, f"{name}.{position}", member)
        yield inner._replace(rows=_handed_on(entry, stage)) if stage.kind == "task" else inner
    if stage.kind not in ("group", "task"):
        job = entry.job
        program = within(Job(id=f"{job.id}.{name}", type="shell", process=stage, limits=job.limits), job)
        yield Inner(f"{name}.0", program, _handed_on(entry, stage))


def _member(entry: JobEntry, name: str, member: Member) -> Inner:
    plan = entry.run.facts.plan
    definition = member.job if isinstance(member.job, Job) else plan.definitions.jobs[member.job]
    table = entry.services.job_types[definition.type].params
    reusable = isinstance(member.job, str)
    rows = bindings(definition, table, plan.task, member.params, reusable=reusable)
    names = handed_names(definition, entry.params, plan.definitions, table)
    inner = _where_it_is(within(definition, entry.job), entry)
    return Inner(name, inner, with_defaults(rows, _as_they_are(entry, names)))


def _where_it_is(member: Job, entry: JobEntry) -> Job:
    """A program within a group runs where the group does, if it does not say where itself."""
    on, kind = entry.job.on, entry.services.job_types[member.type]
    moves = isinstance(kind, ProgramType) or member.type == "group"
    if on.is_local or "on" in member.model_fields_set or not moves:
        return member
    return member.model_copy(update={"on": on})


def _handed_on(entry: JobEntry, stage: Stage) -> tuple[Binding, ...]:
    """The values that the job was given, as they are; a stored secret goes by its name."""
    tasks = entry.run.facts.plan.definitions.tasks
    return _as_they_are(entry, tasks[str(stage.value)].params if stage.kind == "task" else entry.params)


def _as_they_are(entry: JobEntry, names: Container[str]) -> tuple[Binding, ...]:
    return tuple(_as_it_is(row, entry.params[row.name]) for row in entry.rows if row.name in names)


def _as_it_is(row: Binding, value: Any) -> Binding:
    if isinstance(row.spec.secret, str):
        return row
    spec = ParamSpec(value=value, dynamic=False, secret=row.spec.secret)
    return Binding(row.name, spec, literal_value(value))


# -- one after the other ---------------------------------------------------------------------------


def in_order(job: JobExecution, inner: Iterable[Inner]) -> Coroutine[dict[str, Any]]:
    """Run them until one fails (MEMBER_FAILED); gives the results of the last."""
    results: dict[str, Any] = {}
    before = 0
    for each in inner:
        member = _execution(job, each, before)
        before = member.identity.id
        if not member.row.state.ended:
            yield End(
                lambda ended, member=member: member.start(lambda: ended(None)),  # type: ignore[misc]
                lambda stopped, member=member: member.interrupt(_again(stopped)),  # type: ignore[misc]
            )
        results = member.entry.tree.get("RESULT", {})
        if member.row.state is not JobState.SUCCEEDED:
            raise _member_failed(member)
    return dict(results)


def _member_failed(member: JobExecution) -> SkerryError:
    """Of a group within a group the failure of its member, which names the whole way already."""
    node = member.identity.node
    failure = member.failure or Failure.new(MEMBER_FAILED, str(member.row.state))
    is_nested = member.identity.job.type == "group" and (failure.where or "").startswith(f"{node}.")
    shown = failure if is_nested else failure.passed_on("member {node!r}: {message}", node=node)
    return SkerryError(MEMBER_FAILED, shown.message, where=node, origin=failure.origin)


def _execution(job: JobExecution, inner: Inner, before: int) -> JobExecution:
    """The next one. What an earlier engine left of it goes on, unless that was of an earlier attempt."""
    outer, rows = job.identity, job.run.job_rows
    node, index, round = f"{outer.node}.{inner.name}", outer.index, outer.round
    taken_up = job.left is not None and job.left.attempt == job.attempt.number
    id, left = rows.take(node, index, round) if taken_up else (None, None)
    if id is None or id < before:
        left, id = None, rows.insert(node, inner.job, index, round, parent=outer.id)
    kind = job.services.job_types[inner.job.type]
    identity = JobIdentity(inner.job, kind, node, id, index, round, outer.item, outer)
    return JobExecution(job.run, job.body_of, identity, inner.rows, left, job)


def _again(stopped: Stopped) -> Stopped:
    return Stopped(stopped.kind, stopped.actor, stopped.why)
