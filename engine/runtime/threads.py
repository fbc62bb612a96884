"""How an engine waits and does several things at once: a port, so that a simulator can decide who goes on."""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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


class SystemThreads:
    """Those of the operating system."""

    def start(self, body: Callable[[], None], name: str) -> Thread:
        thread = threading.Thread(target=body, name=name, daemon=True)
        thread.start()
        return thread

    def current(self) -> object:
        return threading.get_ident()

    def event(self) -> Event:
        return threading.Event()

    def lock(self) -> AbstractContextManager[Any]:
        return threading.Lock()

    def pool(self, size: int, name: str) -> Pool:
        return ThreadPoolExecutor(size, thread_name_prefix=name)

    def poller(self) -> Poller:
        return Epoll()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class Epoll:
    """The kernel's poller, which an eventfd wakes."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._epoll.register(self._wake, select.EPOLLIN)

    def wait(self, seconds: float) -> list[int]:
        ready = [fd for fd, _ in self._epoll.poll(seconds)]
        if self._wake in ready:
            os.eventfd_read(self._wake)
            ready.remove(self._wake)
        return ready

    def wake(self) -> None:
        os.eventfd_write(self._wake, 1)

    def add(self, fd: int) -> None:
        self._epoll.register(fd, select.EPOLLIN)

    def remove(self, fd: int) -> None:
        self._epoll.unregister(fd)
