"""Times as text, and the time elapsed since a moment that an earlier engine recorded.

The wall clock may have been set in between. Within one start of the machine the time since boot tells, which
never jumps; after a reboot there is only the wall clock, and what it says is never less than nothing.
"""

from __future__ import annotations

from datetime import datetime

from engine.model.clock import Clock
from engine.runtime.clock import MachineClock

TICKS = 100  # a second, as the kernel counts when processes began


def iso(moment: datetime) -> str:
    """ISO 8601 with offset and always six digits of microseconds."""
    return moment.isoformat(timespec="microseconds")


def ticks(clock: Clock) -> int:
    """Now, since the machine started."""
    return int(clock.monotonic() * TICKS)


def seconds_since(clock: MachineClock, wall: str | datetime, boot: str | None, at: int | None) -> float:
    """Seconds since a moment that was recorded by both clocks."""
    if boot == clock.boot() and at is not None:
        return max(clock.monotonic() - at / TICKS, 0.0)
    moment = datetime.fromisoformat(wall) if isinstance(wall, str) else wall
    return max((clock.now() - moment).total_seconds(), 0.0)
