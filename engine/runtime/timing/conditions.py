"""Schedules of the level condition: looked at now and then, one start each time it becomes true."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from engine.context import ContextScope, NodeNames, TaskContext
from engine.definitions.reader import read_raw
from engine.model.codes.planning import UNKNOWN_RESOURCE
from engine.model.errors import Invalid
from engine.model.expression import compile_condition, compile_value, decide, render
from engine.model.job import ResourceRef
from engine.model.plain_words import wording
from engine.model.task import Task
from engine.planning.schedules.condition_reads import resources_read
from engine.plugins.resource_type import ResolvedResource
from engine.runtime import library
from engine.runtime.services import EngineServices
from engine.runtime.timers import Timer
from engine.runtime.timing.kept_schedules import KeptSchedules, OnlineSchedule

_EVERY = 10.0  # seconds between two looks where `every` is not said
_NO_NODES = NodeNames(frozenset(), {})


class Conditions:
    """Of all that are online; loop thread only, the looks themselves on other threads."""

    def __init__(
        self,
        services: EngineServices,
        kept: KeptSchedules,
        fire: Callable[[OnlineSchedule, datetime], None],
    ) -> None:
        self._services = services
        self._kept = kept
        self._fire = fire
        self._timers: dict[int, Timer | None] = {}  # by schedule; None: it is looked at right now
        self._followed = -1  # which version of what is kept
        self._wrong: dict[int, str] = {}  # what the latest look could not say

    def follow(self) -> None:
        """Look at those that are new; leave those that no longer hold."""
        if self._followed == self._kept.version:
            return
        self._followed = self._kept.version
        wanted = {kept.row.id: kept for kept in self._kept if kept.row.level == "condition"}
        for id in self._timers.keys() - wanted.keys():
            self._leave(id)
        for id in wanted.keys() - self._timers.keys():
            self._look(wanted[id])

    def hold(self) -> None:
        """Look no more until ``follow``."""
        self._followed = -1
        for id in tuple(self._timers):
            self._leave(id)

    def _leave(self, id: int) -> None:
        timer = self._timers.pop(id)
        if timer is not None:
            timer.cancel()

    def _look(self, kept: OnlineSchedule) -> None:
        self._timers[kept.row.id] = None
        self._services.loop.offload(partial(is_true, self._services, kept), partial(self._seen, kept))

    def _seen(self, kept: OnlineSchedule, answer: bool | None, error: BaseException | None) -> None:
        id, task = kept.row.id, kept.row.task
        if id not in self._timers or task not in self._kept or self._kept[task] is not kept:
            return
        self._say_once(kept, wording(error) if isinstance(error, Exception) else "")
        before = kept.row.was_true
        if answer is not None:
            self._kept.saw(kept, answer)
        if answer and before is False:
            self._fire(kept, self._services.clock.now())
        seconds = max(float(kept.schedule.every or _EVERY), 1.0)
        self._timers[id] = self._services.loop.later(seconds, partial(self._look, kept))

    def _say_once(self, kept: OnlineSchedule, problem: str) -> None:
        if problem and self._wrong.get(kept.row.id) != problem:
            text = f"the condition of task {kept.row.task} cannot be evaluated: {problem}"
            self._services.say(self._services.mask(text), logging.WARNING)
        self._wrong[kept.row.id] = problem


def is_true(services: EngineServices, kept: OnlineSchedule) -> bool:
    """Evaluate it now, with a check of every resource that it names; SkerryError when that cannot be."""
    condition = kept.schedule.condition
    if isinstance(condition, ResourceRef):
        return bool(_checked(services, condition.resource, _scope(services, kept, {}))["ok"])
    compiled = compile_condition(condition or "")
    scope = _scope(services, kept, {})
    answers = {id: _checked(services, id, scope) for id in sorted(resources_read(condition))}
    holds, _ = decide(compiled, _scope(services, kept, answers) if answers else scope)
    return holds


def _scope(services: EngineServices, kept: OnlineSchedule, answers: Mapping[str, Any]) -> ContextScope:
    context = TaskContext(services.clock, mask=services.mask)
    place = {"ID": kept.row.task, "PARAMS": {}, "WORKSPACE": str(services.workspace.root)}
    context.set(("TASK",), place, run=0)
    context.set(("RESOURCE",), dict(answers), run=0)
    scope = ContextScope(context, _NO_NODES, zone=kept.row.zone)
    definitions = library.tree_of(services.store, "task", kept.row.task)
    task = read_raw(definitions, services.job_types, services.resource_types).tasks[kept.row.task]
    for name, value in _params(task, scope):
        context.set(("TASK", "PARAMS", name), value, run=0)
    return scope


def _params(task: Task, scope: ContextScope) -> list[tuple[str, Any]]:
    found = []
    for name, spec in task.params.items():
        value = render(compile_value(spec.value), scope).value if spec.dynamic else spec.value
        found.append((name, value))
    return found


def _checked(services: EngineServices, id: str, scope: ContextScope) -> dict[str, Any]:
    row = services.store.definition("resource", id)
    if row is None:
        raise Invalid.at(UNKNOWN_RESOURCE, "there is no resource {where!r}", id)
    found = read_raw({"resources": {id: row.content}}, {}, services.resource_types).resources[id]
    parts = [render(compile_value(getattr(found, name)), scope).value for name in ("uri", "request", "check")]
    uri, request, check = parts
    secret = services.secret(request["secret"]) if request.get("secret") else None
    resource = ResolvedResource(id, found.type, uri, request, check, secret)
    answer: dict[str, Any] = services.resource_types[found.type].check(resource).as_map()
    return answer
