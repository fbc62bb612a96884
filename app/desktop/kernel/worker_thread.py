"""A thread that works for one widget: it ends before the widget does, and drops none of its objects."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from engine.model.plain_words import unforeseen

Report = Callable[[Any], None]
Cancelled = Callable[[], bool]
Work = Callable[[Report, Cancelled], Any]


class WorkerThread(QObject):
    """One piece of work at a time; a new one stops the one before.

    ``reported`` brings what the work reports, ``ended`` the exception that ended it or None; then follows
    ``done`` with its answer, or ``failed`` with a SkerryError. All on the window's thread, and never those of
    work that was ended by ``end`` or by new work.

    It has no parent: the thread emits its signals, so it has to exist until the thread has been joined, which
    is when ``owner`` is destroyed at the latest. What the work refers to (often widgets) is held here until
    then, because a last reference dropped on the thread would destroy a widget there, and bring Qt down.
    """

    reported = Signal(object)
    ended = Signal(object)
    done = Signal(object)
    failed = Signal(object)
    _came = Signal(int, object, object, bool)

    def __init__(self, owner: QObject) -> None:
        super().__init__()
        self._turn = 0
        self._stop = threading.Event()
        self._work: Work | None = None
        self._thread: threading.Thread | None = None
        self._came.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        owner.destroyed.connect(lambda: self.end())  # a bound method would be held weakly

    @property
    def busy(self) -> bool:
        """Whether work is under way."""
        return self._thread is not None

    def start(self, work: Work) -> None:
        """Begin; ``work`` gets a function to report with and one that says whether to stop."""
        self.end()
        self._work, self._stop = work, threading.Event()
        self._thread = threading.Thread(target=self._run, args=(self._turn, self._stop), name="worker")
        self._thread.start()

    def walk(self, steps: Callable[[], Iterator[Any]]) -> None:
        """Begin with work in steps: each is reported, and between two of them it can be stopped."""

        def work(report: Report, cancelled: Cancelled) -> None:
            for step in steps():
                if cancelled():
                    return
                report(step)

        self.start(work)

    def stop(self) -> None:
        """Ask the work to stop; it ends like any other."""
        self._stop.set()

    def end(self) -> None:
        """Stop the work and wait until it has; nothing of it arrives any more."""
        self._turn += 1
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self._thread = self._work = None

    def _run(self, turn: int, stop: threading.Event) -> None:
        def report(what: Any) -> None:
            self._came.emit(turn, what, None, False)

        answer, problem = None, None
        try:
            answer = self._work(report, stop.is_set) if self._work else None
        except Exception as error:  # reported to the one who started it
            problem = error
        self._came.emit(turn, answer, problem, True)

    def _deliver(self, turn: int, answer: Any, problem: Exception | None, last: bool) -> None:
        if turn != self._turn:
            return
        if not last:
            self.reported.emit(answer)
            return
        self.end()
        self.ended.emit(problem)
        if problem is None:
            self.done.emit(answer)
        else:
            self.failed.emit(unforeseen(problem))
