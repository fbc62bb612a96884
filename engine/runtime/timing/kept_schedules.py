"""The schedules that hold: made when a task goes online, over when it no longer is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from engine.definitions.notes import Notes
from engine.definitions.online_tasks import content_of, is_same
from engine.definitions.schedules import read_schedule
from engine.model.calendar import Calendar
from engine.model.schedule import Schedule
from engine.model.states import TaskState
from engine.planning.schedules.due import after_set_back, is_dense
from engine.planning.schedules.fire_times import next_fire
from engine.planning.schedules.levels import cron_text
from engine.planning.schedules.timetable import Timetable, read_timetable
from engine.planning.schedules.working_days import WorkingDays, working_days
from engine.runtime.elapsed import iso
from engine.runtime.services import EngineServices
from engine.store.rows import ScheduleRow
from engine.store.sql_store import Store

_INSTANT = timedelta(microseconds=1)
_AT_ONCE = 100  # tasks that one turn looks at: what runs goes on in between


@dataclass(slots=True)
class OnlineSchedule:
    """One that holds. Schedule and timetable are read when they are first needed: there are thousands."""

    row: ScheduleRow
    revision: int | None = None  # of the definition that it was compared with
    _schedule: Schedule | None = None
    _timetable: Timetable | None = None
    _dense: bool | None = None

    @property
    def schedule(self) -> Schedule:
        if self._schedule is None:
            self._schedule = Schedule.model_validate(self.row.content)
        return self._schedule

    @property
    def last(self) -> datetime:
        """The fire time up to which all were dealt with."""
        return datetime.fromisoformat(self.row.last_at or self.row.since)

    @property
    def next(self) -> datetime | None:
        return datetime.fromisoformat(self.row.next_at) if self.row.next_at else None

    def timetable(self, store: Store) -> Timetable:
        """Ready to be asked; ValueError or KeyError when calendar or zone are not there any more."""
        if self._timetable is None:
            since = datetime.fromisoformat(self.row.since)
            calendars = calendars_of(store, self.schedule)
            self._timetable = read_timetable(self.schedule, ZoneInfo(self.row.zone), calendars, since)
        return self._timetable

    def is_dense(self, store: Store, now: datetime) -> bool:
        """Whether what it passes over leaves no rows."""
        if self._dense is None:
            self._dense = is_dense(self.timetable(store), now)
        return self._dense

    def read_again(self) -> None:
        """Its calendar or its anchor has changed."""
        self._timetable = self._dense = None


class KeptSchedules:
    """Those of one engine; loop thread only."""

    def __init__(self, services: EngineServices) -> None:
        self._services = services
        self._by_task: dict[str, OnlineSchedule] = {}
        self._by_hand: dict[str, int] = {}  # online without fire times of their own: the revision seen
        self._seen = -1  # how often definitions had been written at the last look
        self._left: dict[str, int] = {}  # tasks with their revisions that it has not come to yet
        self.version = 0  # another one whenever a schedule begins to hold or holds no more

    def __getitem__(self, task: str) -> OnlineSchedule:
        return self._by_task[task]

    def __contains__(self, task: str) -> bool:
        return task in self._by_task

    def __iter__(self) -> Iterator[OnlineSchedule]:
        return iter(tuple(self._by_task.values()))

    def __len__(self) -> int:
        return len(self._by_task)

    def load(self) -> None:
        """As the store has them."""
        rows = self._services.store.schedules()
        self._by_task = {row.task: OnlineSchedule(row) for row in rows}
        self._seen = -1
        self.version += 1

    @property
    def outdated(self) -> bool:
        """Whether definitions or states of tasks were written that it has not looked at."""
        return bool(self._left) or self._seen != self._services.store.definitions_written

    def reconcile(self) -> None:
        """Let a schedule hold for each task that is online, and for no other; of many tasks it looks at some.

        Then it is ``outdated`` still, and to be called again in a later turn.
        """
        if self._seen != self._services.store.definitions_written:
            self._left = self._changed()
        for task in list(islice(self._left, _AT_ONCE)):
            self._look_at(task, self._left.pop(task))
        if self._left:
            return
        for kept in self:
            if kept.row.content.get("calendar") is not None:
                kept.read_again()
                self.move_on(kept, kept.last)

    def _changed(self) -> dict[str, int]:
        """The tasks that are online by another definition than before; what is no longer online is closed."""
        store, first = self._services.store, self._seen == -1
        self._seen = store.definitions_written
        online = {head.task: head.revision for head in store.task_heads() if head.state == TaskState.ONLINE}
        for task in self._by_task.keys() - online.keys():
            self.close(task)
        self._by_hand = {task: seen for task, seen in self._by_hand.items() if task in online}
        for kept in self if first else ():
            kept.revision = online[kept.row.task]
        known = self._by_hand | {task: kept.revision for task, kept in self._by_task.items()}
        return {task: revision for task, revision in online.items() if known.get(task) != revision}

    def _look_at(self, task: str, revision: int) -> None:
        kept, schedule = self._by_task.get(task), schedule_of(self._services.store, task)
        if kept is not None and schedule is not None and is_same(content_of(schedule), kept.row.content):
            kept.revision = revision
            return
        if kept is not None:
            self.close(task)
        if schedule is None:
            self._by_hand[task] = revision
        else:
            id, now = self._services.next_id("schedule"), self._services.clock.now()
            self.open(prepared(self._services, task, schedule, now, id)).revision = revision

    def open(self, kept: OnlineSchedule) -> OnlineSchedule:
        """From now on it holds: one of ``prepared``."""
        task = kept.row.task
        self._by_task[task] = kept
        self._left.pop(task, None)
        self.version += 1
        values = {name: getattr(kept.row, name) for name in ScheduleRow.__dataclass_fields__}
        self._services.changes.insert("schedule", values)
        return kept

    def close(self, task: str) -> None:
        """From now on it holds no more."""
        kept = self._by_task.pop(task, None)
        self._left.pop(task, None)
        self.version += 1
        if kept is not None:
            self._services.changes.move("schedule", kept.row.id, None, self._services.now())

    def move_on(self, kept: OnlineSchedule, last: datetime) -> None:
        """Up to ``last`` all were dealt with: the next fire time follows from it."""
        found = next_fire(kept.timetable(self._services.store), last)
        self._write(kept, last_at=iso(last.astimezone(UTC)), next_at=iso(found) if found else None)

    def set_back(self, now: datetime) -> None:
        """The clock shows less than before: nothing fires twice, and nothing is silent for years."""
        max_jump = timedelta(seconds=self._services.workspace.settings.max_jump)
        for kept in self:
            since = datetime.fromisoformat(kept.row.since)
            if kept.last <= now:
                continue
            again, last = after_set_back(since, kept.last, now, max_jump)
            if last != kept.last:
                kept.row = replace(kept.row, since=iso(again))
                self._services.changes.update("schedule", kept.row.id, {"since": kept.row.since})
                kept.read_again()
                self.move_on(kept, last)

    def saw(self, kept: OnlineSchedule, was_true: bool) -> None:
        """What its condition was at the latest look."""
        if kept.row.was_true is not was_true:
            self._write(kept, was_true=was_true)

    def _write(self, kept: OnlineSchedule, **values: Any) -> None:
        changed = {name: value for name, value in values.items() if getattr(kept.row, name) != value}
        if changed:
            kept.row = replace(kept.row, **changed)
            self._services.changes.update("schedule", kept.row.id, changed)


def prepared(
    services: EngineServices, task: str, schedule: Schedule, now: datetime, id: int
) -> OnlineSchedule:
    """A schedule that is to hold from ``now`` on, with its first fire time; from any thread."""
    kept = OnlineSchedule(_fresh_row(services, task, schedule, now, id))
    found = next_fire(kept.timetable(services.store), kept.last)
    kept.row = replace(kept.row, next_at=iso(found) if found else None)
    return kept


def _fresh_row(
    services: EngineServices, task: str, schedule: Schedule, now: datetime, id: int
) -> ScheduleRow:
    """Its row; an interval fires at once, on the whole second."""
    interval = schedule.level == "interval"
    since = now.astimezone(UTC).replace(microsecond=0) if interval else now.astimezone(UTC)
    return ScheduleRow(
        id=id,
        task=task,
        since=iso(since),
        level=str(schedule.level),
        zone=schedule.timezone or services.workspace.zone.key,
        cron=cron_text(schedule),
        content=content_of(schedule),
        last_at=iso(since - _INSTANT if interval else since),
    )


def schedule_of(store: Store, task: str) -> Schedule | None:
    """That of a task's current definition; None where it has none, or is started by hand alone."""
    return schedule_in(task, store.content("task", task))


def schedule_in(task: str, content: Mapping[str, Any] | None) -> Schedule | None:
    """That of a definition of a task."""
    schedule = read_schedule((content or {}).get("schedule"), ("tasks", task, "schedule"), Notes())
    return schedule if isinstance(schedule, Schedule) else None


def calendars_of(store: Store, schedule: Schedule) -> dict[str, WorkingDays]:
    """The calendar that a schedule names, by its id."""
    use = schedule.calendar
    row = store.definition("calendar", use.id) if use else None
    if use is None or row is None:
        return {}
    return {use.id: working_days(use.id, Calendar.model_validate(row.content))}
