"""The fire times that a task had, each by the schedule that held then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo

from engine.planning.schedules.due import newest_fires
from engine.planning.schedules.fire_times import fires
from engine.planning.schedules.pairing import Paired
from engine.planning.schedules.timetable import Timetable
from engine.planning.schedules.windows import period

_INSTANT = timedelta(microseconds=1)


class HeldTimetable(NamedTuple):
    """A timetable and the moment strictly after which it held, until the next one did.

    The last one is asked for later times too: a task that is offline has them, and does not run.
    """

    timetable: Timetable
    after: datetime


def partner_times(
    paired: Paired, time: datetime, zone: ZoneInfo, held: Sequence[HeldTimetable], *, itself: bool = False
) -> list[datetime]:
    """The fire times of an upstream that an instance at ``time`` waits for; of ``latest`` at most one.

    ``zone``: the dependant's. ``held``: of the upstream, the first one first.
    """
    if paired.which is None or paired.unit is None:
        newest = newest_held(held, time - _INSTANT if itself else time)
        return [newest] if newest else []
    start, end = period(time, paired.which, paired.unit, zone)
    found = list(held_fires(held, start - _INSTANT, end - _INSTANT))
    return found if paired.window == "all_in_period" else found[-1:]


def newest_held(held: Sequence[HeldTimetable], until: datetime) -> datetime | None:
    """The last fire time not after a moment; None where there is none."""
    for each, end in reversed(_ranges(held, until)):
        if found := newest_fires(each.timetable, each.after, end, 1):
            return found[0]
    return None


def held_fires(held: Sequence[HeldTimetable], after: datetime, until: datetime) -> Iterator[datetime]:
    """The fires strictly after one moment and not after another, of whichever timetable held then."""
    for each, end in _ranges(held, until):
        yield from fires(each.timetable, max(each.after, after), end)


def _ranges(held: Sequence[HeldTimetable], until: datetime) -> list[tuple[HeldTimetable, datetime]]:
    """Each with the moment up to which it is asked."""
    ends = [after.after for _, after in pairwise(held)] + [until]
    found = [(each, min(end, until)) for each, end in zip(held, ends, strict=False)]
    return [(each, end) for each, end in found if each.after < end]
