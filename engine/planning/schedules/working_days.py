"""Which dates of a calendar are days off, and the working day before or after one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from engine.model.calendar import Calendar

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY = timedelta(days=1)
_MOST = 3660  # days that are looked through for a working day

DateRange = tuple[date, date]  # both included


@dataclass(frozen=True, slots=True)
class WorkingDays:
    """A calendar as it is asked; ``weekend``: 0 is Monday."""

    id: str
    weekend: frozenset[int]
    off: tuple[DateRange, ...] = ()
    work: tuple[DateRange, ...] = ()

    def is_off(self, day: date) -> bool:
        """``work`` wins over ``off``, ``off`` over ``weekend``."""
        if any(first <= day <= last for first, last in self.work):
            return False
        return any(first <= day <= last for first, last in self.off) or day.weekday() in self.weekend

    def next(self, day: date) -> date | None:
        """The first working day after ``day``; None where there is none in ten years."""
        return self._nearest(day, _DAY)

    def previous(self, day: date) -> date | None:
        """The last working day before ``day``; None where there is none in ten years."""
        return self._nearest(day, -_DAY)

    def _nearest(self, day: date, step: timedelta) -> date | None:
        for _ in range(_MOST):
            day += step
            if not self.is_off(day):
                return day
        return None


def working_days(id: str, calendar: Calendar) -> WorkingDays:
    """The calendar ready to be asked; ValueError where a date cannot be read."""
    weekend = frozenset(_DAYS.index(day) for day in calendar.weekend)
    return WorkingDays(id, weekend, _ranges(calendar.off), _ranges(calendar.work))


def _ranges(texts: Iterable[str]) -> tuple[DateRange, ...]:
    return tuple(date_range(text) for text in texts)


def date_range(text: str) -> DateRange:
    """``2026-10-01`` or ``2026-10-01..2026-10-07``; ValueError where it is neither.

    The last day may be before the first, which then holds no day.
    """
    first, dots, last = text.partition("..")
    start = date.fromisoformat(first.strip())
    return start, date.fromisoformat(last.strip()) if dots else start
