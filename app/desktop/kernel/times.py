"""Times and durations as people read them: local time, short, the same everywhere in the window."""

from __future__ import annotations

from datetime import datetime

from app.desktop.kernel.language import tr


def local(text: str | None) -> str:
    """``2026-11-21 13:42:07`` in this machine's time zone; empty without a time."""
    return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M:%S") if text else ""


def seconds_between(start: str | None, end: str | None) -> float | None:
    """From start to end; None where one of them is not known."""
    return None if start is None or end is None else max(0.0, seconds(end) - seconds(start))


def length_text(length: float | None) -> str:
    """A duration; empty for None.

    >>> [length_text(each) for each in (0.0314, 2.5, 75, 7384, 200_000)]
    ['31 ms', '2.5 s', '1 min 15 s', '2 h 03 min', '2 d 7 h']
    """
    if length is None:
        return ""
    if length < 1:
        return tr("{n} ms", n=f"{length * 1000:.0f}")
    if length < 60:
        return tr("{n} s", n=f"{length:.1f}")
    whole = round(length)
    if whole < 3600:
        return tr("{m} min {s} s", m=whole // 60, s=f"{whole % 60:02}")
    if whole < 86_400:
        return tr("{h} h {m} min", h=whole // 3600, m=f"{whole % 3600 // 60:02}")
    return tr("{d} d {h} h", d=whole // 86_400, h=whole % 86_400 // 3600)


def took_text(begin: str | None, end: str | None) -> str:
    """How long something took; empty while it goes on."""
    return length_text(seconds_between(begin, end))


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


def seconds(time: str) -> float:
    """An ISO 8601 time as seconds since the epoch."""
    return datetime.fromisoformat(time).timestamp()


def when(time: str | None) -> str:
    """A time as people read it: the day only when it is another one."""
    if not time:
        return ""
    moment = datetime.fromisoformat(time)
    today = datetime.now(moment.tzinfo).date()
    return f"{moment:%H:%M:%S}" if moment.date() == today else f"{moment:%Y-%m-%d %H:%M}"
