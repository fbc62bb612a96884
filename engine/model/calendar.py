"""Days off and working days that schedules share (contract 2.6); the values only."""

from __future__ import annotations

from engine.model.base import Frozen
from engine.model.schedule import Weekday


class Calendar(Frozen):
    """``off`` and ``work`` hold dates, or ranges such as ``2026-10-01..2026-10-07`` (both included)."""

    name: str | None = None
    weekend: tuple[Weekday, ...] = ("sat", "sun")
    off: tuple[str, ...] = ()
    work: tuple[str, ...] = ()
