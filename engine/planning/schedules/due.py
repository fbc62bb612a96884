"""What is to be done about the fire times that have come: on time, missed and caught up, or passed over."""

from __future__ import annotations

from collections import deque
from datetime import datetime, timedelta
from itertools import islice
from typing import Literal, NamedTuple

from engine.planning.schedules.fire_times import fires
from engine.planning.schedules.timetable import Timetable

_INSTANT = timedelta(microseconds=1)
_FIRST_LOOK = timedelta(hours=1)
COUNTED = 10_000  # missed times beyond that are no longer counted: it would hold up what runs
DENSE = 1440  # a schedule that fires more often in a day leaves no rows of what it passes over


class Lateness(NamedTuple):
    """How late a fire still counts as on time, and what is done about those that are later."""

    misfire: timedelta
    catchup: Literal["none", "latest", "all"]
    most: int  # caught up at once, the newest ones


class DueFires(NamedTuple):
    """``caught_up``: missed ones that run all the same, oldest first; ``last``: the newest fire of all."""

    on_time: tuple[datetime, ...]
    caught_up: tuple[datetime, ...]
    missed: int
    last: datetime | None


def due_fires(timetable: Timetable, after: datetime, now: datetime, lateness: Lateness) -> DueFires:
    """The fires strictly after one moment and not after ``now``, sorted by what becomes of them."""
    in_time = max(after, now - lateness.misfire - _INSTANT)
    on_time = tuple(fires(timetable, in_time, now))
    if in_time == after:
        return DueFires(on_time, (), 0, on_time[-1] if on_time else None)
    missed = sum(1 for _ in islice(fires(timetable, after, in_time), COUNTED))
    wanted = {"none": 0, "latest": 1, "all": lateness.most}[lateness.catchup]
    newest = newest_fires(timetable, after, in_time, max(wanted, 1)) if missed else ()
    last = on_time[-1] if on_time else newest[-1] if newest else None
    return DueFires(on_time, newest if wanted else (), missed, last)


def newest_fires(timetable: Timetable, after: datetime, until: datetime, most: int) -> tuple[datetime, ...]:
    """The last ``most`` fires strictly after one moment and not after another, the oldest first.

    Looked for from the end: years of a schedule by the second need not be walked through.
    """
    look = _FIRST_LOOK
    while True:
        begin = max(after, until - look) if until - after > look else after
        found = deque(fires(timetable, begin, until), maxlen=most)
        if begin == after or len(found) == most:
            return tuple(found)
        look *= 4


def is_dense(timetable: Timetable, now: datetime) -> bool:
    """Whether it fires more than 1,440 times in the day to come."""
    of_a_day = fires(timetable, now, now + timedelta(days=1))
    return sum(1 for _ in islice(of_a_day, DENSE + 1)) > DENSE


def after_set_back(
    since: datetime, last: datetime, now: datetime, max_jump: timedelta
) -> tuple[datetime, datetime]:
    """``since`` and ``last`` of a schedule when the clock shows less than ``last``, the last fire dealt with.

    Fires up to it are not dealt with twice; but a clock that was far ahead must not silence a schedule, and
    one that held only by that clock holds from now on.
    """
    if since <= now and last - now <= max_jump:
        return since, last
    return min(since, now), now
