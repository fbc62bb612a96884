"""A request to run a task, and its parameters made ready."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from engine.context.line import json_text
from engine.model.codes.runtime import PARAM_MISSING, PARAM_UNFIT, PARAM_UNKNOWN
from engine.model.definitions import Definitions
from engine.model.errors import Invalid, SkerryError
from engine.model.message import Message
from engine.model.states import Trigger
from engine.model.task import Task
from engine.runtime.param_binding import fit, from_text


@dataclass(frozen=True)
class Submission:
    """A request to run a task. ``definitions`` None: those of the workspace."""

    task: str
    definitions: Definitions | None = None
    params: Mapping[str, Any] = field(default_factory=dict)  # typed values
    text_params: Mapping[str, str] = field(default_factory=dict)  # from -p: converted by their kind
    folder: str | None = None  # to which relative files among the text_params belong
    trigger: Trigger = Trigger.MANUAL
    actor: str = "operator"
    priority: int | None = None
    scheduled_time: datetime | None = None  # None: the moment of the start
    parent: int | None = None  # the JobInstance that starts it as a sub-task
    reason: str | None = None  # why, for whoever looks at the run
    revision: int | None = None  # of the task's definition; None: looked up
    upstream: Mapping[str, Any] = field(default_factory=dict)  # by task, what a stand-in run reads of others


def given_params(task: Task, request: Submission) -> dict[str, Any]:
    """The given values by parameter; Invalid names what is unknown, unfit or missing."""
    for name in (*request.params, *request.text_params):
        if name not in task.params:
            known = ", ".join(task.params) or Message.of("none")
            message = "task {task!r} has no parameter {where!r} (it has: {known})"
            raise Invalid.at(PARAM_UNKNOWN, message, name, task=task.id, known=known)
    given = {name: _fitting(task, name, value) for name, value in request.params.items()}
    for name, text in request.text_params.items():
        given[name] = _fitting(task, name, from_text(name, text, task.params[name], request.folder))
    for name, spec in task.params.items():
        if spec.required and given.get(name, spec.value) is None:
            raise Invalid.at(PARAM_MISSING, "task {task!r} needs the parameter {where!r}", name, task=task.id)
    return given


def _fitting(task: Task, name: str, value: Any) -> Any:
    try:
        json_text(value)  # what cannot be written down (NaN, a set) is refused here, not in mid-run
        return fit(value, task.params[name])
    except SkerryError as error:
        message = "parameter {where!r}: {message}"
        raise Invalid.at(PARAM_UNFIT, message, name, message=error.message) from error
