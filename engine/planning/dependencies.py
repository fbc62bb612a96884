"""What a task's life-cycle asks of its schedule, and what tasks may wait for (contract 2.6)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.model.codes import planning as codes
from engine.model.codes.schedules import UPSTREAM_NOT_READY, WAITS_WITHOUT_TIMEOUT
from engine.model.definitions import Definitions
from engine.model.findings import Finding, Loc, error, warning
from engine.model.schedule import Dependency
from engine.model.states import TaskState
from engine.model.task import Task
from engine.planning.dag import cycles
from engine.planning.names import did_you_mean
from engine.planning.schedules.pairing import Unpaired, level_of, pairing


def task_findings(task: Task, definitions: Definitions, *, is_new: bool = True) -> Iterator[Finding]:
    """An online task without a schedule; dependencies on tasks that are not there or cannot be matched.

    ``is_new``: the workspace does not have it, so that its ``state`` counts.
    """
    comes_online = is_new and task.state is TaskState.ONLINE
    if comes_online and task.schedule is None:
        text = "task '{task}' is online but has no schedule; write 'schedule: manual' if that is meant"
        yield error(codes.NO_SCHEDULE, text, ("tasks", task.id, "state"), task=task.id)
    for index, dependency in enumerate(task.depends_on):
        where = ("tasks", task.id, "depends_on", index)
        if dependency.task is not None and dependency.task not in definitions.tasks:
            hint = did_you_mean(dependency.task, definitions.tasks)
            message = "there is no task '{task}'{hint}"
            yield error(codes.UNKNOWN_TASK, message, (*where, "task"), task=dependency.task, hint=hint)
        elif dependency.task is not None:
            upstream = definitions.tasks[dependency.task]
            yield from _unpaired(task, dependency, upstream, where, comes_online=comes_online)
        if task.timeout is None and dependency.timeout is None:
            yield from _endless(dependency, where)


def _endless(dependency: Dependency, where: Loc) -> Iterator[Finding]:
    """What a dependency without a timeout can wait for in vain."""
    if dependency.on_failure == "wait":
        text = "it waits for ever where this one fails: neither the task nor the dependency has a timeout"
        yield warning(WAITS_WITHOUT_TIMEOUT, text, (*where, "on_failure"))


def waits_in_circles(definitions: Definitions) -> Iterator[Finding]:
    """The cycles of ``depends_on``, each with its path; a task may wait for itself (``self: true``)."""
    parents = {
        id: [str(each.task) for each in task.depends_on if each.task in definitions.tasks]
        for id, task in definitions.tasks.items()
    }
    for cycle in cycles(parents):
        path = " -> ".join((*cycle, cycle[0]))
        message = "tasks wait for each other: {path}"
        yield error(codes.TASKS_WAIT, message, ("tasks", cycle[0], "depends_on"), path=path)


def _unpaired(
    task: Task, dependency: Dependency, upstream: Task, where: Loc, *, comes_online: bool
) -> Iterator[Finding]:
    found = pairing(dependency, level_of(task.schedule), level_of(upstream.schedule))
    if isinstance(found, Unpaired) and task.schedule is not None and upstream.schedule is not None:
        yield error(
            codes.DEPENDS_ON, "task '{task}': {message}", where, task=upstream.id, message=found.wording
        )
    if comes_online and upstream.state is TaskState.INIT:
        text = "task '{task}' is init: what an online task waits for is online or offline"
        yield error(UPSTREAM_NOT_READY, text, (*where, "task"), task=upstream.id)
