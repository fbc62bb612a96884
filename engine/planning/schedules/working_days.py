"""Which dates of a calendar are days off, and the working day before or after one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from engine.model.calendar import Calendar

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY = timedelta(days=1)
_MOST = timedelta(days=3660)  # so far away a working day is looked for

DateRange = tuple[date, date]  # both included


@dataclass(frozen=True, slots=True)
class WorkingDays:
    """A calendar as it is asked; ``weekend``: 0 is Monday."""

    id: str
    weekend: frozenset[int]
    off: tuple[DateRange, ...] = ()  # both in order, and none touches the next one
    work: tuple[DateRange, ...] = ()

    def is_off(self, day: date) -> bool:
        """``work`` wins over ``off``, ``off`` over ``weekend``."""
        if self.work and _around(self.work, day):
            return False
        return day.weekday() in self.weekend or bool(self.off and _around(self.off, day))

    def next(self, day: date) -> date | None:
        """The first working day after ``day``; None where there is none in ten years."""
        return self._nearest(day, _DAY)

    def previous(self, day: date) -> date | None:
        """The last working day before ``day``; None where there is none in ten years."""
        return self._nearest(day, -_DAY)

    def is_over(self, day: date) -> bool:
        """Whether neither this day nor any after it is a working day."""
        return len(self.weekend) == len(_DAYS) and (not self.work or self.work[-1][1] < day)

    def works_in(self, first: date, last: date) -> bool:
        """Whether ``work`` names one of these days, both included."""
        position = bisect_right(self.work, (last, date.max))
        return position > 0 and self.work[position - 1][1] >= first

    def _nearest(self, start: date, step: timedelta) -> date | None:
        day: date | None = start + step
        while day is not None and abs(day - start) <= _MOST:
            if not self.is_off(day):
                return day
            day = self._beyond(day, step)
        return None

    def _beyond(self, day: date, step: timedelta) -> date | None:
        """The first day after (or before) a day off that may be none; holidays are passed in one step."""
        always = len(self.weekend) == len(_DAYS)
        around = (date.min, date.max) if always else _around(self.off, day)
        if around is None:
            return day + step
        ahead = step > timedelta()
        edge, work = around[ahead], self._work_beyond(day, ahead=ahead)
        found = [] if edge in (date.min, date.max) else [edge + step]
        return (min if ahead else max)([*found, *([work] if work else [])], default=None)

    def _work_beyond(self, day: date, *, ahead: bool) -> date | None:
        """The nearest day after (or before) one that ``work`` names."""
        position = bisect_right(self.work, (day, date.max))
        if ahead:
            return self.work[position][0] if position < len(self.work) else None
        return self.work[position - 1][1] if position else None


def working_days(id: str, calendar: Calendar) -> WorkingDays:
    """The calendar ready to be asked; ValueError where a date cannot be read."""
    weekend = frozenset(_DAYS.index(day) for day in calendar.weekend)
    return WorkingDays(id, weekend, _ranges(calendar.off), _ranges(calendar.work))


def _ranges(texts: Iterable[str]) -> tuple[DateRange, ...]:
    """In order; those that touch each other are one."""
    found: list[DateRange] = []
    for first, last in sorted(date_range(text) for text in texts):
        if first > last:
            continue
        if found and (found[-1][1] == date.max or first <= found[-1][1] + _DAY):
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return tuple(found)


def _around(ranges: Sequence[DateRange], day: date) -> DateRange | None:
    """The one that a day is in."""
    position = bisect_right(ranges, (day, date.max))
    return ranges[position - 1] if position and ranges[position - 1][1] >= day else None


def date_range(text: str) -> DateRange:
    """``2026-10-01`` or ``2026-10-01..2026-10-07``; ValueError where it is neither.

    The last day may be before the first, which then holds no day.
    """
    first, dots, last = text.partition("..")
    start = date.fromisoformat(first.strip())
    return start, date.fromisoformat(last.strip()) if dots else start
