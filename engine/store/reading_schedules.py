"""The part of the store that the scheduler reads: schedules, the states of tasks, instances by their time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from engine.store import schema
from engine.store.reading_definitions import DefinitionReading
from engine.store.rows import InstanceRow, ScheduleRow
from engine.store.schema import definition, instance, schedule


class TaskHead(NamedTuple):
    """The revision and life-cycle state that a task has now."""

    task: str
    revision: int
    state: str


_HEADS = (
    sa.select(definition.c.id, definition.c.revision, definition.c.state)
    .where(definition.c.kind == "task", definition.c.hash.is_not(None))
    .order_by(definition.c.id)
)
_HOLDING = sa.select(sa.func.count()).select_from(schedule).where(schema.HOLDS)


class ScheduleReading(DefinitionReading):
    """What holds when, and what there is of a time."""

    def schedules(self) -> list[ScheduleRow]:
        """Those that hold, of every task that is online."""
        query = self._select("schedule").where(schema.HOLDS).order_by(schedule.c.id)
        return self._rows(ScheduleRow, query)

    def how_many_hold(self) -> int:
        """The number of those that hold."""
        return int(self._all(_HOLDING)[0][0])

    def schedules_of(self, task: str) -> list[ScheduleRow]:
        """All that a task has had, the first one first: each since its ``since``, until its ``until``."""
        query = self._select("schedule").where(schedule.c.task == task)
        return self._rows(ScheduleRow, query.order_by(schedule.c.since, schedule.c.id))

    def task_heads(self) -> list[TaskHead]:
        """Of every task that is not deleted, by id."""
        return [TaskHead(id, revision, state or "init") for id, revision, state in self._all(_HEADS)]

    def instance_at(self, task: str, scheduled_time: str) -> InstanceRow | None:
        """The instance of a task at a scheduled time (a text of ``rows.time_text``)."""
        return self._one(InstanceRow, "instance", task=task, scheduled_time=scheduled_time)

    def newest_instance(self, task: str, until: str, triggers: Sequence[str]) -> InstanceRow | None:
        """The one of the newest scheduled time not after ``until``, of those that were started so."""
        query = self._select("instance").where(
            instance.c.task == task, instance.c.scheduled_time <= until, instance.c.trigger.in_(triggers)
        )
        found = self._rows(InstanceRow, query.order_by(instance.c.scheduled_time.desc()).limit(1))
        return found[0] if found else None
