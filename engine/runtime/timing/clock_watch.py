"""Watches the wall clock against the time since boot; a jump that is too far holds all schedules."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from engine.model.codes.timing import CLOCK_JUMPED, CLOCK_RIGHT
from engine.model.errors import Refused
from engine.model.message import Message
from engine.planning.schedules.clock_jumps import ClockReading, ClockState, Jump, Movement, observed
from engine.runtime.elapsed import iso
from engine.runtime.services import EngineServices
from engine.runtime.timing.alerts import alert

SETTING = "clock"


class ClockWatch:
    """Loop thread only."""

    def __init__(self, services: EngineServices) -> None:
        self._services = services
        self._state: ClockState | None = None

    @property
    def is_held(self) -> bool:
        return self._state is not None and self._state.held is not None

    def look(self) -> Movement:
        """What the clock has done since the last look; what matters is written down."""
        reading = reading_of(self._services)
        if self._state is None:
            self._state = kept_state(self._services.store.setting(SETTING)) or ClockState(reading)
            self._keep()
        before = self._state
        self._state, movement, jump = observed(before, reading, self._max_jump)
        if movement != "steady":
            self._keep()
            self._report(movement, jump)
        return movement

    def passed(self, since: datetime) -> float:
        """Seconds since the wall clock showed that time, whatever it was set to meanwhile."""
        state = self._state or kept_state(self._services.store.setting(SETTING))
        reading = reading_of(self._services)
        return (state or ClockState(reading)).passed(since, reading).total_seconds()

    def accept(self, actor: str) -> None:
        """What the clock shows now is right; Refused when nothing is held."""
        if self._state is None or self._state.held is None:
            raise Refused(CLOCK_RIGHT, "no schedule is held: there is nothing to accept")
        self._state = self._state.at(reading_of(self._services))
        self._keep()
        self._services.changes.act(actor, "accept", "clock", wall=iso(self._state.right.wall))
        self._services.say(f"the clock was accepted by {actor}: schedules go on")

    def _keep(self) -> None:
        if (state := self._state) is not None:
            held = _tree(state.held) if state.held else None
            jumps = [{"wall": iso(jump.wall), "by": jump.by.total_seconds()} for jump in state.jumps]
            tree = {"right": _tree(state.right), "held": held, "jumps": jumps}
            self._services.changes.setting(SETTING, tree)

    def _report(self, movement: Movement, jump: timedelta) -> None:
        if movement == "held":
            held = "{message}: all schedules are held until it is right or accepted"
            message = Message.of(held, message=clock_set(jump))
            return alert(self._services, CLOCK_JUMPED, "clock", "error", message)
        text = clock_set(jump) if movement != "released" else "the clock is right again"
        return self._services.say(text, logging.WARNING)

    @property
    def _max_jump(self) -> timedelta:
        return timedelta(seconds=self._services.workspace.settings.max_jump)


def reading_of(services: EngineServices) -> ClockReading:
    """Both clocks now."""
    clock = services.clock
    return ClockReading(clock.now(), clock.monotonic(), clock.boot())


def clock_set(jump: timedelta) -> Message:
    """How far the clock was set, and which way."""
    seconds = jump.total_seconds()
    if seconds > 0:
        return Message.of("the clock was set {seconds:.0f} s ahead", seconds=seconds)
    return Message.of("the clock was set {seconds:.0f} s back", seconds=-seconds)


def kept_state(tree: Any) -> ClockState | None:
    """As an earlier engine wrote it down; None before the first one has."""
    if not tree:
        return None
    held = _reading(tree["held"]) if tree.get("held") else None
    jumps = (
        Jump(datetime.fromisoformat(each["wall"]), timedelta(seconds=each["by"]))
        for each in tree.get("jumps", ())
    )
    return ClockState(_reading(tree["right"]), held, tuple(jumps))


def _reading(tree: Any) -> ClockReading:
    return ClockReading(datetime.fromisoformat(tree["wall"]), float(tree["uptime"]), str(tree["boot"]))


def _tree(reading: ClockReading) -> dict[str, Any]:
    return {"wall": iso(reading.wall), "uptime": reading.uptime, "boot": reading.boot}
