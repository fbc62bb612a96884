"""How far another clock is off: one rule for database servers, workers and whoever else tells a time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Self


class ClockAnswer(NamedTuple):
    """What another clock showed at some moment between the question and its answer; all three aware.

    ``tick``: how long it shows the same time.
    """

    asked: datetime
    shown: datetime
    answered: datetime
    tick: timedelta = timedelta(0)

    @classmethod
    def in_seconds(cls, asked: datetime, epoch: str, answered: datetime) -> Self:
        """Of a clock that shows whole seconds since 1970. Raises ValueError, also for a year beyond 9999."""
        try:
            shown = datetime.fromtimestamp(int(epoch), UTC)
        except (OverflowError, OSError) as error:
            raise ValueError(f"{epoch} is no time") from error
        return cls(asked, shown, answered, timedelta(seconds=1))

    @property
    def skew(self) -> timedelta:
        """By how much it is ahead at least, negative: behind; however long the answer took."""
        if self.shown > self.answered:
            return self.shown - self.answered
        return min(self.shown + self.tick - self.asked, timedelta(0))

    def is_beyond(self, max_skew: timedelta) -> bool:
        """Whether it is certain that the two differ by more."""
        return abs(self.skew) > max_skew
