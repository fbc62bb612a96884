"""What the wall clock does against the time since boot: steady, set, or so far off that nothing may fire."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

_DRIFT = timedelta(seconds=1)  # what a time service corrects bit by bit
Movement = Literal["steady", "forward", "back", "held", "released"]


@dataclass(frozen=True, slots=True)
class ClockReading:
    """Both clocks at one moment; ``uptime``: seconds since the machine with that ``boot`` started."""

    wall: datetime
    uptime: float
    boot: str

    def ahead_of(self, other: ClockReading) -> timedelta | None:
        """How far the wall clock was set forward since; None: the machine was started in between."""
        if self.boot != other.boot:
            return None
        return self.wall - other.wall - timedelta(seconds=self.uptime - other.uptime)


@dataclass(frozen=True, slots=True)
class ClockState:
    """The last reading that was right, and, while all schedules are held, the one at which that began."""

    right: ClockReading
    held: ClockReading | None = None


def observed(
    state: ClockState, reading: ClockReading, max_jump: timedelta
) -> tuple[ClockState, Movement, timedelta]:
    """The state after a further reading, what happened, and how far the clock was set since the right one."""
    jump = reading.ahead_of(state.right)
    if jump is None:
        return _after_a_boot(state, reading, max_jump)
    if abs(jump) > max_jump:
        if state.held is not None:
            return state, "steady", jump
        return ClockState(state.right, reading), "held", jump
    if state.held is not None:
        return ClockState(reading), "released", jump
    if abs(jump) <= _DRIFT:
        return ClockState(reading), "steady", jump
    return ClockState(reading), "forward" if jump > timedelta(0) else "back", jump


def _after_a_boot(
    state: ClockState, reading: ClockReading, max_jump: timedelta
) -> tuple[ClockState, Movement, timedelta]:
    """Nobody knows for how long the machine was off; a hold goes on unless the time is a likely one."""
    passed = reading.wall - state.right.wall
    if state.held is None:
        return ClockState(reading), "back" if passed < timedelta(0) else "steady", timedelta(0)
    if timedelta(0) <= passed <= max_jump:
        return ClockState(reading), "released", timedelta(0)
    return state, "steady", passed
