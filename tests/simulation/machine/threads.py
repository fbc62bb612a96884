"""The threads of an engine in virtual time: see :class:`engine.runtime.threads.Threads`."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from random import Random
from types import TracebackType
from typing import Any

from tests.simulation.machine.virtual_time import Hub, Task

_SOON = 0.01  # seconds within which a thread of a pool begins


class SimulatedEvent:
    """As ``threading.Event``."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._set = False
        self._waiting: list[Callable[[], None]] = []

    def set(self) -> None:
        self._set = True
        waiting, self._waiting = self._waiting, []
        for resume in waiting:
            resume()

    def is_set(self) -> bool:
        return self._set

    def wait(self, timeout: float | None = None) -> bool:
        if not self._set and (timeout is None or timeout > 0):
            self._hub.wait(self._waiting.append, timeout)
        return self._set


class SimulatedLock:
    """As ``threading.Lock`` in a ``with`` statement."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._held = False
        self._waiting: list[Callable[[], None]] = []

    def __enter__(self) -> None:
        while self._held:
            self._hub.wait(self._waiting.append)
        self._held = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held = False
        waiting, self._waiting = self._waiting, []
        for resume in waiting:
            resume()


class Readiness:
    """What a descriptor of a simulated process is: readable or not yet."""

    def __init__(self) -> None:
        self.readable = False
        self.pollers: list[SimulatedPoller] = []

    def become_readable(self) -> None:
        """From now on."""
        self.readable = True
        for poller in self.pollers:
            poller.wake()


class Descriptors:
    """The descriptors of simulated processes; their numbers are far above those of the system."""

    def __init__(self) -> None:
        self._next = 1_000_000
        self._known: dict[int, Readiness] = {}

    def new(self) -> int:
        """One that is not readable."""
        self._next += 1
        self._known[self._next] = Readiness()
        return self._next

    def __getitem__(self, fd: int) -> Readiness:
        return self._known[fd]


class SimulatedPoller:
    """As an epoll with an eventfd."""

    def __init__(self, hub: Hub, descriptors: Descriptors) -> None:
        self._hub = hub
        self._descriptors = descriptors
        self._watched: list[int] = []
        self._woken = False
        self._resume: Callable[[], None] | None = None
        self.at_rest: Callable[[], None] = _nothing  # called before it blocks

    def wait(self, seconds: float) -> list[int]:
        if not self._woken and not self._ready() and seconds > 0:
            self.at_rest()
            self._hub.wait(self._register, seconds)
            self._resume = None
        self._woken = False
        return self._ready()

    def wake(self) -> None:
        self._woken = True
        if self._resume is not None:
            self._resume()

    def add(self, fd: int) -> None:
        self._watched.append(fd)
        self._descriptors[fd].pollers.append(self)

    def remove(self, fd: int) -> None:
        self._watched.remove(fd)
        self._descriptors[fd].pollers.remove(self)

    def _register(self, resume: Callable[[], None]) -> None:
        self._resume = resume

    def _ready(self) -> list[int]:
        return [fd for fd in self._watched if self._descriptors[fd].readable]


def _nothing() -> None:
    """Nobody looks."""


class SimulatedPool:
    """Threads that begin in any order."""

    def __init__(self, start: Callable[[Callable[[], None], float], Task], random: Random) -> None:
        self._start = start
        self._random = random
        self._closed = False

    def submit(self, call: Callable[..., Any], /, *args: Any) -> None:
        if self._closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        self._start(lambda: call(*args), self._random.random() * _SOON)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._closed = True


class SimulatedThreads:
    """Those of one engine, which is their owner."""

    def __init__(self, hub: Hub, owner: Hashable, descriptors: Descriptors, random: Random) -> None:
        self._hub = hub
        self._owner = owner
        self._descriptors = descriptors
        self._random = random

    def start(self, body: Callable[[], None], name: str) -> Task:
        return self._hub.start(self._owner, name, body)

    def current(self) -> object:
        return self._hub.current

    def event(self) -> SimulatedEvent:
        return SimulatedEvent(self._hub)

    def lock(self) -> SimulatedLock:
        return SimulatedLock(self._hub)

    def pool(self, size: int, name: str) -> SimulatedPool:
        def start(body: Callable[[], None], delay: float) -> Task:
            return self._hub.start(self._owner, name, body, delay)

        return SimulatedPool(start, self._random)

    def poller(self) -> SimulatedPoller:
        return SimulatedPoller(self._hub, self._descriptors)

    def sleep(self, seconds: float) -> None:
        self._hub.sleep(seconds)
