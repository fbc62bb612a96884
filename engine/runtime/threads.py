"""The threads of the operating system, as the port of :mod:`engine.model.threads`."""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

# Who makes an engine has both from here.
from engine.model.threads import Event as Event
from engine.model.threads import Poller
from engine.model.threads import Pool as Pool
from engine.model.threads import Thread as Thread
from engine.model.threads import Threads as Threads


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
