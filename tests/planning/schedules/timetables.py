"""Timetables of a few words, and their fires as local texts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from engine.model.schedule import Schedule
from engine.planning.schedules.fire_times import fires
from engine.planning.schedules.timetable import Timetable, read_timetable
from engine.planning.schedules.working_days import WorkingDays

ONLINE = datetime(2026, 1, 1, tzinfo=UTC)


def model(schedule: Mapping[str, Any]) -> Schedule:
    """A schedule by its keys; of ``cron`` alone the level is crontab."""
    return Schedule.model_validate({"level": "crontab", **schedule} if "cron" in schedule else schedule)


def timetable(zone: str, calendars: Mapping[str, WorkingDays] | None = None, **schedule: Any) -> Timetable:
    """The timetable of a schedule's keys."""
    return read_timetable(model(schedule), ZoneInfo(zone), calendars or {}, ONLINE)


def local(moment: datetime, zone: ZoneInfo) -> str:
    """``2026-03-29T03:00:00+02:00``, the seconds left out where they are 0."""
    return moment.astimezone(zone).isoformat().replace(":00+", "+", 1).replace(":00-", "-", 1)


def first(table: Timetable, after: str, count: int) -> list[str]:
    """The first fires after a local time, as local texts."""
    begin = datetime.fromisoformat(after)
    begin = begin if begin.tzinfo else begin.replace(tzinfo=table.zone)
    return [local(each, table.zone) for each in islice(fires(table, begin), count)]
