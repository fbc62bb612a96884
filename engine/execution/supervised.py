"""Waits for the programs of jobs on this machine, including those that other processes outlive."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Protocol

from engine.execution.child import DRAIN_SECONDS, Child, bury
from engine.execution.host import LOOK_AGAIN, Turns
from engine.execution.outcomes import Exit, Lost

_LOOK = 1.0  # seconds between two looks at the record of an adopted one


class Reports(Protocol):
    """Where supervisors report: see :class:`engine.execution.supervisor.Supervisor`."""

    @property
    def news_fd(self) -> int:
        """Readable when supervisors have reported."""

    def news(self) -> list[tuple[int, int]]:
        """Supervisors whose program has ended while others of its job live: (pid, exit status)."""


class Supervised:
    """Who waits for which child; loop thread only. ``reports`` None: there are no supervisors."""

    def __init__(self, turns: Turns, reports: Reports | None) -> None:
        self._turns = turns
        self._reports = reports
        self._waiting: dict[int, tuple[Child, Callable[[], None]]] = {}

    def start(self) -> None:
        """Begin to read what supervisors report."""
        if self._reports is not None:
            self._turns.watch(self._reports.news_fd, partial(self._reported, self._reports))

    def wake(self, child: Child, ended: Callable[[Exit | Lost], None]) -> None:
        """Call ``ended`` once the program has ended and its output is complete."""
        self.watch(child, _Drain(self._turns, child, ended).look)

    def watch(self, child: Child, look: Callable[[], None]) -> None:
        """Call ``look`` once when the child's wrapper has ended: then ``child.reap()`` tells how."""
        self._waiting[child.pid] = child, look
        self._turns.watch(child.pidfd, partial(self._ended, child, look))
        if child.is_adopted:
            self._turns.later(_LOOK, partial(self._look_at, child, look))

    def _ended(self, child: Child, look: Callable[[], None]) -> None:
        if not child.is_settled():
            self._turns.later(LOOK_AGAIN, partial(self._ended, child, look))
            return
        self._waiting.pop(child.pid, None)
        look()

    def _look_at(self, child: Child, look: Callable[[], None]) -> None:
        """The supervisor of an adopted one reports to an engine that is gone: what it writes down is read."""
        if self._waiting.get(child.pid) != (child, look) or not self._turns.watches(child.pidfd):
            return
        if (status := child.written_status) is None:
            self._turns.later(_LOOK, partial(self._look_at, child, look))
        else:
            self._is_outlived(child, look, status)

    def _reported(self, reports: Reports) -> None:
        self._turns.watch(reports.news_fd, partial(self._reported, reports))
        for pid, status in reports.news():
            child, look = self._waiting.get(pid, (None, None))
            if child is None or look is None or not self._turns.watches(child.pidfd):
                continue  # its end is known, or came in this very turn: ``_ended`` is about to be called
            self._is_outlived(child, look, status)

    def _is_outlived(self, child: Child, look: Callable[[], None], status: int) -> None:
        """Its program has ended, and others of its job live."""
        del self._waiting[child.pid]
        self._turns.unwatch(child.pidfd)
        supervisor = child.outlived(status)
        self._turns.watch(supervisor, partial(_closed if child.is_adopted else bury, supervisor))
        look()


def _closed(pidfd: int) -> None:
    """The supervisor has ended; whoever started it, or the system, buries it."""
    os.close(pidfd)


class _Drain:
    """The end of one child, once its masking process has read all output or had its time."""

    __slots__ = ("_child", "_done", "_ended", "_turns")

    def __init__(self, turns: Turns, child: Child, ended: Callable[[Exit | Lost], None]) -> None:
        self._turns = turns
        self._child = child
        self._ended = ended
        self._done = False

    def look(self) -> None:
        end = self._child.reap()
        if end is not None:
            return self._is_over(end)
        self._turns.watch(self._child.pidfd, self.look)
        self._turns.later(DRAIN_SECONDS, self._drained)

    def _drained(self) -> None:
        """The masking process still reads because a daemon keeps the output open: go on without it."""
        if not self._done:
            self._turns.unwatch(self._child.pidfd)
            end = self._child.reap(drained=True)
            self._turns.watch(self._child.pidfd, self._bury)
            self._is_over(end if end is not None else Lost("its end was not seen"))

    def _bury(self) -> None:
        """The masking process has ended after all: nothing of it stays behind."""
        self._child.reap()

    def _is_over(self, end: Exit | Lost) -> None:
        self._done = True
        self._ended(end)
