"""Waits for the programs run by supervisors, including those that other processes of their job outlive."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engine.execution.child import Child, bury
from engine.execution.supervisor import Supervisor, Unsupervised
from engine.runtime.loop import Loop


class Supervised:
    """The engine's supervisor program, and who waits for a child of it; loop thread only."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._waiting: dict[int, tuple[Child, Callable[[], None]]] = {}
        self.why_not = ""  # why there is no supervisor
        self.program: Supervisor | None = None
        try:
            self.program = Supervisor()
        except Unsupervised as reason:
            self.why_not = str(reason)

    def start(self) -> None:
        """Begin to hear what supervisors tell."""
        if self.program is not None:
            self._loop.watch(self.program.news_fd, self._news)

    def close(self) -> None:
        """The engine ends; what it started goes on."""
        if self.program is not None:
            self.program.close()

    def watch(self, child: Child, look: Callable[[], None]) -> None:
        """Call ``look`` once when the child's wrapper has ended: then ``child.reap()`` tells how."""
        self._waiting[child.pid] = child, look
        self._loop.watch(child.pidfd, partial(self._ended, child, look))

    def _ended(self, child: Child, look: Callable[[], None]) -> None:
        self._waiting.pop(child.pid, None)
        look()

    def _news(self) -> None:
        assert self.program is not None
        self._loop.watch(self.program.news_fd, self._news)
        for pid, status in self.program.news():
            child, look = self._waiting.get(pid, (None, None))
            if child is None or look is None or not self._loop.watches(child.pidfd):
                continue  # its end is known, or came in this very turn: ``_ended`` is about to be called
            del self._waiting[pid]
            self._loop.unwatch(child.pidfd)
            supervisor = child.outlived(status)
            self._loop.watch(supervisor, partial(bury, supervisor))
            look()
