"""The tree of a calendar by days: which are off, by which of its lists, and other ones for some; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from enum import StrEnum
from typing import Any, Final

from engine.planning.schedules.working_days import DateRange, date_range

WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKEND = ("sat", "sun")  # where a calendar names none
_DAY = timedelta(days=1)
_MOST = 3660  # days that are given at once


class DayKind(StrEnum):
    """What decides about a day."""

    WEEKDAY = "weekday"
    WORK = "work"
    OFF = "off"
    WEEKEND = "weekend"

    @property
    def off(self) -> bool:
        """Whether such a day is a day off."""
        return self in (DayKind.OFF, DayKind.WEEKEND)


def weekend_of(tree: Mapping[str, Any]) -> tuple[str, ...]:
    """The days off of each week, in the order of the week."""
    given = tree.get("weekend", _WEEKEND)
    return tuple(day for day in WEEKDAYS if isinstance(given, (list, tuple)) and day in given)


def ranges_of(texts: Any) -> tuple[DateRange, ...]:
    """The dates and ranges of ``off`` or ``work``; what cannot be read is left out, the check names it."""
    found = []
    for text in texts if isinstance(texts, (list, tuple)) else ():
        with suppress(ValueError):
            found.append(date_range(str(text)))
    return tuple(each for each in found if each[0] <= each[1])


class CalendarDays:
    """A calendar that is asked about days; ``tree`` as in a definition file."""

    def __init__(self, tree: Mapping[str, Any]) -> None:
        self.weekend = weekend_of(tree)
        self.work, self.off = ranges_of(tree.get("work")), ranges_of(tree.get("off"))

    def kind(self, day: date) -> DayKind:
        """``work`` wins over ``off``, which wins over the weekend."""
        return self.range_of(day)[0]

    def range_of(self, day: date) -> tuple[DayKind, DateRange | None]:
        """The same with the dates of the entry that decides; None where a weekday does."""
        for kind, ranges in ((DayKind.WORK, self.work), (DayKind.OFF, self.off)):
            found = next((each for each in ranges if each[0] <= day <= each[1]), None)
            if found is not None:
                return kind, found
        return (DayKind.WEEKEND if WEEKDAYS[day.weekday()] in self.weekend else DayKind.WEEKDAY), None


def with_days(tree: Mapping[str, Any], first: date, last: date, *, off: bool) -> dict[str, Any]:
    """The calendar in which these days, both included, are off or are working days; nothing else changes."""
    changed = dict(tree)
    days = [first + n * _DAY for n in range(min((last - first).days + 1, _MOST))]
    against, for_it = ("work", "off") if off else ("off", "work")
    _put(changed, against, _without(ranges_of(tree.get(against)), first, last))
    open_days = [day for day in days if CalendarDays(changed).kind(day).off is not off]
    _put(changed, for_it, [*ranges_of(tree.get(for_it)), *((day, day) for day in open_days)])
    return changed


def _without(ranges: Iterable[DateRange], first: date, last: date) -> list[DateRange]:
    """What is left of them without these days."""
    found: list[DateRange] = []
    for begin, end in ranges:
        if end < first or begin > last:
            found.append((begin, end))
            continue
        found += [(begin, first - _DAY)] if begin < first else []
        found += [(last + _DAY, end)] if end > last else []
    return found


def _put(tree: dict[str, Any], key: str, ranges: Sequence[DateRange]) -> None:
    """The key with these days; one whose days are the same stays as it was written."""
    wanted = _joined(ranges)
    given = tree.get(key)
    if wanted == _joined(ranges_of(given)):
        return
    unread = [text for text in given or () if not ranges_of([text])] if isinstance(given, list) else []
    texts = [*map(range_text, wanted), *unread]
    if texts:
        tree[key] = texts
    else:
        tree.pop(key, None)


def _joined(ranges: Iterable[DateRange]) -> list[DateRange]:
    """In order; those that touch each other are one."""
    found: list[DateRange] = []
    for first, last in sorted(ranges):
        if found and found[-1][1] < date.max and first <= found[-1][1] + _DAY:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return found


def range_text(days: DateRange) -> str:
    """As it is written in a file."""
    first, last = days
    return first.isoformat() if first == last else f"{first.isoformat()}..{last.isoformat()}"
