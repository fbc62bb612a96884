"""Hints for names that do not exist."""

from __future__ import annotations

from collections.abc import Iterable


def near(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant."""
    from difflib import get_close_matches

    found = get_close_matches(name, list(known)[:2000], n=1)
    return found[0] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What to append to a message: the nearest known name, else all of them when they are few."""
    names = sorted(known)
    meant = near(name, names)
    if meant:
        return f"; did you mean '{meant}'?"
    return f"; there are: {', '.join(names)}" if 0 < len(names) <= 12 else ""
