"""What the life-cycle needs to know of the tasks that a change concerns, with the definitions to come."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from engine.definitions.notes import Notes
from engine.definitions.online_tasks import changed_keys
from engine.definitions.schedules import read_dependencies, read_schedule
from engine.model.calendar import Calendar
from engine.model.message import Message
from engine.model.schedule import Dependency, Schedule
from engine.model.states import TaskState
from engine.planning.outline import map_of
from engine.planning.schedules.fire_times import next_fire
from engine.planning.schedules.life_cycle import Command, TaskSituation
from engine.planning.schedules.pairing import Unpaired, level_of, pairing
from engine.planning.schedules.timetable import read_timetable
from engine.planning.schedules.working_days import working_days
from engine.runtime.library import upstreams_of
from engine.runtime.services import EngineServices

Key = tuple[str, str]  # kind and id


class _Waiting(NamedTuple):
    schedule: Schedule | str | None
    dependencies: tuple[Dependency, ...]


class TaskGraph:
    """One look at the store. ``fresh``: the definitions to come, by kind and id; None: to be gone."""

    def __init__(self, services: EngineServices, fresh: Mapping[Key, Any]) -> None:
        self._services, self._fresh = services, fresh
        self.rows = {row.id: row for row in services.store.definitions("task")}
        coming = {id for kind, id in fresh if kind == "task"}
        self._tasks = {*self.rows, *coming}
        self.upstreams = {id: self._waits_for(id, self._content(id)) for id in self._tasks}
        self._read: dict[str, _Waiting] = {}

    @property
    def altered(self) -> list[str]:
        """The tasks to come that are not there word for word."""
        rows, fresh = (
            self.rows,
            {id: content for (kind, id), content in self._fresh.items() if kind == "task"},
        )
        return [id for id, content in fresh.items() if id not in rows or rows[id].content != content]

    def dependants(self, task: str) -> list[str]:
        """The tasks that wait for one, by id."""
        return self._dependants.get(task, [])

    def connected(self, tasks: Collection[str]) -> frozenset[str]:
        """These, all that they wait for and all that wait for them, over any number of steps.

        By the present definitions and by those to come.
        """
        reached, pending = set[str](), list(tasks)
        while pending:
            id = pending.pop()
            if id not in reached:
                reached.add(id)
                pending += self._neighbours.get(id, ())
        return frozenset(reached)

    def situations(self, commands: Mapping[str, Command]) -> dict[str, TaskSituation]:
        """Of all tasks that are connected with those named."""
        found = self.connected(commands)
        return {id: self._situation(id, commands.get(id)) for id in found & self._tasks | commands.keys()}

    @cached_property
    def _dependants(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for id in sorted(self._tasks):
            for upstream in self.upstreams[id]:
                found.setdefault(upstream, []).append(id)
        return found

    @cached_property
    def _neighbours(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for id in self._tasks:
            present = self.rows[id].content if id in self.rows else None
            for other in {*self.upstreams[id], *self._waits_for(id, present)}:
                found.setdefault(id, set()).add(other)
                found.setdefault(other, set()).add(id)
        return found

    def _content(self, task: str) -> Mapping[str, Any]:
        row = self.rows.get(task)
        return map_of(self._fresh.get(("task", task), row.content if row is not None else None))

    def _waits_for(self, task: str, content: Any) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each for each in upstreams_of(content) if each != task))

    def _situation(self, task: str, command: Command | None) -> TaskSituation:
        row, content = self.rows.get(task), self._content(task)
        state = TaskState(row.state or TaskState.INIT) if row is not None else TaskState.DELETED
        given = TaskState(content.get("state") or TaskState.INIT)
        to_online = command == "online" or (command == "load" and given is TaskState.ONLINE)
        loaded = row is not None and command == "load"
        return TaskSituation(
            state,
            scheduled=bool(content.get("schedule")),
            fires=not to_online or self._fires(task),
            upstreams=self.upstreams.get(task, ()),
            problems=tuple(self._problems(task)),
            changed=changed_keys(map_of(row.content), content) if loaded and row is not None else (),
            given=given,
        )

    def _waiting(self, task: str) -> _Waiting:
        if task not in self._read:
            content, notes, where = self._content(task), Notes(), ("tasks", task)
            schedule = read_schedule(content.get("schedule"), where, notes)
            waits = read_dependencies(content.get("depends_on") or [], schedule, where, notes)
            self._read[task] = _Waiting(schedule, waits)
        return self._read[task]

    def _problems(self, task: str) -> Iterator[Message]:
        """The pairings that are not allowed, and a calendar that is not there."""
        own = self._waiting(task)
        use = own.schedule.calendar if isinstance(own.schedule, Schedule) else None
        if use is not None and self._calendar(use.id) is None:
            yield Message.of("there is no calendar '{calendar}'{hint}", calendar=use.id, hint="")
        for each in own.dependencies:
            upstream = task if each.self_ else str(each.task)
            if upstream not in self._tasks:
                continue
            found = pairing(each, level_of(own.schedule), level_of(self._waiting(upstream).schedule))
            if isinstance(found, Unpaired):
                yield Message.of("task '{task}': {message}", task=upstream, message=found.wording)

    def _fires(self, task: str) -> bool:
        """Whether its schedule will fire, or nothing but people and conditions say when."""
        schedule, services = self._waiting(task).schedule, self._services
        if not isinstance(schedule, Schedule) or schedule.level == "condition":
            return True
        use, now = schedule.calendar, services.clock.now()
        calendar = self._calendar(use.id) if use else None
        if use and not calendar:
            return True  # that there is none is a problem of its own
        days = {use.id: working_days(use.id, calendar)} if use and calendar else {}
        timetable = read_timetable(schedule, ZoneInfo(services.workspace.zone.key), days, now)
        return next_fire(timetable, now) is not None

    def _calendar(self, id: str) -> Calendar | None:
        row = self._services.store.definition("calendar", id)
        content = self._fresh.get(("calendar", id), row.content if row is not None else None)
        return Calendar.model_validate(content) if content is not None else None
