"""The jobs of a node: its own, and the members of a group; each with the values it is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from engine.model.control import GroupKeys, Member, SubTaskKeys
from engine.model.definitions import Definitions
from engine.model.findings import Loc
from engine.model.job import Job
from engine.model.task import Node, Task
from engine.planning.graph import Graph, job_of, job_place, place

MAX_DEPTH = 20  # of groups within groups


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

    @property
    def several(self) -> bool:
        """Whether the node becomes a list of jobs."""
        return self.node.for_each is not None or isinstance(self.node.params, tuple)

    @property
    def member(self) -> tuple[int, ...]:
        """Its position within a group, and within groups in that; empty for the node's own job."""
        return tuple(map(int, self.name[len(self.node.id) :].split(".")[1:]))

    @property
    def inline(self) -> bool:
        """Whether the job stands in the task itself, not in ``jobs``."""
        return self.where[0] == "tasks"


def uses_of(graph: Graph, definitions: Definitions) -> Iterator[Use]:
    """Every job of every node, a group before its members."""
    for id, job in graph.jobs.items():
        node = graph.task.nodes[id]
        given = node.params if isinstance(node.params, tuple) else (node.params,)
        use = Use(id, node, job, given, job_place(graph.task, id), place(graph.task, id, "params"))
        yield use
        if members(job):
            yield from _members(use, definitions)


def _members(group: Use, definitions: Definitions) -> Iterator[Use]:
    ahead = [group]
    while ahead:
        outer = ahead.pop(0)
        for index, member in enumerate(members(outer.job)):
            job = _job_of_member(member, definitions)
            if job is not None:
                use = _member_use(outer, index, member, job)
                yield use
                if members(job) and use.name.count(".") - group.name.count(".") < MAX_DEPTH:
                    ahead.append(use)


def _member_use(outer: Use, index: int, member: Member, job: Job) -> Use:
    here: Loc = (*outer.where, "jobs", index)
    where = here if isinstance(member.job, Job) else ("jobs", job.id)
    return Use(f"{outer.name}.{index}", outer.node, job, (member.params,), where, (*here, "params"))


def members(job: Job) -> tuple[Member, ...]:
    """The members of a group; nothing for any other job."""
    if not isinstance(job.settings, GroupKeys):
        return ()
    return job.settings.jobs or tuple(Member(job=id) for id in _stage_group(job))


def _stage_group(job: Job) -> list[str]:
    stage = job.process
    named = stage.value if stage is not None and stage.kind == "group" else []
    return [each for each in named if isinstance(each, str)] if isinstance(named, (list, tuple)) else []


def _job_of_member(member: Member, definitions: Definitions) -> Job | None:
    return member.job if isinstance(member.job, Job) else definitions.jobs.get(member.job)


def sub_task(job: Job) -> str | None:
    """The task that a job starts."""
    if isinstance(job.settings, SubTaskKeys) and job.settings.task is not None:
        return job.settings.task
    stages = [stage.value for stage in (job.process, job.ready, job.end) if stage and stage.kind == "task"]
    return str(stages[0]) if stages else None


def sub_tasks(task: Task, definitions: Definitions) -> Iterator[tuple[str, str]]:
    """Each node of a task that starts another task (itself or by a member), and that task."""
    for id, node in task.nodes.items():
        job = job_of(node, definitions)
        for each in with_members(job, definitions) if job else ():
            started = sub_task(each)
            if started is not None:
                yield id, started


def with_members(job: Job, definitions: Definitions) -> Iterator[Job]:
    """A job and, of a group, its members and theirs."""
    seen: set[str] = set()
    ahead = [job]
    while ahead:
        each = ahead.pop()
        yield each
        for member in members(each):
            inner = _job_of_member(member, definitions)
            if inner is not None and inner.id not in seen:
                seen.add(inner.id)
                ahead.append(inner)
