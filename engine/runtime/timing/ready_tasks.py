"""Plan and parameters of the tasks that are started again and again, as their definitions are now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.planning.shape import Plan
from engine.runtime import library
from engine.runtime.services import EngineServices
from engine.runtime.submission import Submission, given_params


class ReadyTask(NamedTuple):
    """A task as it is started; ``params``: as they are given where nobody gives any."""

    plan: Plan
    params: Mapping[str, Any]
    revision: int | None


class ReadyTasks:
    """Loop thread only."""

    def __init__(self, services: EngineServices) -> None:
        self._services = services
        self._plans: dict[str, tuple[Plan, int | None]] = {}
        self._read_at = -1  # how often definitions had been written when these were read

    def get(self, task: str, params: Mapping[str, Any] | None = None) -> ReadyTask:
        """The plan is made once until definitions are written again; Invalid or Refused without one."""
        services, written = self._services, self._services.store.definitions_written
        if self._read_at != written:
            self._plans, self._read_at = {}, written
        if task not in self._plans:
            definitions = library.closure(services.store, task, services)
            plan = library.planned(task, definitions, services.job_types)
            self._plans[task] = plan, library.revision(services.store, Submission(task), task)
        plan, revision = self._plans[task]
        request = Submission(task, params=params or {})
        return ReadyTask(plan, given_params(plan.task, request), revision)
