"""The clock of the simulated machine: a wall clock that can be set, and seconds since its latest start."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.simulation.machine.virtual_time import Hub
from tests.simulation.workload.timetable import BEGIN


class SimulatedClock:
    """See :class:`engine.runtime.clock.MachineClock`."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.wrong = timedelta()  # how far the wall clock is from the time that has passed
        self._booted = -1000.0
        self._boots = 1

    def now(self) -> datetime:
        return BEGIN + timedelta(seconds=self._hub.now) + self.wrong

    def monotonic(self) -> float:
        return self._hub.now - self._booted

    def boot(self) -> str:
        return f"00000000-0000-4000-8000-{self._boots:012d}"

    def restart(self) -> None:
        """The machine starts again."""
        self._booted = self._hub.now
        self._boots += 1
