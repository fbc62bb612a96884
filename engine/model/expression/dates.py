"""``{path}:DATE:-1d:%Y%m%d``: a time, shifted and formatted in a time zone."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from engine.model.codes.expressions import BAD_TIME
from engine.model.errors import Invalid, SkerryError
from engine.model.expression.values import described
from engine.model.plain_words import quoted

_SHIFT = re.compile(r"(?P<sign>[+-]?)(?P<parts>(?:\d{1,6}(?:mo|[smhdwy]))+)|0?")
_PART = re.compile(r"(\d+)(mo|[smhdwy])")
_DIRECTIVE = re.compile(r"%(.?)(.?)", re.DOTALL)
_LETTERS: Final = frozenset("aAbBcCdDeFfgGHhIjklmMnpPRrSstTuUVwWxXyYzZ%")
_EXACT: Final = {"s": 1, "m": 60, "h": 3600}
_DAYS: Final = {"d": 1, "w": 7}
_MONTHS: Final = {"mo": 1, "y": 12}


@dataclass(frozen=True, slots=True)
class Shift:
    """Months and days move the calendar date, seconds the moment."""

    months: int = 0
    days: int = 0
    seconds: int = 0


@lru_cache(maxsize=256)
def parse_shift(text: str) -> Shift:
    """A shift from ``-1d``, ``+2h30m``, ``1mo``, ``0d``; Invalid otherwise.

    Units: s, m (minutes), h, d, w, mo (months), y; the sign holds for all parts.
    """
    match = _SHIFT.fullmatch(text)
    if match is None:
        message = "{value} is not a shift such as -1d, +2h30m or 1mo"
        raise Invalid(BAD_TIME, message, where=text, value=described(text))
    sign = -1 if match["sign"] == "-" else 1
    parts = [(sign * int(number), unit) for number, unit in _PART.findall(match["parts"] or "")]
    return Shift(_sum(parts, _MONTHS), _sum(parts, _DAYS), _sum(parts, _EXACT))


def _sum(parts: list[tuple[int, str]], units: dict[str, int]) -> int:
    return sum(number * units.get(unit, 0) for number, unit in parts)


def check_format(text: str) -> str:
    """A strftime format whose directives are all known and have no widths; Invalid otherwise."""
    for match in _DIRECTIVE.finditer(text):
        flagged = match[1] in ("-", "_", "^") and match[2] in _LETTERS - {"%"}
        if match[1] not in _LETTERS and not flagged:
            message = "{part} is not a part of a time format"
            raise Invalid(BAD_TIME, message, where=text, part=quoted(match[0]))
    return text


def format_shifted(value: Any, shift: Shift, form: str, zone: str) -> str:
    """``value`` (ISO 8601; without an offset it is in ``zone``) shifted and formatted in ``zone``."""
    from zoneinfo import ZoneInfo

    local_zone = ZoneInfo(zone)
    try:
        moment = _moment(value)
        local = moment.replace(tzinfo=local_zone) if moment.tzinfo is None else moment.astimezone(local_zone)
        shifted = _shifted(local, shift)
        return shifted.strftime(form.replace("%s", str(int(shifted.timestamp()))))
    except (OverflowError, ValueError):
        message = "{value} cannot be shifted: it is no time in ISO 8601, or leaves the years 1 to 9999"
        raise SkerryError(BAD_TIME, message, value=described(value)) from None


def _moment(value: Any) -> datetime:
    if not isinstance(value, str):
        raise SkerryError(BAD_TIME, "{value} is not a time", value=described(value))
    try:
        return datetime.fromisoformat(value.strip())
    except ValueError:
        message = "{value} is not a time such as 2026-11-21T08:00:00Z"
        raise SkerryError(BAD_TIME, message, value=described(value)) from None


def _shifted(local: datetime, shift: Shift) -> datetime:
    moved = _add_months(local, shift.months) + timedelta(days=shift.days)
    # Through UTC and back: a time that the clocks skip becomes the one after the gap.
    exact = moved.astimezone(UTC) + timedelta(seconds=shift.seconds)
    return exact.astimezone(local.tzinfo)


def _add_months(moment: datetime, months: int) -> datetime:
    """The same day of another month, or its last day where it has no such day."""
    if not months:
        return moment
    year, before = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    month = before + 1
    return moment.replace(year=year, month=month, day=min(moment.day, monthrange(year, month)[1]))
