"""Times and durations as people read them: short, and in one time zone everywhere in the window."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication

from app.desktop.kernel.language import code
from app.durations import duration, seconds_between

_ZONE = "time-zone"  # the property of the application that holds the name of the zone


def show_zone(application: QCoreApplication, name: str | None) -> None:
    """Show times in the zone of this IANA name from now on; None: in the machine's."""
    application.setProperty(_ZONE, name or "")


def zone() -> ZoneInfo | None:
    """The zone in which the window shows times; None: the machine's."""
    application = QCoreApplication.instance()
    name = application.property(_ZONE) if application is not None else None
    if not name:
        return None
    return ZoneInfo(str(name))


def shown(moment: float | str) -> datetime:
    """Seconds since 1970, or an ISO 8601 time, in the window's zone; ValueError for what is no time."""
    found = datetime.fromisoformat(moment) if isinstance(moment, str) else datetime.fromtimestamp(moment, UTC)
    return found.astimezone(zone())


def _text(time: str | None, form: str) -> str:
    """What is no time is shown as it is."""
    try:
        return shown(time).strftime(form) if time else ""
    except ValueError:
        return time or ""


def local(time: str | None) -> str:
    """``2026-11-21 13:42:07``; empty without a time."""
    return _text(time, "%Y-%m-%d %H:%M:%S")


def time_text(time: str | None, day: bool = True) -> str:
    """``11-21 14:30:44``; empty without a time."""
    return _text(time, "%m-%d %H:%M:%S" if day else "%H:%M:%S")


def exact_text(time: str | None) -> str:
    """``2026-11-21 13:42:07.120 +0800``; empty without a time."""
    day, _, rest = _text(time, "%Y-%m-%d %H:%M:%S.%f %z").partition(".")
    return f"{day}.{rest[:3]}{rest[6:]}" if rest else day


def when(time: str | None) -> str:
    """``13:42:07`` of today, ``2026-11-20 13:42`` of another day; empty without a time."""
    today = datetime.now(zone()).date()
    return _text(time, "%H:%M:%S" if _text(time, "%Y-%m-%d") == str(today) else "%Y-%m-%d %H:%M")


def soon(time: str | None) -> str:
    """``13:42`` of today, ``11-21 13:42`` of another day, with seconds if there are any; empty: no time."""
    today = _text(time, "%Y-%m-%d") == str(datetime.now(zone()).date())
    seconds = "" if _text(time, "%S") == "00" else ":%S"
    return _text(time, ("" if today else "%m-%d ") + "%H:%M" + seconds)


def length_text(length: float | None) -> str:
    """Seconds as a duration in the language that is on; empty for None."""
    return duration(length, code())


def took_text(begin: str | None, end: str | None) -> str:
    """How long something took; empty while it goes on."""
    return length_text(seconds_between(begin, end))


def seconds(time: str) -> float:
    """An ISO 8601 time as seconds since 1970."""
    return datetime.fromisoformat(time).timestamp()
