"""What ``skerry clock`` shows: the wall clock against the time since boot, what is held and why."""

from __future__ import annotations

from datetime import tzinfo
from typing import Any

from engine.planning.schedules.clock_jumps import ClockReading
from engine.runtime.elapsed import iso
from engine.runtime.timing.clock_watch import kept_state, said_jump


def clock_document(reading: ClockReading, kept: Any, zone: tzinfo) -> dict[str, Any]:
    """``kept``: what the store remembers of the clock, None before any schedule has fired."""
    state = kept_state(kept)
    jump = reading.ahead_of(state.right) if state is not None else None
    held = state is not None and state.held is not None
    since = state.held.wall if state is not None and state.held is not None else None
    why = f"the clock was set {said_jump(jump)}" if held and jump is not None else None
    return {
        "wall": iso(reading.wall.astimezone(zone)),
        "uptime": round(reading.uptime, 3),
        "ahead": None if jump is None else round(jump.total_seconds(), 3) + 0.0,  # never -0.0
        "held": held,
        "since": since and iso(since.astimezone(zone)),
        "reason": why or ("the clock was set while the machine was off" if held else None),
    }
