"""Times and time zones as people and files write them."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

_FIRST, _LAST = (datetime.combine(date(year, 1, 1), time()) for year in (1900, 9900))


# files beside the zones of IANA: the same with leap seconds or without, and what a machine is set to
_NO_ZONE = re.compile(r"(right|posix)/.*|Factory|localtime|posixrules")
_WEEK = re.compile(
    r"\d{4}-?W\d\d(?!-?\d)"
)  # without its day: no moment, although Python reads it as its Monday


def moment_in(text: Any) -> datetime | None:
    """The time that a text is in ISO 8601, with an offset or without; None for everything else."""
    try:
        return _read(text)
    except (TypeError, ValueError):
        return None


def moment_within(text: str) -> datetime:
    """The same, moved to the years 1900 to 9900, where any zone, period and step of years can be applied.

    No schedule fires outside of them. ValueError for what is no time.
    """
    given = _read(text)
    return min(max(given.replace(tzinfo=None), _FIRST), _LAST).replace(tzinfo=given.tzinfo)


def _read(text: str) -> datetime:
    """ValueError, or TypeError for what is no text."""
    if _WEEK.match(text):
        raise ValueError(text)
    return datetime.fromisoformat(text)


def has_offset(text: Any) -> bool:
    """Whether it is such a time with an offset from UTC."""
    moment = moment_in(text)
    return moment is not None and moment.tzinfo is not None


def known_zone(name: Any) -> ZoneInfo | None:
    """The time zone that IANA calls so; None when this machine knows none."""
    try:
        return None if _NO_ZONE.fullmatch(name) else ZoneInfo(name)
    except (OSError, TypeError, ValueError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        return None


def zone_names() -> list[str]:
    """All that can be written as a time zone, in order."""
    return sorted(name for name in available_timezones() if not _NO_ZONE.fullmatch(name))
