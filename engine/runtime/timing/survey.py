"""What the coming day holds, read in one go: tasks, their fire times, and what these wait for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from engine.model.calendar import Calendar
from engine.model.schedule import Schedule
from engine.model.states import InstanceState, TaskState
from engine.planning.dag import distances
from engine.planning.schedules.due import DENSE
from engine.planning.schedules.fire_times import fires, next_fire
from engine.planning.schedules.forecasts import UpstreamTimes, foreseen_times
from engine.planning.schedules.held_times import HeldTimetable
from engine.planning.schedules.timetable import Timetable, read_timetable
from engine.planning.schedules.working_days import WorkingDays, working_days
from engine.runtime.timing.definition_waits import read_waits
from engine.store.rows import ComingRow, DefinitionRow, LinkRow, ScheduleRow, time_text
from engine.store.sql_store import Store

_DAY, _INSTANT = timedelta(days=1), timedelta(microseconds=1)
_UNREADABLE = (ValueError, KeyError, TypeError, OverflowError)  # a calendar or zone that is no longer there
_EXISTS = (TaskState.ONLINE, TaskState.OFFLINE)

Signature = tuple[Any, ...]  # another one: what is ahead of the task is to be looked at again


@dataclass(frozen=True, slots=True)
class TaskDay:
    """What is to be ahead of one task; ``links`` by time, without an instance."""

    task: str
    wanted: InstanceState
    columns: Mapping[str, Any]  # of its instances
    times: Sequence[str]
    links: Mapping[str, Sequence[LinkRow]]
    later: frozenset[str]  # behind that day, of those that are there
    known: Mapping[int, Sequence[LinkRow]]  # the links of those that are there


class DaySurvey:
    """Definitions and schedules as they are at one moment; for a thread that is not the engine's."""

    def __init__(self, store: Store, zone: ZoneInfo, now: datetime, until: datetime) -> None:
        self._store, self._zone, self._now, self._until = store, zone, now.astimezone(UTC), until
        self.written = store.definitions_written  # read first: what is written meanwhile is seen
        self._rows = {row.id: row for row in store.definitions("task")}
        self._schedules = store.all_schedules()
        calendars = {row.id: row for row in store.definitions("calendar")}
        self._calendar_revisions = {id: row.revision for id, row in calendars.items()}
        self._calendars = {id: _working_days(row) for id, row in calendars.items()}
        self._waits = {id: read_waits(self._rows, id) for id in self._rows}
        self._upstream_times: dict[str, UpstreamTimes] = {}

    # -- which tasks -------------------------------------------------------------------------------

    def tasks(self) -> dict[str, Signature]:
        """Those that have instances ahead, upstream first."""
        live = [id for id, row in self._rows.items() if TaskState(row.state or "init") in _EXISTS]
        named = {wait.upstream for waits in self._waits.values() for wait in waits}
        gone = [id for id in sorted(named) if id not in self._rows]
        wanted = [id for id in (*gone, *live) if self._schedules.get(id)]
        known = set(wanted)
        parents = {
            id: [w.upstream for w in self._waits.get(id, ()) if w.upstream in known and w.upstream != id]
            for id in wanted
        }
        return {id: self._signature(id) for id in dict.fromkeys((*distances(parents), *wanted))}

    def _signature(self, task: str) -> Signature:
        row = self._rows.get(task)
        own = (row.state, row.revision) if row else ()
        waits = self._waits.get(task, ())
        return (*own, self._held_as(task), *(self._held_as(each.upstream) for each in waits))

    def _held_as(self, task: str) -> Signature:
        rows = self._schedules.get(task)
        if not rows:
            return ()
        calendar = _calendar_of(rows[-1])
        return rows[-1].id, rows[-1].since, calendar and self._calendar_revisions.get(calendar)

    # -- what is ahead of one ----------------------------------------------------------------------

    def there(self, tasks: Sequence[str]) -> dict[str, list[ComingRow]]:
        """By task the instances of later times that have neither begun nor been settled otherwise."""
        found: dict[str, list[ComingRow]] = {task: [] for task in tasks}
        for each in self._store.coming(tasks, time_text(self._now)):
            if each.run == 0 and each.status in (InstanceState.PLANNED, InstanceState.OFFLINE):
                found[each.task].append(each)
        return found

    def day_of(self, task: str, there: Sequence[ComingRow]) -> TaskDay:
        """Its times, and what each waits for; ValueError or KeyError when its schedule cannot be read."""
        held, row = self._schedules[task][-1], self._rows.get(task)
        timetable = self._timetable(held)
        online = row is not None and row.state == TaskState.ONLINE
        after = max(self._now, datetime.fromisoformat(held.last_at)) if held.last_at else self._now
        times = [time_text(each) for each in self._times(timetable, after)]
        coming = set(times)
        later = frozenset(
            each.scheduled_time
            for each in there
            if each.scheduled_time not in coming and self._fires(timetable, each.scheduled_time)
        )
        known: dict[int, list[LinkRow]] = {each.id: [] for each in there}
        for link in self._store.links_of(list(known)) if self._waits.get(task) or there else ():
            known[link.instance].append(link)
        links = {at: self._links(task, at) for at in (*times, *later)} if self._waits.get(task) else {}
        wanted = InstanceState.PLANNED if online else InstanceState.OFFLINE
        return TaskDay(task, wanted, _columns(row), times, links, later, known)

    def _times(self, timetable: Timetable, after: datetime) -> Iterator[datetime]:
        """Those of the coming day; of a schedule that fires more often than each minute the next one."""
        if timetable.rule is None:
            return
        of_a_day = list(islice(fires(timetable, after, after + _DAY), DENSE + 1))
        if len(of_a_day) > DENSE:
            yield of_a_day[0]
            return
        yield from (each for each in of_a_day if each <= self._until)
        yield from fires(timetable, after + _DAY, self._until) if after + _DAY < self._until else ()

    def _fires(self, timetable: Timetable, at: str) -> bool:
        """Whether a time behind the coming day is a fire time."""
        time = datetime.fromisoformat(at)
        return time > self._until and next_fire(timetable, time - _INSTANT) == time

    def _links(self, task: str, at: str) -> list[LinkRow]:
        time, zone = datetime.fromisoformat(at), ZoneInfo(self._schedules[task][-1].zone)
        found = []
        for wait in self._waits[task]:
            upstream = self._upstream(wait.upstream)
            times = foreseen_times(wait.paired, time, zone, upstream, itself=wait.itself)
            first, last = (time_text(times[0]), time_text(times[-1])) if times else (None, None)
            found.append(LinkRow(0, wait.upstream, wait.window, first, last, len(times)))
        return found

    def _upstream(self, task: str) -> UpstreamTimes:
        if task not in self._upstream_times:
            rows = self._schedules.get(task, ())
            held = [HeldTimetable(self._timetable(row), _held_after(row)) for row in rows]
            self._upstream_times[task] = UpstreamTimes(held, self._now, self._until)
        return self._upstream_times[task]

    def _timetable(self, row: ScheduleRow) -> Timetable:
        schedule, since = Schedule.model_validate(row.content), datetime.fromisoformat(row.since)
        return read_timetable(schedule, ZoneInfo(row.zone), self._calendars, since)


def _working_days(row: DefinitionRow) -> WorkingDays:
    return working_days(row.id, Calendar.model_validate(row.content))


def _calendar_of(row: ScheduleRow) -> str | None:
    use = row.content.get("calendar")
    return str(use["id"]) if isinstance(use, Mapping) else use


def _held_after(row: ScheduleRow) -> datetime:
    since = datetime.fromisoformat(row.since)
    return since - _INSTANT if row.level == "interval" else since


def _columns(row: DefinitionRow | None) -> dict[str, Any]:
    content = (row.content if row else None) or {}
    return {"name": content.get("name"), "project": row.project if row else None}
