"""Calls from threads of a link to the thread of the engine's loop."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from engine.execution.host import Turns
from engine.model.threads import Threads


class Mailbox:
    """Any thread posts; the loop's thread is woken by a descriptor and makes the calls in their order."""

    def __init__(self, turns: Turns, threads: Threads) -> None:
        self._turns = turns
        self._lock = threads.lock()  # a descriptor that is closed is soon another one
        self._calls: deque[Callable[[], None]] = deque()
        self._fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._open = False

    def begin(self) -> None:
        self._open = True
        self._turns.watch(self._fd, self._deliver)

    def post(self, call: Callable[[], None]) -> None:
        with self._lock:
            if self._fd >= 0:
                self._calls.append(call)
                os.eventfd_write(self._fd, 1)

    def _wake(self) -> None:
        with self._lock:
            if self._fd >= 0:
                os.eventfd_write(self._fd, 1)

    def close(self) -> None:
        """What is posted now is not called any more."""
        if self._open and self._turns.watches(self._fd):
            self._turns.unwatch(self._fd)
        self._open = False
        with self._lock:
            os.close(self._fd)
            self._fd = -1

    def _deliver(self) -> None:
        if not self._open:
            return
        self._turns.watch(self._fd, self._deliver)
        with suppress(BlockingIOError):
            os.eventfd_read(self._fd)
        try:
            while self._calls:
                self._calls.popleft()()
        finally:  # one that raises keeps none of the others from being made
            if self._calls:
                self._wake()
