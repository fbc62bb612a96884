"""Long work in steps on a thread: each step is reported, and between two of them it can be stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.desktop.kernel.worker_thread import Cancelled, Report, WorkerThread


class Background(QObject):
    """One piece of work at a time; a new one stops the one before.

    ``step`` brings what the work yields, ``ended`` the exception that ended it or None; both on
    the window's thread, and never those of work that was stopped.
    """

    step = Signal(object)
    ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = WorkerThread(self, "background")
        self._thread.reported.connect(self.step)
        self._thread.ended.connect(self._ended)

    @property
    def busy(self) -> bool:
        """Whether work is under way."""
        return self._thread.busy

    def start(self, work: Callable[[], Iterator[Any]]) -> None:
        """Begin; ``work`` is called on the thread and walked over there."""

        def walk(report: Report, cancelled: Cancelled) -> None:
            for each in work():
                if cancelled():
                    return
                report(each)

        self._thread.start(walk)

    def stop(self) -> None:
        """End what is under way and wait until it has; a step takes milliseconds."""
        self._thread.end()

    def _ended(self, _answer: None, problem: Exception | None) -> None:
        self.ended.emit(problem)
