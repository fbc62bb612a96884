"""Times, durations and data as people read them."""

from __future__ import annotations

from datetime import datetime

from app.desktop.kernel.language import tr
from app.desktop.log.ansi import STEERING


def seconds(time: str) -> float:
    """An ISO 8601 time as seconds since the epoch."""
    return datetime.fromisoformat(time).timestamp()


def time_text(time: str | None, day: bool = True) -> str:
    """``11-21 14:30:44``, in the offset that the time was given in; empty for none."""
    if not time:
        return ""
    try:
        return datetime.fromisoformat(time).strftime("%m-%d %H:%M:%S" if day else "%H:%M:%S")
    except ValueError:
        return time


def exact_text(time: str | None) -> str:
    """The same with the year, milliseconds and offset."""
    if not time:
        return ""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return time
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03} {moment:%z}".rstrip()


def length_text(took: float | None) -> str:
    """Seconds as people say them.

    >>> length_text(0.0314), length_text(2.5), length_text(75), length_text(7384)
    ('31 ms', '2.5 s', '1 min 15 s', '2 h 03 min')
    """
    if took is None:
        return ""
    if took < 1:
        return tr("{n} ms", n=f"{took * 1000:.0f}")
    if took < 60:
        return tr("{n} s", n=f"{took:.1f}")
    whole = round(took)
    if whole < 3600:
        return tr("{m} min {s} s", m=whole // 60, s=f"{whole % 60:02}")
    return tr("{h} h {m} min", h=whole // 3600, m=f"{whole % 3600 // 60:02}")


def took_text(begin: str | None, end: str | None, now: float | None = None) -> str:
    """How long something took, or takes until ``now`` (seconds since the epoch)."""
    if begin is None or (end is None and now is None):
        return ""
    until = seconds(end) if end is not None else now
    assert until is not None
    return length_text(max(0.0, until - seconds(begin)))


def visible(text: str) -> str:
    """A text in which nothing steers: controls and direction marks are shown by their number.

    >>> visible("a\\u202eb\\x1b[31m")
    'a‹U+202E›b‹U+001B›[31m'
    """
    return STEERING.sub(lambda found: f"‹U+{ord(found.group()):04X}›", text)
