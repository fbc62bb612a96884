"""The clocks of the machine that an engine runs on; tests hold their own."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol

from engine.execution.stage_file import boot_id
from engine.model.clock import Clock


class MachineClock(Clock, Protocol):
    """One whose seconds count from the start of a machine, and that knows which start."""

    def boot(self) -> str:
        """The id of this start of the machine."""


class SystemClock:
    """Wall time for people, boot time for durations: it goes on in suspend and never jumps."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds since the machine booted."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    def boot(self) -> str:
        """As the kernel names it."""
        return boot_id()
