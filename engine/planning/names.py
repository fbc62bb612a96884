"""Hints for names that do not exist."""

from __future__ import annotations

from collections.abc import Iterable

from engine.model.names import near

__all__ = ["did_you_mean", "near"]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What to append to a message: the nearest known name, else all of them when they are few."""
    names = sorted(known)
    meant = near(name, names)
    if meant:
        return f"; did you mean '{meant}'?"
    return f"; there are: {', '.join(names)}" if 0 < len(names) <= 12 else ""
