"""Which instances of a task another task's instance waits for, matched on scheduled time alone; pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime, timedelta
from operator import attrgetter
from typing import NamedTuple
from zoneinfo import ZoneInfo

from engine.model.schedule import Dependency

_UNITS = ("hour", "day", "week", "month", "year")


class InstanceTime(NamedTuple):
    """An instance and the time that it is for (aware)."""

    instance: int
    time: datetime


BY_TIME = attrgetter("time")


class Window(NamedTuple):
    """The scheduled times that count: from ``start`` to before ``end`` (None: as early as there is one)."""

    start: datetime | None
    end: datetime
    latest: bool  # only the last one in it


def window(dependency: Dependency, time: datetime, level: str | None, zone: ZoneInfo) -> Window:
    """What an instance at ``time`` waits for. ``level`` is its own task's: the default of the period."""
    if dependency.window == "latest":
        return Window(None, time + timedelta(microseconds=1), latest=True)
    which, unit = _period(dependency, level)
    start, end = _bounds(time.astimezone(zone), unit)
    if which == "previous":
        start, end = _bounds(start - timedelta(seconds=1), unit)
    return Window(start, end, latest=dependency.window != "all_in_period")


def matching(slots: Sequence[InstanceTime], window: Window) -> Sequence[InstanceTime]:
    """Those of a task's instances that lie in a window; ``slots`` are in the order of their times."""
    first = 0 if window.start is None else bisect_left(slots, window.start, key=BY_TIME)
    last = bisect_left(slots, window.end, key=BY_TIME)
    return slots[max(first, last - 1) : last] if window.latest else slots[first:last]


def _period(dependency: Dependency, level: str | None) -> tuple[str, str]:
    if dependency.period is not None:
        which, _, unit = dependency.period.partition("_")
    else:
        which, unit = "previous", (level or "day").removeprefix("custom_")
    if dependency.window in ("same_period", "previous_period"):
        which = dependency.window.partition("_")[0]
    return which, unit if unit in _UNITS else "day"


def _bounds(moment: datetime, unit: str) -> tuple[datetime, datetime]:
    """The hour, day … that a local moment is in."""
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    match unit:
        case "hour":
            start = moment.replace(minute=0, second=0, microsecond=0)
            return start, start + timedelta(hours=1)
        case "day":
            return midnight, midnight + timedelta(days=1)
        case "week":
            monday = midnight - timedelta(days=midnight.weekday())
            return monday, monday + timedelta(days=7)
        case "month":
            first = midnight.replace(day=1)
            return first, (first + timedelta(days=32)).replace(day=1)
    january = midnight.replace(month=1, day=1)
    return january, january.replace(year=january.year + 1)
