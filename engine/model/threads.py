"""How an engine waits and does several things at once: a port, so that a simulator can decide who goes on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol


class Event(Protocol):
    """As ``threading.Event``."""

    def set(self) -> None: ...
    def is_set(self) -> bool: ...
    def wait(self, timeout: float | None = None) -> bool: ...


class Thread(Protocol):
    """One that was started; as ``threading.Thread``."""

    def is_alive(self) -> bool: ...
    def join(self, timeout: float | None = None) -> None: ...


class Pool(Protocol):
    """A few threads for short work."""

    def submit(self, call: Callable[..., Any], /, *args: Any) -> Any:
        """Make the call on one of them."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take nothing more; as ``Executor.shutdown``."""


class Poller(Protocol):
    """What a loop sleeps in."""

    def wait(self, seconds: float) -> list[int]:
        """The watched descriptors that are readable, after ``seconds`` at the latest or a ``wake``."""

    def wake(self) -> None:
        """End the wait, also the next one; from any thread."""

    def add(self, fd: int) -> None:
        """Watch a descriptor."""

    def remove(self, fd: int) -> None:
        """Watch it no longer."""


class Threads(Protocol):
    """Where an engine's code blocks, it does so in something made here."""

    def start(self, body: Callable[[], None], name: str) -> Thread:
        """A thread of its own, which does not keep the program alive."""

    def current(self) -> object:
        """What is the same as long as the same thread asks."""

    def event(self) -> Event:
        """One that is not set."""

    def lock(self) -> AbstractContextManager[Any]:
        """A lock that may be held while its holder waits for something else."""

    def pool(self, size: int, name: str) -> Pool:
        """At most ``size`` threads."""

    def poller(self) -> Poller:
        """For one loop."""

    def sleep(self, seconds: float) -> None:
        """Block for so long."""
