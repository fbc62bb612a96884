"""What the instances to come wait for: the fire times of an upstream, asked for again and again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property
from itertools import islice
from zoneinfo import ZoneInfo

from engine.planning.schedules.held_times import HeldTimetable, held_fires, newest_held
from engine.planning.schedules.pairing import Paired
from engine.planning.schedules.windows import Period, period

_INSTANT = timedelta(microseconds=1)
_MOST = 100_000  # fire times that are kept at once


class UpstreamTimes:
    """The fire times of one task; those of the coming day are looked for once."""

    def __init__(self, held: Sequence[HeldTimetable], begin: datetime, end: datetime) -> None:
        self._held = held
        self._begin = begin
        self._end = end
        self._periods: dict[Period, Sequence[datetime]] = {}

    def newest(self, until: datetime) -> Sequence[datetime]:
        """The last one not after a moment, if there is one."""
        times, before = self._coming, None
        if len(times) > _MOST or not self._begin <= until <= self._end:
            before = newest_held(self._held, until)
        elif position := bisect_right(times, until):
            return times[position - 1 : position]
        else:
            before = self._before
        return [before] if before else []

    def of(self, wanted: Period) -> Sequence[datetime]:
        """Those of a period."""
        if wanted not in self._periods:
            found = held_fires(self._held, wanted.start - _INSTANT, wanted.end - _INSTANT)
            self._periods[wanted] = list(found)
        return self._periods[wanted]

    @cached_property
    def _coming(self) -> Sequence[datetime]:
        return list(islice(held_fires(self._held, self._begin, self._end), _MOST + 1))

    @cached_property
    def _before(self) -> datetime | None:
        return newest_held(self._held, self._begin)


def foreseen_times(
    paired: Paired, time: datetime, zone: ZoneInfo, upstream: UpstreamTimes, *, itself: bool = False
) -> Sequence[datetime]:
    """As ``held_times.partner_times``, of one instance after another."""
    if paired.which is None or paired.unit is None:
        return upstream.newest(time - _INSTANT if itself else time)
    found = upstream.of(period(time, paired.which, paired.unit, zone))
    return found if paired.window == "all_in_period" else found[-1:]
