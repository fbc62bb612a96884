"""The part of the store that the scheduler reads: schedules, the states of tasks, instances by their time."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

import sqlalchemy as sa

from engine.model.states import InstanceState, TaskState, Trigger
from engine.store import schema
from engine.store.browsing import keyset
from engine.store.checksums import SUMMED
from engine.store.filters import InstanceCursor
from engine.store.prepared import Prepared, among, spread
from engine.store.reading_definitions import DefinitionReading
from engine.store.rows import ComingRow, InstanceRow, LinkRow, PartnerRow, ScheduleRow, TimelineRow
from engine.store.schema import definition, definition_revision, instance, link, schedule
from engine.store.sound_rows import selected


class TaskHead(NamedTuple):
    """The revision and life-cycle state that a task has now."""

    task: str
    revision: int
    state: str


_HEADS = Prepared(
    sa.select(definition.c.id, definition.c.revision, definition.c.state)
    .where(definition.c.kind == "task", definition.c.hash.is_not(None))
    .order_by(definition.c.id)
)
_NAMES = 512  # tasks in one query
BY_TIME = (str(Trigger.SCHEDULE), str(Trigger.BACKFILL))  # what waits for others, and is waited for
BY_HAND = (str(Trigger.MANUAL), str(Trigger.SUBTASK))  # waited for where a task is started by hand alone
_ON_TIMELINE = sa.select(instance.c.id, *(instance.c[name] for name in TimelineRow._fields[1:]))
_WITHOUT = Prepared(
    sa.select(definition.c.id).where(
        definition.c.kind == "task",
        definition.c.hash.is_not(None),
        definition.c.state == str(TaskState.ONLINE),
        ~sa.exists().where(schedule.c.task == definition.c.id, schema.HOLDS),
    )
)
_HOLDING = Prepared(sa.select(sa.func.count()).select_from(schedule).where(schema.HOLDS))
_MADE_AHEAD = Prepared(
    sa.select(instance.c.id).where(
        instance.c.status.in_((str(InstanceState.PLANNED), str(InstanceState.OFFLINE)))
    )
)


class ScheduleReading(DefinitionReading):
    """What holds when, and what there is of a time."""

    def schedules(self) -> list[ScheduleRow]:
        """Those that hold, of every task that is online."""
        return self._rows(ScheduleRow, _holding(self._backend.name))

    def how_many_hold(self) -> int:
        """The number of those that hold."""
        return int(self._all(_HOLDING)[0][0])

    def online_without_schedule(self) -> list[str]:
        """The online tasks of which no schedule holds: started by hand, or no engine has fired since."""
        return [id for (id,) in self._all(_WITHOUT)]

    def schedules_of(self, task: str) -> list[ScheduleRow]:
        """All that a task has had, the first one first: each since its ``since``, until its ``until``."""
        return self._found(ScheduleRow, "schedule", "since", "id", task=task)

    def task_heads(self) -> list[TaskHead]:
        """Of every task that is not deleted, by id."""
        return [TaskHead(id, revision, state or "init") for id, revision, state in self._all(_HEADS)]

    def tasks_naming(self, task: str) -> list[str]:
        """The tasks that depend on others and have this id in their definition, wherever that is."""
        text = definition_revision.c.content
        current = sa.select(definition.c.id).join(
            definition_revision,
            sa.and_(
                *(definition_revision.c[name] == definition.c[name] for name in ("kind", "id", "revision"))
            ),
        )
        named = text.contains('"depends_on"', autoescape=True), text.contains(task, autoescape=True)
        return [id for (id,) in self._all(current.where(definition.c.kind == "task", *named))]

    def instance_at(self, task: str, scheduled_time: str) -> InstanceRow | None:
        """The instance of a task at a scheduled time (a text of ``rows.time_text``)."""
        return self._one(InstanceRow, "instance", task=task, scheduled_time=scheduled_time)

    def newest_instance(
        self, task: str, until: str, triggers: Sequence[str], *, begun: bool = False
    ) -> InstanceRow | None:
        """The one of the newest scheduled time not after ``until``, of those that were started so.

        With ``begun`` of those alone that have run.
        """
        query = _newest(self._backend.name, tuple(triggers), begun)
        found = self._rows(InstanceRow, query, task=task, until=until)
        return found[0] if found else None

    def all_schedules(self) -> dict[str, list[ScheduleRow]]:
        """By task all that it has had, the first one first."""
        found: dict[str, list[ScheduleRow]] = {}
        for row in self._rows(ScheduleRow, _every_schedule(self._backend.name)):
            found.setdefault(row.task, []).append(row)
        return found

    def coming(self, tasks: Sequence[str], after: str) -> list[ComingRow]:
        """The instances of tasks at scheduled times after a moment."""
        found: list[ComingRow] = []
        for some in _parted(tasks):
            found += (ComingRow(*row) for row in self._all(_coming(tuple(some)), after=after, **some))
        return found

    def without_run(self, tasks: Sequence[str], statuses: Sequence[str]) -> dict[str, list[InstanceRow]]:
        """By task its instances in these statuses of which no run was made, the newest first."""
        found: dict[str, list[InstanceRow]] = {}
        for some in _parted(tasks):
            query = _without_run(self._backend.name, tuple(some))
            for status in statuses:
                for row in self._listed(InstanceRow, query, status=status, **some):
                    found.setdefault(row.task, []).append(row)
        for rows in found.values():
            rows.sort(key=attrgetter("scheduled_time", "id"), reverse=True)
        return found

    def on_timeline(
        self, since: str, until: str, after: InstanceCursor | None = None, limit: int = 2000
    ) -> list[TimelineRow]:
        """Those of scheduled times from ``since`` on and before ``until``: a page, the soonest first."""
        # two pages, merged: no one index has the planned ones and the others
        pages = []
        for status in (schema.NOT_PLANNED, instance.c.status == str(InstanceState.PLANNED)):
            query = _ON_TIMELINE.where(
                status, instance.c.scheduled_time >= since, instance.c.scheduled_time < until
            )
            pages.append(self._all(keyset(query, after, newest_first=False).limit(limit)))
        merged = heapq.merge(*pages, key=attrgetter("scheduled_time", "id"))
        return [TimelineRow(*row) for row in islice(merged, limit)]

    def made_ahead(self) -> set[int]:
        """The instances that have not begun because their time has not come, or their task is offline."""
        return {id for (id,) in self._all(_MADE_AHEAD)}

    def soonest_planned(self, after: str) -> dict[str, str]:
        """By task the next scheduled time, after a moment, that has an instance."""
        time = sa.func.min(instance.c.scheduled_time)
        planned = instance.c.status == str(InstanceState.PLANNED), instance.c.scheduled_time > after
        query = sa.select(instance.c.task, time).where(*planned).group_by(instance.c.task)
        return dict(self._all(query))

    def planned(self, task: str, until: str) -> list[InstanceRow]:
        """Those of a task that have not been looked at, of scheduled times not after a moment."""
        return self._rows(InstanceRow, _planned(self._backend.name, True), task=task, until=until)

    def planned_before(self, moment: str) -> list[InstanceRow]:
        """Those of any task that are planned still, of scheduled times not after a moment."""
        return self._rows(InstanceRow, _planned(self._backend.name, False), until=moment)

    def links(self, instance: int) -> list[LinkRow]:
        """What an instance waits for, by task; a forecast or, of one that has begun, what decided."""
        return self._found(LinkRow, "link", "upstream", instance=instance)

    def links_of(self, instances: Sequence[int]) -> list[LinkRow]:
        """Those of several instances, by instance and task."""
        query = self._select("link").where(link.c.instance.in_(list(instances)))
        return self._rows(LinkRow, query.order_by(link.c.instance, link.c.upstream)) if instances else []

    def partners(self, of: LinkRow) -> list[InstanceRow]:
        """The instances that a link names, those that are there, in the order of time."""
        query = _partners(self._backend.name, of.first_at == of.last_at)
        return self._rows(InstanceRow, query, **_names(of)) if of.first_at else []

    def partner_states(self, of: LinkRow) -> list[PartnerRow]:
        """The same without what they hold."""
        query = _partner_states(of.first_at == of.last_at)
        return [PartnerRow(*row) for row in self._all(query, **_names(of))] if of.first_at else []

    def links_to(self, task: str, scheduled_time: str) -> list[LinkRow]:
        """Those that name the instance of a task at a scheduled time, by instance."""
        values = {"task": task, "time": scheduled_time}
        of_one, of_several = _links_to(self._backend.name)
        found = [*self._rows(LinkRow, of_one, **values), *self._rows(LinkRow, of_several, **values)]
        return sorted(found, key=attrgetter("instance"))


def _parted(tasks: Sequence[str]) -> Iterator[dict[str, str]]:
    """As parameters, so many at once."""
    return (spread("task", tasks[first : first + _NAMES]) for first in range(0, len(tasks), _NAMES))


@cache
def _coming(tasks: tuple[str, ...]) -> Prepared:
    columns = (instance.c[name] for name in ComingRow._fields)
    later = instance.c.scheduled_time > sa.bindparam("after")
    return Prepared(sa.select(*columns).where(among(instance.c.task, tasks), later))


@cache
def _without_run(dialect: str, tasks: tuple[str, ...]) -> Prepared:
    status = instance.c.status == sa.bindparam("status")
    query = selected(dialect, "instance").where(status, among(instance.c.task, tasks), instance.c.run == 0)
    return Prepared(query)


def _named(single: bool) -> Iterator[Any]:
    """A single one, whatever has started it; of several those that have a fire time."""
    time = instance.c.scheduled_time
    first_at: sa.BindParameter[str] = sa.bindparam("first_at")
    yield instance.c.task == sa.bindparam("upstream")
    if single:
        yield time == first_at
    else:
        yield time >= first_at
        yield time <= sa.bindparam("last_at")
        yield instance.c.trigger.in_(BY_TIME)


def _names(of: LinkRow) -> dict[str, Any]:
    """The parameters for that."""
    one = {"upstream": of.upstream, "first_at": of.first_at}
    return one if of.first_at == of.last_at else {**one, "last_at": of.last_at}


@cache
def _partners(dialect: str, single: bool) -> Prepared:
    query = selected(dialect, "instance").where(*_named(single))
    return Prepared(query.order_by(instance.c.scheduled_time))


@cache
def _partner_states(single: bool) -> Prepared:
    columns = instance.c.id, instance.c.scheduled_time, instance.c.status
    return Prepared(sa.select(*columns).where(*_named(single)).order_by(instance.c.scheduled_time))


@cache
def _holding(dialect: str) -> Prepared:
    return Prepared(selected(dialect, "schedule").where(schema.HOLDS).order_by(schedule.c.id))


@cache
def _every_schedule(dialect: str) -> Prepared:
    order = schedule.c.task, schedule.c.since, schedule.c.id
    return Prepared(selected(dialect, "schedule").order_by(*order))


@cache
def _planned(dialect: str, of_task: bool) -> Prepared:
    """Those of one task in the order of time, or of all in that of their numbers."""
    query = selected(dialect, "instance").where(
        instance.c.status == str(InstanceState.PLANNED), instance.c.scheduled_time <= sa.bindparam("until")
    )
    if of_task:
        query = query.where(instance.c.task == sa.bindparam("task"))
    return Prepared(query.order_by(instance.c.scheduled_time if of_task else instance.c.id))


@cache
def _links_to(dialect: str) -> tuple[Prepared, Prepared]:
    """Those that name one instance, and those that name several."""
    columns = link.c
    time: sa.BindParameter[str] = sa.bindparam("time")
    this = columns.upstream == sa.bindparam("task")
    of_one = selected(dialect, "link").where(this, columns.first_at == time, columns.last_at == time)
    several = this, schema.RANGE, columns.last_at >= time, columns.first_at <= time
    return Prepared(of_one), Prepared(selected(dialect, "link").where(*several))


@cache
def _newest(dialect: str, triggers: tuple[str, ...], begun: bool) -> Prepared:
    """Asked at every fire of a task that waits."""
    columns = SUMMED["instance"].c
    query = selected(dialect, "instance").where(
        columns.task == sa.bindparam("task"),
        columns.scheduled_time <= sa.bindparam("until"),
        columns.trigger.in_(triggers),
    )
    query = query.where(columns.run > 0) if begun else query
    return Prepared(query.order_by(columns.scheduled_time.desc()).limit(1))
