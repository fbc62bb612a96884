"""What a loop is to do later, the soonest first."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from itertools import count

from engine.model.clock import Clock


class Timer:
    """Something due later; cancelling is free."""

    __slots__ = ("call", "due")

    def __init__(self, due: float, call: Callable[[], None]) -> None:
        self.due = due
        self.call: Callable[[], None] | None = call

    def cancel(self) -> None:
        """It will not happen, also when it is due in this very turn."""
        self.call = None

    def fire(self) -> None:
        """It happens, unless it was cancelled meanwhile."""
        call, self.call = self.call, None
        if call is not None:
            call()


class Timers:
    """Those of one loop; on its thread only."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[tuple[float, int, Timer]] = []
        self._order = count()
        self.lateness = 0.0  # seconds the last one came late: the loop delay that is recorded

    def add(self, seconds: float, call: Callable[[], None]) -> Timer:
        timer = Timer(self._clock.monotonic() + seconds, call)
        heapq.heappush(self._heap, (timer.due, next(self._order), timer))
        return timer

    def live(self) -> Iterator[Timer]:
        """Those that were not cancelled."""
        return (timer for _, _, timer in self._heap if timer.call is not None)

    def until_next(self, most: float) -> float:
        """Seconds until one is due, at most ``most``."""
        while self._heap and self._heap[0][2].call is None:
            heapq.heappop(self._heap)
        return min(max(self._heap[0][0] - self._clock.monotonic(), 0.0), most) if self._heap else most

    def due(self) -> Iterator[Timer]:
        """Takes out those whose time has come."""
        now = self._clock.monotonic() if self._heap else 0.0
        while self._heap and self._heap[0][0] <= now:
            due, _, timer = heapq.heappop(self._heap)
            if timer.call is not None:
                self.lateness = now - due
                yield timer
