"""Local times of a zone as moments: those that do not exist, and those that come twice."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

_SECOND, _DAY = timedelta(seconds=1), timedelta(days=1)
_MIDNIGHT, _LATER_MIDNIGHT = time(), time(fold=1)


class LocalMoments(NamedTuple):
    """The moments of a local time, in UTC: one; of ``twice`` two; of a ``gap`` the first after it."""

    kind: Literal["once", "twice", "gap"]
    moments: tuple[datetime, ...]


def local_moments(wall: datetime, zone: ZoneInfo) -> LocalMoments:
    """What a naive local time is in a zone."""
    before, after = (_offset(wall, zone, fold) for fold in (0, 1))
    earlier, later = _utc(wall, before), _utc(wall, after)
    if before == after:
        return LocalMoments("once", (earlier,))
    if before > after:
        return LocalMoments("twice", (earlier, later))
    return LocalMoments("gap", (_transition(later, earlier, zone),))


@lru_cache(maxsize=64)  # whoever follows the clock asks for the same few days again and again
def first_moment(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first moment at which a zone's clocks show ``wall`` or, in a gap, have passed it."""
    return local_moments(wall, zone).moments[0]


def steady_offset(day: date, zone: ZoneInfo) -> timedelta | None:
    """The offset from UTC all of a local day; None where it changes."""
    offset = zone.utcoffset(datetime.combine(day, _MIDNIGHT))
    return offset if offset == zone.utcoffset(datetime.combine(day + _DAY, _LATER_MIDNIGHT)) else None


def exists(midnight: datetime, zone: ZoneInfo) -> bool:
    """Whether a zone has that day: Apia had no 30 December 2011."""
    moments = local_moments(midnight, zone)
    return moments.kind != "gap" or moments.moments[0].astimezone(zone).date() == midnight.date()


@lru_cache(maxsize=16)  # each engine asks, and each picture of a year: a day of it takes as long as a query
def clock_changes_of(zone: ZoneInfo, first: int, last: int) -> tuple[tuple[datetime, timedelta], ...]:
    """When a zone's clocks change from one year to another, both included, and the offset from then on.

    It begins with that of the first moment.
    """
    day, end = datetime(first, 1, 1, tzinfo=UTC), datetime(last + 1, 1, 1, tzinfo=UTC)
    found = [(day, day.astimezone(zone).utcoffset() or timedelta(0))]
    while day < end:
        after = (day + _DAY).astimezone(zone).utcoffset() or timedelta(0)
        if after != found[-1][1]:
            found.append((_transition(day, day + _DAY, zone), after))
        day += _DAY
    return tuple(found)


def _offset(wall: datetime, zone: ZoneInfo, fold: int) -> timedelta:
    return zone.utcoffset(wall.replace(fold=fold)) or timedelta(0)


def _utc(wall: datetime, offset: timedelta) -> datetime:
    return (wall - offset).replace(tzinfo=UTC)


def _transition(low: datetime, high: datetime, zone: ZoneInfo) -> datetime:
    """The second in (low, high] at which the offset changes."""
    offset = low.astimezone(zone).utcoffset()
    while high - low > _SECOND:
        middle = low + timedelta(seconds=(high - low) // _SECOND // 2)
        low, high = (middle, high) if middle.astimezone(zone).utcoffset() == offset else (low, middle)
    return high
