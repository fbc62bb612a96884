"""How far another clock is off: one rule for database servers, workers and whoever else tells a time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple


class ClockAnswer(NamedTuple):
    """What another clock showed at some moment between the question and its answer; all three aware."""

    asked: datetime
    shown: datetime
    answered: datetime

    @property
    def skew(self) -> timedelta:
        """By how much it is ahead at least, negative: behind; however long the answer took."""
        if self.shown > self.answered:
            return self.shown - self.answered
        return min(self.shown - self.asked, timedelta(0))

    def is_beyond(self, max_skew: timedelta) -> bool:
        """Whether it is certain that the two differ by more."""
        return abs(self.skew) > max_skew
