"""Which days of a month the day fields of a cron expression name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class Month(NamedTuple):
    """A month by its number of days and the weekday of its first."""

    length: int
    first: int

    def weekday(self, day: int) -> int:
        """0 is Monday."""
        return (self.first + day - 1) % 7


class DayRule(Protocol):
    """One form of a day field; ``days`` gives days of the month in order, each of them in the month."""

    def days(self, month: Month) -> Iterable[int]: ...


@dataclass(frozen=True, slots=True)
class DaysOfMonth:
    """The days by number; those that a month lacks are left out."""

    numbers: tuple[int, ...]

    def days(self, month: Month) -> Iterable[int]:
        if self.numbers[-1] <= month.length:
            return self.numbers
        return (day for day in self.numbers if day <= month.length)


@dataclass(frozen=True, slots=True)
class LastDay:
    """``L``, ``L-3``; ``workday``: the weekday nearest to it (``LW``, ``L-3W``)."""

    before: int = 0
    workday: bool = False

    def days(self, month: Month) -> Iterable[int]:
        day = month.length - self.before
        if day < 1:
            return ()
        return (_nearest_workday(day, month) if self.workday else day,)


@dataclass(frozen=True, slots=True)
class NearestWorkday:
    """``15W``: the weekday from Monday to Friday nearest to a day, within its month."""

    day: int

    def days(self, month: Month) -> Iterable[int]:
        return (_nearest_workday(self.day, month),) if self.day <= month.length else ()


@dataclass(frozen=True, slots=True)
class Weekdays:
    """The days of the week; 0 is Monday."""

    numbers: tuple[int, ...]

    def days(self, month: Month) -> Iterable[int]:
        return (day for day in range(1, month.length + 1) if month.weekday(day) in self.numbers)


@dataclass(frozen=True, slots=True)
class NthWeekday:
    """``6#3``: the third Friday; no day in a month without a fifth one."""

    weekday: int
    nth: int

    def days(self, month: Month) -> Iterable[int]:
        day = 1 + (self.weekday - month.first) % 7 + 7 * (self.nth - 1)
        return (day,) if day <= month.length else ()


@dataclass(frozen=True, slots=True)
class LastWeekday:
    """``6L``: the last Friday."""

    weekday: int

    def days(self, month: Month) -> Iterable[int]:
        return (month.length - (month.weekday(month.length) - self.weekday) % 7,)


@dataclass(frozen=True, slots=True)
class EitherDay:
    """What a Unix line with both day fields means: a day that one of the two names."""

    of_month: DayRule
    of_week: DayRule

    def days(self, month: Month) -> Iterable[int]:
        return sorted({*self.of_month.days(month), *self.of_week.days(month)})


def _nearest_workday(day: int, month: Month) -> int:
    match month.weekday(day):
        case 5:  # Saturday
            return day - 1 if day > 1 else day + 2
        case 6:  # Sunday
            return day + 1 if day < month.length else day - 2
    return day
