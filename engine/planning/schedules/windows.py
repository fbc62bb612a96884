"""The scheduled times of an upstream that an instance waits for, by the window of its dependency."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from engine.planning.schedules.fire_times import fires
from engine.planning.schedules.pairing import Paired, Unit, Which
from engine.planning.schedules.timetable import Timetable
from engine.planning.schedules.zones import first_moment

_INSTANT = timedelta(microseconds=1)
_NEAREST = timedelta(hours=1)
_FARTHEST = timedelta(days=366 * 41)  # in so many years each date has met each day of the week


class Period(NamedTuple):
    """From ``start`` to before ``end``, in UTC."""

    start: datetime
    end: datetime


def wanted(
    paired: Paired, time: datetime, zone: ZoneInfo, upstream: Timetable, *, itself: bool = False
) -> list[datetime]:
    """The fire times of the upstream that an instance at ``time`` waits for; of ``latest`` at most one.

    ``zone``: the dependant's. ``itself``: the task waits for its own fire time before this one.
    """
    if paired.which is None or paired.unit is None:
        newest = last_fire(upstream, time - _INSTANT if itself else time)
        return [newest] if newest else []
    found = list(fires_in(upstream, period(time, paired.which, paired.unit, zone)))
    return found if paired.window == "all_in_period" else found[-1:]


def fires_in(timetable: Timetable, period: Period) -> Iterator[datetime]:
    """The fires of a period."""
    return fires(timetable, period.start - _INSTANT, period.end - _INSTANT)


def last_fire(timetable: Timetable, time: datetime) -> datetime | None:
    """The newest fire not after a moment; None where there is none in 41 years before it."""
    back, until = _NEAREST, time
    while until > time - _FARTHEST:
        found = list(fires(timetable, time - back, until))
        if found:
            return found[-1]
        until, back = time - back, back * 4
    return None


def period(moment: datetime, which: Which, unit: Unit, zone: ZoneInfo) -> Period:
    """The local hour, day … that a moment is in, or the one before; hours are those that clocks show."""
    if unit in ("minute", "hour"):
        return _hour(moment, which, zone)
    return _days(_begin(moment.astimezone(zone).date(), unit), which, unit, zone)


def _days(start: date, which: Which, unit: Unit, zone: ZoneInfo) -> Period:
    found = Period(_midnight(start, zone), _midnight(_following(start, unit), zone))
    if which == "same" and found.start < found.end:
        return found
    return _days(_begin(start - timedelta(days=1), unit), "same", unit, zone)  # Apia had no 30 December 2011


def _hour(moment: datetime, which: Which, zone: ZoneInfo) -> Period:
    local = moment.astimezone(zone)
    start = moment - timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
    if which != "same":
        return _hour(start - _INSTANT, "same", zone)
    return Period(start, start + timedelta(hours=1))


def _begin(day: date, unit: Unit) -> date:
    match unit:
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "year":
            return day.replace(month=1, day=1)
    return day


def _following(start: date, unit: Unit) -> date:
    days = {"week": 7, "month": 32, "year": 367}.get(unit, 1)
    return _begin(start + timedelta(days=days), unit)


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return first_moment(datetime.combine(day, time()), zone)
