"""How a pause is told: in the rows of instances and jobs, in logs, and to whoever reads these again."""

from __future__ import annotations

from datetime import datetime

_WITH = "paused with instance "


def own(actor: str, moment: datetime, reason: str) -> str:
    """Of an instance that somebody paused: who, when, and why if that was said.

    >>> own("anna", datetime.fromisoformat("2026-11-22T01:13:07+08:00"), "it is late")
    'paused by anna at 2026-11-22 01:13:07+08:00: it is late'
    """
    return f"paused by {actor} at {moment.isoformat(' ', 'seconds')}" + (f": {reason}" if reason else "")


def with_instance(id: int, why: str) -> str:
    """Of a sub-task that is held because instance ``id`` is ``why``."""
    return f"{_WITH}{id}, {why}"


def is_own(reason: str) -> bool:
    """Whether a paused instance was paused by itself, not with another one."""
    return not reason.startswith(_WITH)


def holder(reason: str | None) -> int | None:
    """The instance whose pause holds this one; None when it is not held by another one's.

    >>> holder("paused with instance 5, paused by anna"), holder("paused by anna")
    (5, None)
    """
    if reason is None or is_own(reason):
        return None
    number = reason.removeprefix(_WITH).partition(",")[0]
    return int(number) if number.isdecimal() else None
