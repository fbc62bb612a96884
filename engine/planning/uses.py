"""The jobs of a node: its own, and the members of a group; each with the values it is given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.model.codes import planning as codes
from engine.model.control import GroupKeys, Member, SubTaskKeys
from engine.model.definitions import Definitions
from engine.model.findings import Finding, Loc, error
from engine.model.job import Job, Stage
from engine.model.task import Node, Task
from engine.planning.graph import Graph, job_of, job_path, node_path

if TYPE_CHECKING:
    from engine.planning.shape import Plan

MAX_DEPTH = 20  # of groups within groups


class Part(NamedTuple):
    """A job within another one: a member of a group, or what a ready or end stage is made of.

    ``name`` is what follows the outer one's: ``0`` or ``ready.0``; ``where`` its place in the outer one.
    """

    name: str
    where: Loc
    member: Member


class Use(NamedTuple):
    """One job as a node uses it. ``name`` is what expressions call it: the node, or ``report.0``.

    ``given`` has one map for each member of a batch; ``where`` is the place of the job in the file,
    ``given_where`` that of the values.
    """

    name: str
    node: Node
    job: Job
    given: tuple[Mapping[str, Any], ...]
    where: Loc
    given_where: Loc
    handed: frozenset[str] = frozenset()  # the parameters of the group that it is a member of

    @property
    def several(self) -> bool:
        """Whether the node becomes a list of jobs."""
        return self.node.for_each is not None or isinstance(self.node.params, tuple)

    @property
    def member(self) -> tuple[int, ...]:
        """Its position within a group, and within groups in that; empty for the node's own job."""
        return tuple(_position(each) for each in self.name[len(self.node.id) :].split(".")[1:])

    @property
    def inline(self) -> bool:
        """Whether the job is written in the task itself, not in ``jobs``."""
        return self.where[0] == "tasks"


def uses_of(graph: Graph, definitions: Definitions) -> Iterator[Use]:
    """Every job of every node, a group before its members."""
    for id, job in graph.jobs.items():
        node = graph.task.nodes[id]
        given = node.params if isinstance(node.params, tuple) else (node.params,)
        use = Use(id, node, job, given, job_path(graph.task, id), node_path(graph.task, id, "params"))
        yield use
        yield from _inner_uses(use, definitions)


_STAGES = {"ready": -1, "end": 1 << 30}  # before and after every member


def _position(part: str) -> int:
    return _STAGES[part] if part in _STAGES else int(part)


def _inner_uses(node: Use, definitions: Definitions) -> Iterator[Use]:
    ahead = [node]
    while ahead:
        outer = ahead.pop(0)
        for part in parts(outer.job):
            job = job_of(part.member, definitions)
            if job is None:
                continue
            use = _part_use(outer, part, job, definitions)
            yield use
            if use.name.count(".") - node.name.count(".") < MAX_DEPTH:
                ahead.append(use)


def _part_use(outer: Use, part: Part, job: Job, definitions: Definitions) -> Use:
    here: Loc = (*outer.where, *part.where)
    where = here if isinstance(part.member.job, Job) else ("jobs", job.id)
    given = part.member.params
    if part.where[-1] == "task" and job.type == "task":
        given = _handed_on(outer, sub_task(job), definitions)
    has = {*outer.job.params, *outer.handed, *(name for each in outer.given for name in each)}
    name = f"{outer.name}.{part.name}"
    return Use(name, outer.node, job, (given,), where, (*here, "params"), frozenset(has))


def handed_names(
    job: Job, names: Iterable[str], definitions: Definitions, table: Mapping[str, Any]
) -> frozenset[str]:
    """Which of a group's parameters a member gets: those that its task or type has, a program all."""
    started = definitions.tasks.get(sub_task(job) or "")
    known = started.params if started else table
    return frozenset(names) & known.keys() if started or table else frozenset(names)


def _handed_on(outer: Use, started: str | None, definitions: Definitions) -> dict[str, Any]:
    """A stage that is a task gets those parameters of its job that the task has."""
    task = definitions.tasks.get(started or "")
    has = {*outer.job.params, *(name for each in outer.given for name in each)}
    return dict.fromkeys(sorted(has & task.params.keys())) if task else {}


def parts(job: Job) -> Iterator[Part]:
    """The jobs within a job: a group's members, and those that its ready and end stages are made of."""
    path: Loc = ("jobs",) if job.process is None else ("process", "group")
    for index, member in enumerate(members(job)):
        yield Part(str(index), (*path, index), member)
    for name, stage in (("ready", job.ready), ("end", job.end)):
        for index, member in enumerate(stage_members(stage)):
            inside: Loc = ("group", index) if stage and stage.kind == "group" else ("task",)
            yield Part(f"{name}.{index}", (name, *inside), member)


def named_like_members(graph: Graph) -> Iterator[Finding]:
    """Members appear in the context beside the nodes, so no node can have the name of one."""
    for id, job in graph.jobs.items():
        for name in (f"{id}.{part.name}" for part in parts(job)):
            if name in graph.task.nodes:
                text = "'{name}' is already the name of a member of '{id}'"
                yield error(codes.NODE_LIKE_MEMBER, text, node_path(graph.task, name), name=name, id=id)


def members(job: Job) -> tuple[Member, ...]:
    """The members of a group; nothing for any other job."""
    if not isinstance(job.settings, GroupKeys):
        return ()
    return job.settings.jobs or stage_members(job.process)


def stage_members(stage: Stage | None) -> tuple[Member, ...]:
    """The jobs of a stage that is ``{group: …}`` or ``{task: …}``; nothing for one that is a program."""
    if stage is not None and stage.kind == "group":
        return tuple(stage.value)
    if stage is not None and stage.kind == "task":
        started = str(stage.value)
        return (Member(job=Job(id=started, type="task", settings=SubTaskKeys(task=started))),)
    return ()


def definition_of(plan: Plan, node: str) -> Job | None:
    """The job of a node, or of what that is made of: ``report.0``, ``load.ready.1``; None where none is."""
    if (planned := plan.node(node)) is not None:
        return planned.job
    outer, _, position = node.rpartition(".")
    owner, _, stage = outer.rpartition(".")
    if not position.isdecimal():
        return None
    of_stage = definition_of(plan, owner) if stage in ("ready", "end") else None
    job = definition_of(plan, outer) if of_stage is None else None
    found = members(job) if job is not None else stage_members(getattr(of_stage, stage, None))
    if int(position) >= len(found):
        return None
    return job_of(found[int(position)], plan.definitions)


def sub_task(job: Job) -> str | None:
    if isinstance(job.settings, SubTaskKeys) and job.settings.task is not None:
        return job.settings.task
    return str(job.process.value) if job.process is not None and job.process.kind == "task" else None


def sub_tasks(task: Task, definitions: Definitions) -> Iterator[tuple[str, str]]:
    """Each node of a task that starts another task (itself or by a member), and that task."""
    for id, node in _with_handlers(task):
        job = job_of(node, definitions)
        for each in with_members(job, definitions) if job else ():
            started = sub_task(each)
            if started is not None:
                yield id, started


def _with_handlers(task: Task) -> Iterator[tuple[str, Node]]:
    yield from task.nodes.items()
    yield from ((node.id, node) for node in task.on_end.values())


def with_members(job: Job, definitions: Definitions) -> Iterator[Job]:
    seen: set[str] = set()
    ahead = [job]
    while ahead:
        each = ahead.pop()
        yield each
        for part in parts(each):
            inner = job_of(part.member, definitions)
            if inner is not None and (inner.id not in seen or inner.type == "task"):
                seen.add(inner.id)
                ahead.append(inner)
