"""What the wall clock does against the time since boot: steady, set, or so far off that nothing may fire."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

_DRIFT = timedelta(seconds=1)  # what a time service corrects bit by bit
_KEPT = 20  # jumps: nothing waits through more of them
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


class Jump(NamedTuple):
    """The wall clock was set: what it showed right after, and by how much it was ahead then."""

    wall: datetime
    by: timedelta


@dataclass(frozen=True, slots=True)
class ClockState:
    """The last reading that was right, and, while all schedules are held, the one at which that began.

    ``jumps``: those that were taken for right, the oldest first.
    """

    right: ClockReading
    held: ClockReading | None = None
    jumps: tuple[Jump, ...] = ()

    def passed(self, since: datetime, reading: ClockReading) -> timedelta:
        """How long ago the wall clock showed ``since``, whatever it was set to meanwhile; at least nothing.

        Of a time that it showed twice the later one counts. Only it says how long the machine was off.
        """
        passed, until = reading.wall - since, reading.wall
        for jump in reversed(self.at(reading).jumps):
            if jump.wall <= since <= until:
                break
            passed, until = passed - jump.by, jump.wall - jump.by
        return max(passed, timedelta(0))

    def at(self, reading: ClockReading) -> ClockState:
        """The state if that reading is right."""
        jump = reading.ahead_of(self.right)
        if jump is None or abs(jump) <= _DRIFT:
            return ClockState(reading, jumps=self.jumps)
        return ClockState(reading, jumps=(*self.jumps, Jump(reading.wall, jump))[-_KEPT:])


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
        return replace(state, held=reading), "held", jump
    if state.held is not None:
        return state.at(reading), "released", jump
    if abs(jump) <= _DRIFT:
        return state.at(reading), "steady", jump
    return state.at(reading), "forward" if jump > timedelta(0) else "back", jump


def _after_a_boot(
    state: ClockState, reading: ClockReading, max_jump: timedelta
) -> tuple[ClockState, Movement, timedelta]:
    """Nobody knows for how long the machine was off; a hold goes on unless the time is a likely one."""
    passed = reading.wall - state.right.wall
    if state.held is None:
        return state.at(reading), "back" if passed < timedelta(0) else "steady", timedelta(0)
    if timedelta(0) <= passed <= max_jump:
        return state.at(reading), "released", timedelta(0)
    return state, "steady", passed
