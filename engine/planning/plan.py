"""From a task's definition to a frozen plan, with every finding at once; and the check of all definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from engine.model.codes.planning import NO_NODES, UNKNOWN_TASK
from engine.model.definitions import Definitions
from engine.model.findings import Finding, error, warning
from engine.model.job import Job
from engine.planning import graph as graphs
from engine.planning import handlers
from engine.planning.dag import turned
from engine.planning.dependencies import task_findings, waits_in_circles
from engine.planning.graph import Graph
from engine.planning.inherited import of_node
from engine.planning.jobs import job_findings, job_params_findings, param_findings, task_resources
from engine.planning.loops import LoopFinder, Loops, deadlocks
from engine.planning.names import did_you_mean
from engine.planning.outline import Key
from engine.planning.program_findings import program_findings
from engine.planning.reading import Checker, alone_findings
from engine.planning.resource_findings import resource_findings
from engine.planning.schedules.condition_reads import condition_findings
from engine.planning.schedules.findings import TasksThere, schedule_findings
from engine.planning.shape import BranchLoop, Plan, Planning, PlanNode
from engine.planning.subtasks import endless_groups, self_starts, too_deep
from engine.planning.uses import named_like_members, uses_of
from engine.plugins.registry import JobTypes

_NONE_THERE = TasksThere()

__all__ = ["BranchLoop", "Key", "Plan", "PlanNode", "Planning", "check", "plan"]


def plan(task_id: str, definitions: Definitions, job_types: JobTypes) -> Planning:
    """The plan of one task, or None where something is an error; linear in nodes and arrows."""
    task = definitions.tasks.get(task_id)
    if task is None:
        text, hint = "there is no task '{task}'{hint}", did_you_mean(task_id, definitions.tasks)
        return Planning(None, (error(UNKNOWN_TASK, text, ("tasks", task_id), task=task_id, hint=hint),))
    graph = graphs.read(task, definitions)
    whole = len(graph.outline.sorts) == len(task.nodes)
    loops = LoopFinder(graph).find() if whole else Loops({}, {}, {})
    ends = handlers.graph_of(task, definitions)
    of_graphs = (*_of_graph(graph, loops, definitions), *graphs.findings(ends, definitions))
    found = _once((*of_graphs, *_of_jobs(graph, ends, definitions, job_types)))
    if any(each.severity == "error" for each in found):
        return Planning(None, found)
    return Planning(_assemble(graph, ends, loops, definitions, job_types), found)


def _of_graph(graph: Graph, loops: Loops, definitions: Definitions) -> Iterator[Finding]:
    yield from graphs.findings(graph, definitions)
    yield from named_like_members(graph)
    yield from deadlocks(graph, loops) if loops.loops else ()
    yield from self_starts(definitions, [graph.task.id])
    yield from endless_groups(definitions)


def _of_jobs(graph: Graph, ends: Graph, definitions: Definitions, job_types: JobTypes) -> Iterator[Finding]:
    uses = [*uses_of(graph, definitions), *uses_of(ends, definitions)]
    for where, job in {use.where: use.job for use in uses}.items():
        yield from job_findings(job, where, definitions)
    yield from task_resources(graph.task, definitions)
    yield from job_params_findings(graph.task, {**graph.jobs, **ends.jobs}, definitions)
    for use in uses:
        yield from param_findings(use, graph.task, definitions, job_types)
    yield from Checker(graph, uses, definitions, job_types).findings()


def _assemble(graph: Graph, ends: Graph, loops: Loops, definitions: Definitions, job_types: JobTypes) -> Plan:
    children, task = turned(graph.outline.parents), graph.task
    jobs = {id: of_node(graph.jobs[id], task.nodes[id], task, job_types) for id in graph.outline.sorts}
    nodes = {id: _node(graph, job, id, tuple(children[id])) for id, job in jobs.items()}
    users: dict[str, list[str]] = {}
    for id in nodes:
        users.setdefault(graph.jobs[id].id, []).append(id)
    return Plan(
        task=graph.task,
        nodes=nodes,
        depth=max(graph.outline.sorts.values(), default=0),
        job_nodes={job: tuple(ids) for job, ids in users.items()},
        definitions=definitions,
        loops=loops.loops,
        branches=loops.branches,
        inner=loops.inner,
        handlers=handlers.planned(ends, job_types),
    )


def _node(graph: Graph, job: Job, id: str, children: tuple[str, ...]) -> PlanNode:
    return PlanNode(
        id=id,
        node=graph.task.nodes[id],
        job=job,
        parents=graph.outline.parents[id],
        children=children,
        sort=graph.outline.sorts[id],
        branch=graph.outline.gates.get(id),
    )


def _once(found: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(dict.fromkeys(found))


def check(
    definitions: Definitions,
    job_types: JobTypes,
    now: datetime | None = None,
    there: TasksThere = _NONE_THERE,
) -> tuple[Finding, ...]:
    """Everything that planning can find in a whole set of definitions; paths into the file's tree.

    ``now``: schedules that do not fire after it never fire; without it those that never would. What of that
    is ``there`` already may be over, and its state was decided when it got it.
    """
    return _once(_all_findings(definitions, job_types, now, there))


def _all_findings(
    definitions: Definitions, job_types: JobTypes, now: datetime | None, there: TasksThere
) -> Iterator[Finding]:
    for task_id, task in definitions.tasks.items():
        yield from schedule_findings(
            task, definitions.calendars, None if task_id in there.same_schedule else now
        )
        yield from condition_findings(task, definitions.resources)
        yield from task_findings(task, definitions, is_new=task_id not in there.all)
        if not task.nodes:
            text = "task '{task}' has no nodes: a run of it does nothing"
            yield warning(NO_NODES, text, ("tasks", task_id), task=task_id)
        yield from plan(task_id, definitions, job_types).findings
    yield from waits_in_circles(definitions)
    yield from too_deep(definitions)
    for id, job in definitions.jobs.items():
        yield from job_findings(job, ("jobs", id), definitions)
    yield from program_findings(definitions, job_types)
    yield from resource_findings(definitions, job_types)
    yield from alone_findings(definitions, job_types)
