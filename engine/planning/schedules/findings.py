"""Schedules that never fire, and calendars that nobody defines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from engine.model.calendar import Calendar
from engine.model.codes import schedules as codes
from engine.model.findings import Finding, Loc, error
from engine.model.message import Message
from engine.model.schedule import Schedule
from engine.model.task import Task
from engine.planning.names import did_you_mean
from engine.planning.schedules.fire_times import next_fire
from engine.planning.schedules.timetable import moment, read_timetable
from engine.planning.schedules.working_days import working_days


class TasksThere(NamedTuple):
    """Tasks that a workspace has already, and those of them whose schedule stays as it is."""

    all: frozenset[str] = frozenset()
    same_schedule: frozenset[str] = frozenset()


_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)


def schedule_findings(
    task: Task, calendars: Mapping[str, Calendar], now: datetime | None
) -> Iterator[Finding]:
    """What is wrong with a task's schedule beyond its own keys; ``now`` None: what fired long ago will do."""
    schedule, where = task.schedule, ("tasks", task.id, "schedule")
    if not isinstance(schedule, Schedule):
        return
    calendar = schedule.calendar
    if calendar is not None and calendar.id not in calendars:
        text = "there is no calendar '{calendar}'{hint}"
        hint = did_you_mean(calendar.id, calendars)
        yield error(codes.CALENDAR_UNKNOWN, text, (*where, "calendar"), calendar=calendar.id, hint=hint)
    elif schedule.level != "condition" and not _fires(schedule, calendars, now or _EARLIEST):
        yield error(codes.NEVER_FIRES, _never(schedule, now), _place(schedule, where))


def _fires(schedule: Schedule, calendars: Mapping[str, Calendar], after: datetime) -> bool:
    """Whether it has a fire time; of what cannot be read, which the reader reports, it is not asked."""
    try:
        days = {id: working_days(id, each) for id, each in calendars.items()}
        timetable = read_timetable(schedule, ZoneInfo("UTC"), days, after)
    except (ValueError, KeyError, TypeError, OSError):
        return True
    if timetable.start and timetable.end and timetable.end < timetable.start:
        return True
    return timetable.rule is None or next_fire(timetable, after) is not None


def _never(schedule: Schedule, now: datetime | None) -> Message:
    once = schedule.once if schedule.level == "once" else None
    if once and now is not None and moment(once, ZoneInfo("UTC")) <= now:
        return Message.of("the schedule never fires: {time} is in the past", time=once)
    return Message.of("the schedule never fires")


def _place(schedule: Schedule, where: Loc) -> Loc:
    """The key that most likely is the cause."""
    key = schedule.level if schedule.level == "once" else "cron" if schedule.cron else ""
    return (*where, key) if key else where
