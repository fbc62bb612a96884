"""What is wrong with a Quartz cron expression: its fields, their ranges, the forms that two of them have."""

from __future__ import annotations

import re
from typing import NamedTuple

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


class _Field(NamedTuple):
    """``alone`` are its forms beside lists, ranges and steps, with the range of the number in each."""

    name: str
    low: int
    high: int
    words: tuple[str, ...] = ()
    alone: tuple[tuple[str, tuple[int, int]], ...] = ()


_FIELDS = (
    _Field("seconds", 0, 59),
    _Field("minutes", 0, 59),
    _Field("hours", 0, 23),
    _Field("day of month", 1, 31, alone=((r"\?|L|LW", (0, 0)), (r"L-(\d+)", (1, 30)), (r"(\d+)W", (1, 31)))),
    _Field("month", 1, 12, _MONTHS),
    _Field("day of week", 1, 7, _DAYS, ((r"\?|L", (0, 0)), (r"(\w+)L", (1, 7)), (r"\w+#(\d+)", (1, 5)))),
    _Field("year", 1970, 2099),
)


def cron_problem(text: str) -> str | None:
    """What is wrong with it, in words; None when Quartz would take it."""
    fields = text.split()
    if len(fields) not in (6, 7):
        return f"expected six or seven fields (seconds first), found {len(fields)}"
    for field, given in zip(_FIELDS, fields, strict=False):
        if wrong := _problem(field, given):
            return f"{field.name}: {wrong}"
    if (fields[3] == "?") == (fields[5] == "?"):
        return "exactly one of day of month and day of week is `?`"
    return None


def _problem(field: _Field, given: str) -> str | None:
    for form, (low, high) in field.alone:
        match = re.fullmatch(form, given, re.ASCII | re.IGNORECASE)
        if match:
            return _alone(field, given, match.groups(), low, high)
    parts = given.split(",")
    return next((wrong for part in parts if (wrong := _part(field, part))), None)


def _alone(field: _Field, given: str, numbers: tuple[str, ...], low: int, high: int) -> str | None:
    """A form such as ``L-3`` or ``MON#2``: the day before ``#`` has the field's own range."""
    day, sharp, _ = given.partition("#")
    if sharp and (wrong := _value(field, day)):
        return wrong
    for number in numbers:
        known = _number(field, number)
        if known is None or not low <= known <= high:
            return f"`{given}`: expected a number from {low} to {high}"
    return None


def _part(field: _Field, part: str) -> str | None:
    """``*``, ``5``, ``5-9``, each also with ``/3``."""
    whole, slash, step = part.partition("/")
    if slash and not 1 <= (_number(field, step) or 0) <= field.high:
        return f"`{part}`: expected a step from 1 to {field.high} after the /"
    if whole == "*":
        return None
    return next((wrong for each in whole.split("-", 1) if (wrong := _value(field, each))), None)


def _value(field: _Field, text: str) -> str | None:
    number = _number(field, text)
    if number is not None and field.low <= number <= field.high:
        return None
    words = f", or {field.words[0]} to {field.words[-1]}" if field.words else ""
    return f"`{text}`: expected a number from {field.low} to {field.high}{words}"


def _number(field: _Field, text: str) -> int | None:
    if text.upper() in field.words:
        return field.low + field.words.index(text.upper())
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 4 else None
