"""The dates on which a timetable fires, and those whose fires move there from a day off."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from engine.model.cron import FIRST_YEAR, LAST_YEAR, CronFields
from engine.model.month_days import Month
from engine.planning.schedules.timetable import IntervalRule, OnceRule, Timetable
from engine.planning.schedules.working_days import WorkingDays
from engine.planning.schedules.zones import exists

_DAY = timedelta(days=1)


class FireDate(NamedTuple):
    """The local date on which fires of the date ``origin`` happen; ``off``: they are left out."""

    day: date
    origin: date
    off: bool = False


def fire_dates(timetable: Timetable, first: date) -> Iterator[FireDate]:
    """From ``first`` on, in the order of ``day``; what is left out too."""
    days = timetable.days
    if days is None:
        yield from (FireDate(origin, origin) for origin in _origins(timetable, first))
        return
    if timetable.on_day_off == "next":  # a day off before `first` may fire after it
        first = (days.previous(first) or first) if days.is_off(first - _DAY) else first
    for origin in _origins(timetable, first):
        yield _on_a_working_day(timetable, days, origin)


def _on_a_working_day(timetable: Timetable, days: WorkingDays, origin: date) -> FireDate:
    actual = origin if exists(datetime.combine(origin, time()), timetable.zone) else origin + _DAY
    if not days.is_off(actual):
        return FireDate(origin, origin)
    move = {"skip": lambda _: None, "next": days.next, "previous": days.previous}[timetable.on_day_off]
    moved = move(actual)
    return FireDate(moved, origin) if moved else FireDate(origin, origin, off=True)


def _origins(timetable: Timetable, first: date) -> Iterator[date]:
    match timetable.rule:
        case CronFields() as fields:
            yield from _cron_dates(fields, first)
        case IntervalRule(start, _):
            day = max(first, start.astimezone(timetable.zone).date())
            while day.year <= LAST_YEAR:
                yield day
                day += _DAY
        case OnceRule(moments):
            dates = sorted({each.astimezone(timetable.zone).date() for each in moments})
            yield from (each for each in dates if each >= first and each.year <= LAST_YEAR)


def _cron_dates(fields: CronFields, first: date) -> Iterator[date]:
    for year in fields.years or range(max(first.year, FIRST_YEAR), LAST_YEAR + 1):
        for month in fields.months:
            if (year, month) >= (first.year, first.month):
                weekday, length = monthrange(year, month)
                begin = first.day if (year, month) == (first.year, first.month) else 1
                days = fields.days.days(Month(length, weekday))
                yield from (date(year, month, day) for day in days if day >= begin)
