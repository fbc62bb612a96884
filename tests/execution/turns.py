"""The turns of a host without an engine: descriptors and timers, waited for by the test itself."""

from __future__ import annotations

import select
from collections.abc import Callable

from engine.execution.host import Host, LivingStage
from engine.execution.outcomes import Exit, Lost
from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from tests.execution.conftest import PATIENCE

_SHORT_NAP = 0.01  # seconds
_NAP = 0.5  # seconds; only bounds one wait


class PolledTurns:
    """See :class:`engine.execution.host.Turns`."""

    def __init__(self) -> None:
        self._clock = SystemClock()
        self._watched: dict[int, Callable[[], None]] = {}
        self._timers: list[tuple[float, Callable[[], None]]] = []

    def watch(self, fd: int, call: Callable[[], None]) -> None:
        self._watched[fd] = call

    def watches(self, fd: int) -> bool:
        return fd in self._watched

    def unwatch(self, fd: int) -> None:
        del self._watched[fd]

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        self._timers.append((self._clock.monotonic() + seconds, call))

    def end_of(self, host: Host, stage: LivingStage) -> Exit | Lost:
        """How a stage ends; fails a test whose stage does not."""
        ends: list[Exit | Lost | SkerryError] = []
        host.wake(stage, ends.append)
        until = self._clock.monotonic() + PATIENCE
        while not ends:
            assert self._clock.monotonic() < until, "it did not end"
            self.turn()
        assert len(ends) == 1
        [end] = ends
        if isinstance(end, SkerryError):
            raise end
        return end

    def until(self, holds: Callable[[], bool]) -> None:
        """Turn until that is so."""
        until = self._clock.monotonic() + PATIENCE
        while not holds():
            assert self._clock.monotonic() < until, "it did not come to pass"
            self.nap(_SHORT_NAP)

    def nap(self, seconds: float) -> None:
        """Turn for so long at most."""
        self.later(seconds, lambda: None)
        self.turn()

    def turn(self) -> None:
        """Wait until something is due, and do it."""
        now = self._clock.monotonic()
        nap = min([_NAP, *(max(at - now, 0.0) for at, _ in self._timers)])
        poll = select.poll()
        for fd in self._watched:
            poll.register(fd, select.POLLIN)
        calls = [self._watched.pop(fd) for fd, _ in poll.poll(nap * 1000)]
        now = self._clock.monotonic()
        due = [call for at, call in self._timers if at <= now]
        self._timers = [(at, call) for at, call in self._timers if at > now]
        for call in (*calls, *due):
            call()
