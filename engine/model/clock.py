"""The port of time: whoever needs it is given a clock, so that tests can hold it still."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Two readings: one for people, one for durations."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""

    def monotonic(self) -> float:
        """Seconds that never jump; only differences mean something."""
