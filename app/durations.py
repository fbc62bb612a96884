"""Durations as people read them, in the window and on the command line alike."""

from __future__ import annotations

from datetime import datetime

from app.texts import catalogue


def seconds_between(begin: str | None, end: str | None) -> float | None:
    """From one ISO 8601 time to another, never less than nothing; None where one of them is not known."""
    if not begin or not end:
        return None
    return max(0.0, (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds())


def duration(seconds: float | None, language: str) -> str:
    """Seconds in words of a language (``en``, ``zh``, ``zh_CN``); empty for None.

    >>> [duration(each, "en") for each in (0.0314, 2.5, 42.0, 75, 7384, 200_000)]
    ['31 ms', '2.5 s', '42 s', '1 min 15 s', '2 h 03 min', '2 d 7 h']
    """
    if seconds is None:
        return ""
    text, facts = _worded(max(0.0, seconds))
    return catalogue(language, "durations").get(text, text).format(**facts)


def _worded(seconds: float) -> tuple[str, dict[str, object]]:
    whole = round(seconds)
    if seconds < 1:
        return "{n} ms", {"n": round(seconds * 1000)}
    if seconds < 9.95:
        return "{n} s", {"n": f"{seconds:.1f}"}
    if whole < 60:
        return "{n} s", {"n": whole}
    if whole < 3600:
        return "{m} min {s} s", {"m": whole // 60, "s": f"{whole % 60:02}"}
    if whole < 86_400:
        return "{h} h {m} min", {"h": whole // 3600, "m": f"{whole % 3600 // 60:02}"}
    return "{d} d {h} h", {"d": whole // 86_400, "h": whole % 86_400 // 3600}
