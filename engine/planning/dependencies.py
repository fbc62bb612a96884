"""What a task's life-cycle asks of its schedule, and what tasks may wait for (contract 2.6)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.model.codes import planning as codes
from engine.model.definitions import Definitions
from engine.model.findings import Finding, error
from engine.model.message import Message
from engine.model.schedule import Schedule
from engine.model.states import TaskState
from engine.model.task import Task
from engine.planning.dag import cycles
from engine.planning.names import did_you_mean

_NOT_MATCHED = ("crontab", "condition")  # levels that take part in no dependencies
_LATEST_ONLY = ("interval", "once")


def task_findings(task: Task, definitions: Definitions) -> Iterator[Finding]:
    """An online task without a schedule; dependencies on tasks that are not there or cannot be matched."""
    if task.state is TaskState.ONLINE and task.schedule is None:
        text = "task '{task}' is online but has no schedule; write 'schedule: manual' if that is meant"
        yield error(codes.NO_SCHEDULE, text, ("tasks", task.id, "state"), task=task.id)
    for index, dependency in enumerate(task.depends_on):
        where = ("tasks", task.id, "depends_on", index)
        if dependency.task is not None and dependency.task not in definitions.tasks:
            hint = did_you_mean(dependency.task, definitions.tasks)
            message = "there is no task '{task}'{hint}"
            yield error(codes.UNKNOWN_TASK, message, (*where, "task"), task=dependency.task, hint=hint)
        elif dependency.task is not None:
            problem = _unmatched(definitions.tasks[dependency.task], dependency.window)
            if problem:
                yield error(codes.DEPENDS_ON, problem, where)


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


def _unmatched(upstream: Task, window: str) -> Message | None:
    schedule = upstream.schedule
    level = schedule.level if isinstance(schedule, Schedule) else None
    if level in _NOT_MATCHED:
        template = "task '{task}' has the level {level}, which takes no part in dependencies"
        return Message.of(template, task=upstream.id, level=level)
    if level in _LATEST_ONLY and window != "latest":
        template = "task '{task}' has the level {level}, of which only the window latest can be used"
        return Message.of(template, task=upstream.id, level=level)
    return None
