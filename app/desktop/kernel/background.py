"""Long work in steps on a thread of its own: each step is told, and between two of them it can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal


class Background(QObject):
    """One piece of work at a time; a new one stops the one before.

    ``step`` brings what the work yields, ``ended`` the exception that ended it or None; both on
    the window's thread, and never those of work that was stopped.
    """

    step = Signal(object)
    ended = Signal(object)
    _told = Signal(int, object, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._turn = 0
        self._thread: threading.Thread | None = None
        self._told.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether work is under way."""
        return self._thread is not None

    def start(self, work: Callable[[], Iterator[Any]]) -> None:
        """Begin; ``work`` is called on the thread and walked over there."""
        self.stop()
        turn = self._turn
        self._thread = threading.Thread(target=self._run, args=(turn, work), name="background")
        self._thread.start()

    def stop(self) -> None:
        """End what is under way and wait until it has; a step takes milliseconds."""
        self._turn += 1
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, turn: int, work: Callable[[], Iterator[Any]]) -> None:
        problem: Exception | None = None
        try:
            for each in work():
                if turn != self._turn:
                    return
                self._told.emit(turn, each, False)
        except Exception as error:  # told to the one who started it
            problem = error
        self._told.emit(turn, problem, True)

    def _deliver(self, turn: int, told: Any, last: bool) -> None:
        if turn != self._turn:
            return
        if not last:
            self.step.emit(told)
            return
        self.stop()
        self.ended.emit(told)
