"""Cron expressions: the Quartz forms, seconds first, and Unix lines of five fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeVar

from engine.model.message import Message
from engine.model.month_days import (
    DayRule,
    DaysOfMonth,
    EitherDay,
    LastDay,
    LastWeekday,
    NearestWorkday,
    NthWeekday,
    Weekdays,
)

FIRST_YEAR, LAST_YEAR = 1970, 2099  # as Quartz has them
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
EVERY_DAY = DaysOfMonth(tuple(range(1, 32)))
_REAL_HOURS = re.compile(r"(?:\*|\d+-\d+)(?:/1)?|0?/1")


_FORMS_OF_MONTH = re.compile(r"\?|LW?|\d+W", re.ASCII)
_FORMS_OF_WEEK = re.compile(r"\?|\w*L|\w+#\d*", re.ASCII)
_OUTSIDE = "`{text}`: expected a number from {low} to {high}"
_Read = TypeVar("_Read")


class CronSyntaxError(ValueError):
    """What is wrong with an expression; ``message`` says it."""

    def __init__(self, template: str, /, **facts: object) -> None:
        self.message = Message.of(template, **facts)
        super().__init__(str(self.message))


@dataclass(frozen=True, slots=True)
class CronFields:
    """An expression as the values that its fields name, each in order.

    ``real_hours``: its hours are every hour or a plain range, so that clock changes make nothing up.
    """

    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: DayRule
    months: tuple[int, ...]
    years: tuple[int, ...] | None
    real_hours: bool

    def times(self, start: int = 0) -> Iterator[int]:
        """The times of a day, in seconds since midnight and in order, from ``start``."""
        for hour in self.hours:
            if 3600 * hour + 3599 < start:
                continue
            for minute in self.minutes:
                begin = 3600 * hour + 60 * minute
                if begin + 59 >= start:
                    yield from (begin + second for second in self.seconds if begin + second >= start)


class _Field(NamedTuple):
    name: str
    low: int
    high: int
    words: tuple[str, ...] = ()

    def number(self, text: str) -> int | None:
        if text.upper() in self.words:
            return self.low + self.words.index(text.upper())
        return int(text) if text.isascii() and text.isdecimal() and len(text) <= 4 else None

    def value(self, text: str) -> int:
        number = self.number(text)
        if number is not None and self.low <= number <= self.high:
            return number
        facts = {"text": text, "low": self.low, "high": self.high}
        if not self.words:
            raise CronSyntaxError(_OUTSIDE, **facts)
        named = "`{text}`: expected a number from {low} to {high}, or {first} to {last}"
        raise CronSyntaxError(named, **facts, first=self.words[0], last=self.words[-1])


_SECONDS = _Field("seconds", 0, 59)
_MINUTES = _Field("minutes", 0, 59)
_HOURS = _Field("hours", 0, 23)
_DAY_OF_MONTH = _Field("day of month", 1, 31)
_MONTH = _Field("month", 1, 12, _MONTHS)
_DAY_OF_WEEK = _Field("day of week", 1, 7, _DAYS)
_YEAR = _Field("year", FIRST_YEAR, LAST_YEAR)
_UNIX = (_MINUTES, _HOURS, _DAY_OF_MONTH, _MONTH, _Field("day of week", 0, 7, _DAYS))


def read_cron(text: str) -> CronFields:
    """The fields of an expression; raises CronSyntaxError."""
    given = text.split()
    if len(given) == 5:
        return _unix(given)
    if len(given) not in (6, 7):
        raise CronSyntaxError("expected six or seven fields (seconds first), found {count}", count=len(given))
    days = _read(_DAY_OF_MONTH, given[3], _day_of_month)
    weekdays = _read(_DAY_OF_WEEK, given[5], _day_of_week)
    fields = CronFields(
        _read(_SECONDS, given[0], _values),
        _read(_MINUTES, given[1], _values),
        _read(_HOURS, given[2], _values),
        days or weekdays or EVERY_DAY,
        _read(_MONTH, given[4], _values),
        _read(_YEAR, given[6], _values) if len(given) == 7 else None,
        _REAL_HOURS.fullmatch(given[2]) is not None,
    )
    if (days is None) == (weekdays is None):
        raise CronSyntaxError("exactly one of day of month and day of week is `?`")
    return fields


def cron_problem(text: str) -> Message | None:
    """What is wrong with it, in words; None when it can be read."""
    try:
        read_cron(text)
    except CronSyntaxError as problem:
        return problem.message
    return None


def _read(field: _Field, text: str, read: Callable[[_Field, str], _Read]) -> _Read:
    try:
        return read(field, text)
    except CronSyntaxError as problem:
        raise CronSyntaxError("{field}: {message}", field=field.name, message=problem.message) from None


@lru_cache(maxsize=1024)  # fields repeat: to read them was half of the time of a day's fires
def _values(field: _Field, text: str) -> tuple[int, ...]:
    """A list of ``*``, ``5``, ``5-9``, each also with ``/3``; a range may pass the end of its field."""
    return tuple(sorted({value for part in text.split(",") for value in _part(field, part)}))


def _part(field: _Field, part: str) -> Iterable[int]:
    whole, slash, step_text = part.partition("/")
    step = _step(field, part, step_text) if slash else 1
    if whole == "*" or (slash and not whole):
        return range(field.low, field.high + 1, step)
    first, dash, last = whole.partition("-")
    start = field.value(first)
    end = field.value(last) if dash else field.high if slash else start
    if start <= end:
        return range(start, end + 1, step)
    if field is _YEAR:
        raise CronSyntaxError("`{text}`: the years end before they begin", text=part)
    span = field.high - field.low + 1
    return (field.low + (value - field.low) % span for value in range(start, end + span + 1, step))


def _step(field: _Field, part: str, text: str) -> int:
    step = field.number(text)
    if step is None or not 1 <= step <= field.high:
        raise CronSyntaxError(
            "`{text}`: expected a step from 1 to {high} after the /", text=part, high=field.high
        )
    return step


@lru_cache(maxsize=1024)
def _day_of_month(field: _Field, text: str) -> DayRule | None:
    """The rule of the field; None where it is ``?``."""
    upper = text.upper()
    if upper in ("?", "L", "LW"):
        return None if upper == "?" else LastDay(workday=upper == "LW")
    if match := re.fullmatch(r"L-(\d+)(W?)", upper, re.ASCII):
        return LastDay(_between(text, match[1], 1, 30), workday=match[2] == "W")
    if match := re.fullmatch(r"(\d+)W", upper, re.ASCII):
        return NearestWorkday(_between(text, match[1], 1, 31))
    _refuse_in_list(text, _FORMS_OF_MONTH)
    return DaysOfMonth(_values(field, text))


@lru_cache(maxsize=1024)
def _day_of_week(field: _Field, text: str) -> DayRule | None:
    """The rule of the field; None where it is ``?``. Quartz counts from 1 = Sunday."""
    upper = text.upper()
    if upper in ("?", "L"):
        return None if upper == "?" else Weekdays((_weekday(7),))
    _refuse_in_list(text, _FORMS_OF_WEEK)
    day, sharp, nth = upper.partition("#")
    if sharp:
        return NthWeekday(_weekday(field.value(day)), _between(text, nth, 1, 5))
    if match := re.fullmatch(r"(\w+)L", upper, re.ASCII):
        if field.number(match[1]) is None:
            raise CronSyntaxError(_OUTSIDE, text=text, low=1, high=7)
        return LastWeekday(_weekday(_between(text, str(field.number(match[1])), 1, 7)))
    return Weekdays(tuple(sorted(map(_weekday, _values(field, text)))))


def _refuse_in_list(text: str, forms: re.Pattern[str]) -> None:
    parts = re.split("[,/-]", text.upper())
    if len(parts) > 1 and any(map(forms.fullmatch, parts)):
        raise CronSyntaxError(
            "`{text}`: `?`, `L`, `W` and `#` are the whole field, not part of a list", text=text
        )


def _between(text: str, number: str, low: int, high: int) -> int:
    if not (number.isascii() and number.isdecimal() and len(number) <= 4 and low <= int(number) <= high):
        raise CronSyntaxError(_OUTSIDE, text=text, low=low, high=high)
    return int(number)


def _weekday(number: int) -> int:
    """0 is Monday, of a number whose 0 or 7 … 1 is Sunday as Quartz has it."""
    return (number - 2) % 7


def _unix(given: list[str]) -> CronFields:
    """The fields of a Unix line, as croniter expands them: with both day fields, one of them is enough."""
    from croniter import CroniterError, croniter  # late: few start with a Unix line

    if "?" in given:
        raise CronSyntaxError("`?` belongs to Quartz: expected six or seven fields (seconds first), found 5")
    for field, text in zip(_UNIX, given, strict=True):
        _read(field, text, _values)
    try:
        minutes, hours, days, months, weekdays = croniter.expand(" ".join(given))[0]
    except CroniterError as problem:
        raise CronSyntaxError(str(problem)) from None
    return CronFields(
        (0,),
        _expanded(_MINUTES, minutes),
        _expanded(_HOURS, hours),
        _either(days, weekdays),
        _expanded(_MONTH, months),
        None,
        _REAL_HOURS.fullmatch(given[1]) is not None,
    )


def _expanded(field: _Field, values: Iterable[int | str]) -> tuple[int, ...]:
    known = list(values)
    return tuple(range(field.low, field.high + 1)) if known == ["*"] else tuple(sorted(map(int, known)))


def _either(days: list[int | str], weekdays: list[int | str]) -> DayRule:
    of_month = DaysOfMonth(_expanded(_DAY_OF_MONTH, days))
    of_week = Weekdays(tuple(sorted({(int(day) - 1) % 7 for day in weekdays if day != "*"})))
    if weekdays == ["*"]:
        return of_month
    return of_week if days == ["*"] else EitherDay(of_month, of_week)
