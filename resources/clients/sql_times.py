"""Times of databases as ISO 8601 texts, also those that Python has no value for: infinity, the year 12000."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

_UNITS = re.compile(r"(-?\d+) (year|mon|day)")
_CLOCK = re.compile(r"([+-]?)(\d+):(\d\d):(\d\d(?:\.\d+)?)$")
_LETTERS = {"year": "Y", "mon": "M", "day": "D"}
_OF_DAY = 24  # hours


def duration(span: timedelta) -> str:
    """A span as ISO 8601, as exact as it is.

    >>> duration(timedelta(days=1, minutes=90)), duration(-timedelta(seconds=1.5)), duration(timedelta())
    ('P1DT1H30M', '-PT1.5S', 'PT0S')
    """
    left = abs(span)
    sign = "-" if span < timedelta() else ""
    days = f"{left.days}D" if left.days else ""
    minutes, seconds = divmod(left.seconds, 60)
    clock = _clock("", minutes // 60, minutes % 60, f"{seconds}.{left.microseconds:06d}")
    return f"{sign}P{days}{clock}" if days or clock else "PT0S"


def interval(text: str) -> str:
    """An interval in PostgreSQL's own style as ISO 8601; months stay months. Other styles stay as they are.

    >>> interval("1 year 2 mons -3 days +04:05:06.7"), interval("00:00:00"), interval("P1D")
    ('P1Y2M-3DT4H5M6.7S', 'PT0S', 'P1D')
    """
    units, clock = _UNITS.findall(text), _CLOCK.search(text)
    if not units and not clock:
        return text
    dates = "".join(f"{number}{_LETTERS[unit]}" for number, unit in units)
    sign, hours, minutes, seconds = clock.groups() if clock else ("", "0", "0", "0")
    times = _clock("-" if sign == "-" else "", int(hours), int(minutes), seconds)
    return f"P{dates}{times}" if dates or times else "PT0S"


def _clock(sign: str, hours: int, minutes: int, seconds: str) -> str:
    exact = (seconds.rstrip("0").rstrip(".") if "." in seconds else seconds).lstrip("0") or "0"
    exact = f"0{exact}" if exact.startswith(".") else exact
    parts = ((str(hours), "H"), (str(minutes), "M"), (exact, "S"))
    text = "".join(f"{sign}{number}{unit}" for number, unit in parts if number != "0")
    return f"T{text}" if text else ""


def clock_time(text: str) -> str:
    """A TIME of MySQL: a time of day stays one, what is none (negative, 24 hours and more) is a duration.

    >>> clock_time("08:00:00"), clock_time("-01:30:00"), clock_time("100:00:00.500000")
    ('08:00:00', 'PT-1H-30M', 'PT100H0.5S')
    """
    found = _CLOCK.fullmatch(text)
    if found is None or (not found[1] and int(found[2]) < _OF_DAY):
        return text
    return f"P{_clock(found[1], int(found[2]), int(found[3]), found[4])}"


def read_as_texts(connection: Any) -> None:
    """Make a psycopg connection return intervals as ISO 8601, and times that Python cannot hold as text."""
    from psycopg import DataError
    from psycopg.adapt import Loader
    from psycopg.types import datetime as own

    class Interval(Loader):
        def load(self, data: Any) -> str:
            return interval(bytes(data).decode())

    connection.adapters.register_loader("interval", Interval)
    for name in ("date", "time", "timetz", "timestamp", "timestamptz"):
        base: Any = getattr(own, f"{name.capitalize()}Loader")

        class OrText(base):  # type: ignore[misc]
            def load(self, data: Any) -> Any:
                try:
                    return super().load(data)
                except DataError:
                    return bytes(data).decode()

        connection.adapters.register_loader(name, OrText)


def mysql_readers() -> dict[Any, Any]:
    """The readers and writers of PyMySQL, with ours for TIME."""
    from pymysql.constants import FIELD_TYPE
    from pymysql.converters import conversions

    return {**conversions, FIELD_TYPE.TIME: clock_time}
