"""Waits for the programs of jobs, including those that other processes of their job outlive."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engine.execution.child import LOOK_AGAIN, Child, bury
from engine.execution.processes import Processes
from engine.runtime.loop import Loop


class Supervised:
    """Who waits for which child; loop thread only."""

    def __init__(self, loop: Loop, processes: Processes) -> None:
        self._loop = loop
        self._processes = processes
        self._waiting: dict[int, tuple[Child, Callable[[], None]]] = {}

    def start(self) -> None:
        """Begin to read what supervisors report."""
        if (fd := self._processes.reports_fd) is not None:
            self._loop.watch(fd, partial(self._reported, fd))

    def watch(self, child: Child, look: Callable[[], None]) -> None:
        """Call ``look`` once when the child's wrapper has ended: then ``child.reap()`` tells how."""
        self._waiting[child.pid] = child, look
        self._loop.watch(child.pidfd, partial(self._ended, child, look))

    def _ended(self, child: Child, look: Callable[[], None]) -> None:
        if not child.is_settled():
            self._loop.later(LOOK_AGAIN, partial(self._ended, child, look))
            return
        self._waiting.pop(child.pid, None)
        look()

    def _reported(self, fd: int) -> None:
        self._loop.watch(fd, partial(self._reported, fd))
        for pid, status in self._processes.reports():
            child, look = self._waiting.get(pid, (None, None))
            if child is None or look is None or not self._loop.watches(child.pidfd):
                continue  # its end is known, or came in this very turn: ``_ended`` is about to be called
            del self._waiting[pid]
            self._loop.unwatch(child.pidfd)
            supervisor = child.outlived(status)
            self._loop.watch(supervisor, partial(bury, supervisor))
            look()
