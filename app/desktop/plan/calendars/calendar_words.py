"""What a calendar means, in words: as a whole, and on one day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from app.desktop.design.forms.schedule_fields import WEEKDAYS
from app.desktop.kernel.language import tr, trn
from app.desktop.plan.calendars.calendar_days import CalendarDays, DayKind, range_text
from engine.planning.schedules.working_days import DateRange

_NAMED = 3  # ranges; the rest is counted
_DAY_WORDS = {
    DayKind.WEEKDAY: "a working day, as every {weekday}",
    DayKind.WEEKEND: "a day off, as every {weekday}",
    DayKind.OFF: "a day off: {entry} is among the days off",
    DayKind.WORK: "a working day: {entry} is among the days of work, which win",
}


def rule_of(tree: Mapping[str, Any]) -> Iterator[str]:
    """Sentences: the days off of each week, the other days off, the days of work that win."""
    days = CalendarDays(tree)
    listed = ", ".join(tr(WEEKDAYS[day]) for day in days.weekend)
    yield tr("Off each week: {days}.", days=listed) if listed else tr("No day of the week is off.")
    if days.off:
        yield tr("Off as well: {days}.", days=_some(days.off))
    if days.work:
        yield tr("Worked all the same: {days}.", days=_some(days.work))


def day_line(tree: Mapping[str, Any], day: date) -> str:
    """``2026-10-03 Saturday: a day off, as every Saturday``."""
    kind, entry = CalendarDays(tree).range_of(day)
    weekday = tr(list(WEEKDAYS.values())[day.weekday()])
    words = tr(_DAY_WORDS[kind], weekday=weekday, entry=range_text(entry) if entry else "")
    return tr("{day} {weekday}: {words}", day=day.isoformat(), weekday=weekday, words=words)


def month_line(tree: Mapping[str, Any], days: Sequence[date]) -> str:
    """How many days of a month are worked."""
    calendar = CalendarDays(tree)
    off = sum(calendar.kind(day).off for day in days)
    working = trn(len(days) - off, "1 working day", "{n} working days")
    return f"{working}  ·  {trn(off, '1 day off', '{n} days off')}"


def _some(ranges: Sequence[DateRange]) -> str:
    """The first ranges, and how many days all of them are."""
    total = sum((last - first).days + 1 for first, last in ranges)
    named = ", ".join(range_text(each) for each in sorted(ranges)[:_NAMED])
    more = tr(" and more") if len(ranges) > _NAMED else ""
    return f"{named}{more} ({trn(total, '1 day', '{n} days')})"
