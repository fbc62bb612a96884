"""Tasks that would start themselves, also by way of other tasks; and groups that contain themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.model.codes.planning import STARTS_ITSELF, SUBTASKS_TOO_DEEP
from engine.model.definitions import Definitions
from engine.model.findings import Finding, error
from engine.planning.dag import cycles, distances, turned
from engine.planning.graph import node_path
from engine.planning.uses import members, sub_tasks, with_members

MAX_SUBTASKS = 32  # sub-tasks within each other, below the instance that was started


def self_starts(definitions: Definitions, tasks: Iterable[str]) -> Iterator[Finding]:
    """The cycles of sub-tasks that can be reached from ``tasks``, each with its path."""
    starts: dict[str, dict[str, str]] = {}  # task -> the task it starts -> the node that does
    ahead = list(tasks)
    while ahead:
        id = ahead.pop()
        if id not in starts and id in definitions.tasks:
            starts[id] = {started: node for node, started in sub_tasks(definitions.tasks[id], definitions)}
            ahead.extend(starts[id])
    found = [id for id in definitions.tasks if id in starts]  # so that a cycle reads the same from each task
    arrows = {id: [other for other in starts[id] if other in starts] for id in found}
    for cycle in cycles(turned(arrows)):
        after = cycle[1] if len(cycle) > 1 else cycle[0]
        where = node_path(definitions.tasks[cycle[0]], starts[cycle[0]][after])
        message = "task '{name}' would start itself: {path}"
        yield error(STARTS_ITSELF, message, where, name=cycle[0], path=_shown(cycle))


def too_deep(definitions: Definitions) -> Iterator[Finding]:
    """Tasks that lie more than ``MAX_SUBTASKS`` sub-tasks below another one; the uppermost of each line."""
    starters: dict[str, list[str]] = {id: [] for id in definitions.tasks}
    for id, task in definitions.tasks.items():
        for _, started in sub_tasks(task, definitions):
            starters.get(started, []).append(id)
    for id, level in distances(starters).items():
        if level == MAX_SUBTASKS + 2:
            text = "task '{id}' lies more than {most} sub-tasks below another one"
            yield error(SUBTASKS_TOO_DEEP, text, ("tasks", id), id=id, most=MAX_SUBTASKS)


def endless_groups(definitions: Definitions) -> Iterator[Finding]:
    """Groups that contain themselves, directly or by way of other groups."""
    groups = {
        id: list(with_members(job, definitions))[1:] for id, job in definitions.jobs.items() if members(job)
    }
    arrows = {id: [other.id for other in inner if other.id in groups] for id, inner in groups.items()}
    for cycle in cycles(turned(arrows)):
        where = ("jobs", cycle[0], "jobs")
        yield error(
            STARTS_ITSELF, "group '{name}' contains itself: {path}", where, name=cycle[0], path=_shown(cycle)
        )


def _shown(cycle: tuple[str, ...]) -> str:
    return " -> ".join((*cycle, cycle[0]))
