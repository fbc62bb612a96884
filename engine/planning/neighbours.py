"""Which instances of a task another task's instance waits for, matched on scheduled time alone; pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime, timedelta
from operator import attrgetter
from typing import NamedTuple
from zoneinfo import ZoneInfo

from engine.model.schedule import Dependency
from engine.planning.schedules.pairing import PERIODS, Unit, Which
from engine.planning.schedules.windows import period


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
    start, end = period(time, *_period(dependency, level), zone)
    return Window(start, end, latest=dependency.window != "all_in_period")


def matching(slots: Sequence[InstanceTime], window: Window) -> Sequence[InstanceTime]:
    """Those of a task's instances that lie in a window; ``slots`` are in the order of their times."""
    first = 0 if window.start is None else bisect_left(slots, window.start, key=BY_TIME)
    last = bisect_left(slots, window.end, key=BY_TIME)
    return slots[max(first, last - 1) : last] if window.latest else slots[first:last]


def _period(dependency: Dependency, level: str | None) -> tuple[Which, Unit]:
    if dependency.period is not None:
        which, _, unit = dependency.period.partition("_")
    else:
        which, unit = "previous", (level or "day").removeprefix("custom_")
    if dependency.window in ("same_period", "previous_period"):
        which = dependency.window.partition("_")[0]
    known: Unit = next((each for each in PERIODS if each == unit), "day")
    return "same" if which == "same" else "previous", known
