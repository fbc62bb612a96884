"""What ``skerry clock`` shows: the wall clock against the time since boot, what is held and why."""

from __future__ import annotations

from datetime import tzinfo
from typing import Any

from engine.model.message import Message, facts_of
from engine.planning.schedules.clock_jumps import ClockReading
from engine.runtime.elapsed import iso
from engine.runtime.timing.clock_watch import clock_set, kept_state


def clock_document(reading: ClockReading, kept: Any, zone: tzinfo) -> dict[str, Any]:
    """``kept``: what the store remembers of the clock, None before any schedule has fired."""
    state = kept_state(kept)
    jump = reading.ahead_of(state.right) if state is not None else None
    held = state is not None and state.held is not None
    since = state.held.wall if state is not None and state.held is not None else None
    off = Message.of("the clock was set while the machine was off")
    why = (off if jump is None else clock_set(jump)) if held else None
    return {
        "wall": iso(reading.wall.astimezone(zone)),
        "uptime": round(reading.uptime, 3),
        "ahead": None if jump is None else round(jump.total_seconds(), 3) + 0.0,  # never -0.0
        "held": held,
        "since": since and iso(since.astimezone(zone)),
        "reason": why,
        "reason_facts": facts_of(why),
    }
