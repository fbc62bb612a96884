"""The keys of the job types that control the flow of a run: condition, wait, approve, group, task."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from engine.model.base import Bool, Frozen, Id, Int, Seconds
from engine.model.job import Condition, Job, JobKeys, ResourceRef
from engine.model.quantities import Kind


class Branch(Frozen):
    """Where a condition leads; a list of nodes in the file is short for ``{run: […]}``."""

    run: tuple[Id, ...] = ()
    again: Bool = False
    from_: Annotated[Id | None, Field(alias="from")] = None

    @model_validator(mode="before")
    @classmethod
    def _list_of_nodes(cls, given: Any) -> Any:
        return {"run": given} if isinstance(given, list) else given


def _keys_as_text(value: Any) -> Any:
    """Branch keys are compared as text: ``true`` and ``4`` in the file are 'true' and '4'."""
    if not isinstance(value, dict):
        return value
    return {("true" if k else "false") if isinstance(k, bool) else str(k): v for k, v in value.items()}


class ConditionKeys(JobKeys):
    """``value`` decides which of ``branches`` is taken."""

    value: str | Bool | Int | float | ResourceRef
    branches: Annotated[dict[str, Branch], BeforeValidator(_keys_as_text)] = {}
    max_loops: Annotated[Int, Field(ge=1)] = 100


class WaitKeys(JobKeys):
    """One of ``for``, ``until`` and ``until_true``."""

    for_: Annotated[Seconds | None, Field(alias="for")] = None
    until: str | None = None
    until_true: Condition | Bool | ResourceRef | None = None
    every: Seconds = 10.0


class ApproveKeys(JobKeys):
    """A ``question`` to people, one of whose ``choices`` is the answer (contract 2.5)."""

    question: str
    choices: tuple[str, ...] = ("approve", "reject")
    fails_on: tuple[str, ...] = ("reject",)
    note: Literal["optional", "required", "none"] = "optional"
    value: Kind | None = None
    deadline: Seconds | None = None
    otherwise: str | None = None


class Member(Frozen):
    """One job of a group: a Job by id or inline, with parameter values of its own."""

    job: Job | Id
    params: dict[Id, Any] = {}


class GroupKeys(JobKeys):
    """``jobs`` run in order as one."""

    jobs: tuple[Member, ...] = ()


class SubTaskKeys(JobKeys):
    """Start another task and, with ``wait``, end as it ends."""

    task: Id | None = None
    wait: Bool = True
