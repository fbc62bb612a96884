"""What the condition of a schedule reads: resources, and parameters of its own task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.model.codes import planning as codes
from engine.model.errors import SkerryError
from engine.model.expression import Reference, compile_condition
from engine.model.findings import Finding, Loc, error
from engine.model.resource import Resource
from engine.model.schedule import Schedule
from engine.model.task import Task
from engine.planning.expression_sites import ExpressionSite, read, resource_of
from engine.planning.names import did_you_mean
from engine.planning.reading import of_task

_TASK_FIELDS = ("ID", "PARAMS", "WORKSPACE")  # of a task none of whose instances exists
_ANSWER = ("ok", "message", "details", "took")  # contract, 2.1


def resources_read(condition: Any) -> frozenset[str]:
    """The resources that a condition looks at, as read or as written; none of one that is not right."""
    whole = resource_of(condition)
    if whole is not None or not isinstance(condition, str):
        return frozenset([whole] if whole is not None else ())
    try:
        references = compile_condition(condition).references
    except SkerryError:
        return frozenset()
    return frozenset(each.key for each in references if each.root == "RESOURCE" and each.key is not None)


def condition_findings(task: Task, resources: Mapping[str, Resource]) -> Iterator[Finding]:
    """What would keep the condition of a task's schedule from ever being answered."""
    schedule = task.schedule
    if not isinstance(schedule, Schedule) or schedule.condition is None:
        return
    where: Loc = ("tasks", task.id, "schedule", "condition")
    for id in sorted(resources_read(schedule.condition) - resources.keys()):
        text = "there is no resource '{id}'{hint}"
        yield error(codes.UNKNOWN_RESOURCE, text, where, id=id, hint=did_you_mean(id, resources))
    site = ExpressionSite((), schedule.condition, condition=True)
    for found in read(iter([site]), where):
        if found.finding is not None:
            yield found.finding
        for reference in found.references:
            yield from _reference(reference, task, where)


def _reference(reference: Reference, task: Task, where: Loc) -> Iterator[Finding]:
    match reference.steps:
        case ("RESOURCE", str(), str(name), *_) if name not in _ANSWER:
            text = "{path}: the check of a resource gives no '{name}'{hint}"
            hint = did_you_mean(name, _ANSWER)
            yield error(codes.UNKNOWN_FIELD, text, where, path=reference.text, name=name, hint=hint)
        case ("TASK", str(field), *_) if field in _TASK_FIELDS:
            yield from of_task(reference, task, where)
        case ("RESOURCE", str(), *_):
            return
        case _:
            text = "{path}: the condition of a schedule reads $.TASK.PARAMS and $.RESOURCE['id'] alone"
            yield error(codes.UNKNOWN_FIELD, text, where, path=reference.text)
