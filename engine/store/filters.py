"""Which instances and exceptions a list shows, and where one of its pages ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from engine.store.rows import InstanceRow


class InstanceCursor(NamedTuple):
    """Where a page of instances ended: the place of its last row."""

    scheduled_time: str
    id: int

    @classmethod
    def after(cls, row: InstanceRow) -> InstanceCursor:
        """The place behind that row."""
        return cls(row.scheduled_time, row.id)


@dataclass(frozen=True, slots=True)
class InstanceFilter:
    """Which instances; everything given must hold. Without ``statuses`` the planned ones are left out.

    ``code`` may end in zero groups that stand for everything below; ``text`` is part of the task's id or
    name, of the error's code or message or the reason, or ``#12`` an instance; ``node`` is one that
    failed in it.
    """

    task: str | None = None
    statuses: tuple[str, ...] = ()
    since: str | None = None  # scheduled_time, included
    until: str | None = None  # scheduled_time, not included
    project: str | None = None
    trigger: str | None = None
    code: int | None = None
    node: str | None = None
    text: str = ""
    offline_until: str | None = None  # of those that are offline no later ones: they are still to come
    offline_after: str | None = None  # of those that are offline later ones only


@dataclass(frozen=True, slots=True)
class ExceptionFilter:
    """Which exceptions; ``code`` may end in zero groups that stand for everything below."""

    instance: int | None = None
    task: str | None = None
    code: int | None = None
    status: str | None = None
    since: str | None = None  # created_at, included
    job_instance: int | None = None


EVERY_INSTANCE = InstanceFilter()
EVERY_EXCEPTION = ExceptionFilter()
