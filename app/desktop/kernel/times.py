"""Times and durations as people read them: local time, short, the same everywhere in the window."""

from __future__ import annotations

from datetime import datetime

from app.desktop.kernel.language import tr


def local(text: str | None) -> str:
    """``2026-11-21 13:42:07`` in this machine's time zone; empty without a time."""
    return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M:%S") if text else ""


def seconds_between(start: str | None, end: str | None, now: datetime | None = None) -> float | None:
    """From start to end, or to ``now`` while there is no end; None where nothing is known."""
    if start is None or (end is None and now is None):
        return None
    last = datetime.fromisoformat(end) if end else now
    return max(0.0, (last - datetime.fromisoformat(start)).total_seconds()) if last else None


def span(seconds: float | None) -> str:
    """``0.3 s``, ``42 s``, ``3 min 20 s``, ``2 h 5 min``, ``3 d 4 h``; empty for None."""
    if seconds is None:
        return ""
    if seconds < 10:
        return tr("{n} s", n=f"{seconds:.1f}")
    whole = round(seconds)
    if whole < 60:
        return tr("{n} s", n=whole)
    if whole < 3600:
        return tr("{m} min {s} s", m=whole // 60, s=whole % 60)
    if whole < 86_400:
        return tr("{h} h {m} min", h=whole // 3600, m=whole % 3600 // 60)
    return tr("{d} d {h} h", d=whole // 86_400, h=whole % 86_400 // 3600)
