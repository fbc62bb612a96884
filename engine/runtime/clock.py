"""The real clock; tests hold one of their own."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """Wall time for people, boot time for durations: it goes on in suspend and never jumps."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds since the machine booted."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)
