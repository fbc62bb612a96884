"""A clock that a test moves by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class HandClock:
    """Starts at a fixed moment; ``tick`` moves it."""

    def __init__(self) -> None:
        self._now = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)

    def now(self) -> datetime:
        """The present moment."""
        return self._now

    def monotonic(self) -> float:
        """Seconds since the epoch of the same moment."""
        return self._now.timestamp()

    def tick(self, seconds: float = 1.0) -> None:
        """Move on."""
        self._now += timedelta(seconds=seconds)
