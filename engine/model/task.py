"""A Task: a DAG of nodes, each using a Job (contract 2.3)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from engine.model.base import Bool, Frozen, Id, Int, Seconds
from engine.model.job import (
    Condition,
    Environment,
    Job,
    Limits,
    On,
    ParamSpec,
    Recovery,
    ResultSpec,
    Retry,
    Success,
    WorkingDir,
)
from engine.model.schedule import Dependency, Schedule
from engine.model.states import TaskState

RunIf = Literal["all_succeeded", "all_done", "any_succeeded", "any_failed"]
HandlerName = Literal["succeeded", "failed", "cancelled", "always"]


class Node(Frozen):
    """One place in the DAG. ``job`` is an id, or the Job written inline (whose id is the node's)."""

    id: Id
    job: Job | Id
    after: tuple[Id, ...] = ()
    params: dict[Id, Any] | tuple[dict[Id, Any], ...] = {}
    for_each: Any = None
    parallel: Annotated[Int, Field(ge=1)] | None = None
    run_if: RunIf = "all_succeeded"
    when: Condition | Bool | None = None
    continue_on_failure: Bool = False
    enabled: Bool = True
    priority: Int = 0
    on: On | None = None
    env: Environment = {}
    working_dir: WorkingDir | None = None
    position: tuple[float, float] | None = None


class TaskLimits(Frozen):
    """``parallel``: at most so many jobs of one run at once."""

    parallel: Annotated[Int, Field(ge=1)] | None = None


class Defaults(Frozen):
    """Keys of jobs for those nodes of a task whose job and node do not say them."""

    timeout: Seconds | None = None
    queue_timeout: Seconds | None = None
    retry: Retry = Retry()
    recovery: Recovery = Recovery()
    limits: Limits = Limits()
    monitor: Bool | None = None
    on: On = On()


class Task(Frozen):
    """A named DAG with parameters, results, a schedule and dependencies."""

    id: Id
    name: str | None = None
    description: str | None = None
    project: str | None = None
    state: TaskState = TaskState.INIT
    params: dict[Id, ParamSpec] = {}
    job_params: dict[Id, dict[Id, Any]] = {}
    results: dict[Id, ResultSpec] = {}
    success: Success | None = None
    nodes: dict[Id, Node] = {}
    sequence: Bool = False
    on_end: dict[HandlerName, Node] = {}  # their ids begin with ``on_end.``
    schedule: Schedule | Literal["manual"] | None = None
    depends_on: tuple[Dependency, ...] = ()
    timeout: Seconds | None = None
    retry: Retry = Retry()
    priority: Int = 0
    limits: TaskLimits = TaskLimits()
    on_failure: Literal["finish_branches", "stop"] = "finish_branches"
    env: Environment = {}
    working_dir: WorkingDir | None = None
    defaults: Defaults = Defaults()
