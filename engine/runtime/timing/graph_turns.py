"""Changes in one connected graph of tasks, one after another; other graphs do not wait."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from engine.runtime.threads import Event, Threads


class GraphTurns:
    """Of one engine; for threads that may wait, not the loop's."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._guard = threads.lock()  # held for a moment only
        self._taken: set[str] = set()
        self._waiting: list[Event] = []

    @contextmanager
    def taking(self, concerned: Callable[[], Collection[str]]) -> Iterator[None]:
        """Be the only one to change these tasks; ``concerned`` is asked again until it names no others.

        Whoever changed something while this one waited may have connected further tasks with them.
        """
        taken = self._take(concerned())
        try:
            while not taken.issuperset(more := concerned()):
                self._leave(taken)
                taken = frozenset()
                taken = self._take(more)
            yield
        finally:
            self._leave(taken)

    def _take(self, tasks: Collection[str]) -> frozenset[str]:
        while True:
            with self._guard:
                if self._taken.isdisjoint(tasks):
                    self._taken.update(tasks)
                    return frozenset(tasks)
                left = self._threads.event()
                self._waiting.append(left)
            left.wait()

    def _leave(self, tasks: frozenset[str]) -> None:
        with self._guard:
            self._taken -= tasks
            waiting, self._waiting = self._waiting, []
        for left in waiting:
            left.set()
