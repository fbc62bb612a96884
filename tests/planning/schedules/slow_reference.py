"""Fire times found by looking at every minute: slow, and written without the evaluator's parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Literal
from zoneinfo import ZoneInfo

_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
_MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
_WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
_RANGES = ((0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (1, 7), (1970, 2099))


def slow_fires(
    cron: str,
    zone: ZoneInfo,
    begin: datetime,
    end: datetime,
    gap: Literal["shift", "skip"] = "shift",
    overlap: Literal["first", "last", "both"] = "first",
) -> list[datetime]:
    """The fires of a Quartz expression after ``begin``, not after ``end`` (aware): in UTC, in order."""
    shown = _shown(zone, begin - 30 * _HOUR, end + 30 * _HOUR)
    moments: dict[datetime, list[datetime]] = {}
    for moment, wall in shown:
        moments.setdefault(wall, []).append(moment)
    if re.fullmatch(r"(\*|\d+-\d+)(/1)?|0?/1", cron.split()[2]):
        gap, overlap = "skip", "both"
    found: set[datetime] = set()
    fields = cron.upper().split()
    seconds = _set(0, fields[0])
    wall, last = min(moments), max(moments)
    while wall <= last:
        if _matches(fields, wall):
            there = moments.get(wall) or _after_gap(shown, wall)[: gap == "shift"]
            chosen = {"first": there[:1], "last": there[-1:], "both": there}[overlap]
            passed = seconds if wall in moments else (0,)
            found.update(moment + timedelta(seconds=second) for moment in chosen for second in passed)
        wall += _MINUTE
    return sorted(moment for moment in found if begin < moment <= end)


def _shown(zone: ZoneInfo, begin: datetime, end: datetime) -> list[tuple[datetime, datetime]]:
    """Every minute, and what the clocks show then."""
    moment = begin.astimezone(UTC).replace(second=0, microsecond=0)
    return [
        (each, each.astimezone(zone).replace(tzinfo=None))
        for each in (moment + index * _MINUTE for index in range((end - moment) // _MINUTE))
    ]


def _after_gap(shown: list[tuple[datetime, datetime]], wall: datetime) -> list[datetime]:
    return [next(moment for moment, other in shown if other > wall)]


def _matches(fields: list[str], wall: datetime) -> bool:
    return (
        wall.minute in _set(1, fields[1])
        and wall.hour in _set(2, fields[2])
        and wall.month in _set(4, fields[4])
        and (len(fields) < 7 or wall.year in _set(6, fields[6]))
        and (_day_of_month(fields[3], wall.date()) if fields[3] != "?" else _weekday(fields[5], wall.date()))
    )


@cache
def _set(field: int, text: str) -> frozenset[int]:
    return frozenset(value for part in text.split(",") for value in _walk(field, part))


def _walk(field: int, part: str) -> Iterator[int]:
    """From the first value on, one after the other, until the last."""
    low, high = _RANGES[field]
    whole, _, step = part.partition("/")
    first, _, last = whole.partition("-")
    value = low if whole in ("*", "") else _number(field, first)
    end = high if whole in ("*", "") or ("/" in part and not last) else _number(field, last or first)
    count = 0
    while True:
        if count % int(step or 1) == 0:
            yield value
        if value == end:
            return
        value, count = (low if value == high else value + 1), count + 1


def _number(field: int, text: str) -> int:
    words = _MONTHS if field == 4 else _WEEKDAYS
    return words.index(text) + 1 if text in words else int(text)


def _last(day: date) -> bool:
    return (day + _DAY).month != day.month


def _day_of_month(text: str, day: date) -> bool:
    if text == "L":
        return _last(day)
    if match := re.fullmatch(r"L-(\d+)", text):
        later = day + int(match[1]) * _DAY
        return later.month == day.month and _last(later)
    if match := re.fullmatch(r"(?:(\d+)|L(?:-(\d+))?)W", text):
        meant = [each for each in _month(day) if _day_of_month(text[:-1], each)]
        return any(day == min(_working(day), key=lambda each: abs(each - target)) for target in meant)
    return day.day in _set(3, text)


def _month(day: date) -> list[date]:
    first = day.replace(day=1)
    return [each for each in (first + index * _DAY for index in range(31)) if each.month == day.month]


def _working(day: date) -> list[date]:
    return [each for each in _month(day) if each.isoweekday() < 6]


def _weekday(text: str, day: date) -> bool:
    quartz = day.isoweekday() % 7 + 1
    if text == "L":
        return quartz == 7
    if match := re.fullmatch(r"(\w+)#(\d)", text):
        return quartz == _number(5, match[1]) and (day.day - 1) // 7 + 1 == int(match[2])
    if match := re.fullmatch(r"(\w+)L", text):
        return quartz == _number(5, match[1]) and (day + 7 * _DAY).month != day.month
    return quartz in _set(5, text)
