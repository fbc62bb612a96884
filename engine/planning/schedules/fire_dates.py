"""The dates on which a timetable fires, and those whose fires move there from a day off."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from engine.model.cron import EVERY_DAY, FIRST_YEAR, LAST_YEAR, CronFields
from engine.model.month_days import DayRule, Month
from engine.planning.schedules.timetable import IntervalRule, OnceRule, Timetable
from engine.planning.schedules.working_days import WorkingDays
from engine.planning.schedules.zones import exists

_DAY = timedelta(days=1)
_INCOMPLETE = 2011  # the last year in which a zone has left out a date


class FireDate(NamedTuple):
    """The local date on which fires of the date ``origin`` happen; ``off``: they are left out."""

    day: date
    origin: date
    off: bool = False


def fire_dates(timetable: Timetable, first: date, *, left_out: bool = True) -> Iterator[FireDate]:
    """From ``first`` on, in the order of ``day``; with ``left_out`` those that are left out too.

    Without, those that move to a day before ``first`` may be missing.
    """
    days = timetable.days
    if days is None:
        yield from (FireDate(origin, origin) for origin in _origins(timetable, first))
        return
    if not left_out and days.is_over(first):
        return
    days_off = None if left_out else _PassedOver(days, timetable.on_day_off, first)
    if timetable.on_day_off == "next":  # a day off before `first` may fire after it
        first = (days.previous(first) or first) if days.is_off(first - _DAY) else first
    for origin in _origins(timetable, first, days_off):
        found = _on_a_working_day(timetable, days, origin)
        if left_out or not found.off:
            yield found


class _PassedOver:
    """Days off on which nothing fires, known a month at a time: what never fires is found soon.

    Up to 2011 zones have left out whole dates; the fires of such a one are at the next.
    """

    def __init__(self, days: WorkingDays, on_day_off: str, since: date) -> None:
        self._days, self._on_day_off, self._since = days, on_day_off, since
        self._of_kind: dict[Month, tuple[int, ...]] = {}

    def of(self, rule: DayRule, first: date, month: Month) -> Iterable[int]:
        """The days that a rule names in the month that begins with ``first``, without those."""
        days, last = self._days, first + (month.length - 1) * _DAY
        if first.year <= _INCOMPLETE:
            return rule.days(month)
        working = days.next(first - _DAY)
        if (working is None or working > last) and self._is_lost(first, last):
            return ()
        if self._on_day_off != "skip" or days.works_in(first, last):
            return rule.days(month)
        if month not in self._of_kind:
            named = rule.days(month)
            self._of_kind[month] = tuple(day for day in named if month.weekday(day) not in days.weekend)
        return self._of_kind[month]

    def _is_lost(self, first: date, last: date) -> bool:
        """Whether nothing of a month that is off as a whole moves to a working day."""
        match self._on_day_off:
            case "next":
                return self._days.next(last) is None
            case "previous":
                before = self._days.previous(first)
                return before is None or before < self._since
        return True


def _on_a_working_day(timetable: Timetable, days: WorkingDays, origin: date) -> FireDate:
    actual = origin if exists(datetime.combine(origin, time()), timetable.zone) else origin + _DAY
    if not days.is_off(actual):
        return FireDate(origin, origin)
    move = {"skip": lambda _: None, "next": days.next, "previous": days.previous}[timetable.on_day_off]
    moved = move(actual)
    return FireDate(moved, origin) if moved else FireDate(origin, origin, off=True)


def _origins(timetable: Timetable, first: date, days_off: _PassedOver | None = None) -> Iterator[date]:
    match timetable.rule:
        case CronFields() as fields:
            years = fields.years or range(max(first.year, FIRST_YEAR), LAST_YEAR + 1)
            yield from _dates(years, fields.months, fields.days, first, days_off)
        case IntervalRule(start, _):
            first = max(first, start.astimezone(timetable.zone).date())
            years = range(first.year, LAST_YEAR + 1)
            yield from _dates(years, range(1, 13), EVERY_DAY, first, days_off)
        case OnceRule(moments):
            dates = sorted({each.astimezone(timetable.zone).date() for each in moments})
            yield from (each for each in dates if each >= first and each.year <= LAST_YEAR)


def _dates(
    years: Iterable[int], months: Iterable[int], rule: DayRule, first: date, days_off: _PassedOver | None
) -> Iterator[date]:
    for year in years:
        for month in months:
            if (year, month) >= (first.year, first.month):
                weekday, length = monthrange(year, month)
                begin = first.day if (year, month) == (first.year, first.month) else 1
                kind = Month(length, weekday)
                days = days_off.of(rule, date(year, month, 1), kind) if days_off else rule.days(kind)
                yield from (date(year, month, day) for day in days if day >= begin)
