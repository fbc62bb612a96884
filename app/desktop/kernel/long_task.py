"""One long piece of work on a thread, with progress and a way to stop it: what assistants run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from engine.model.codes.runtime import INTERNAL
from engine.model.errors import SkerryError

Report = Callable[[Any], None]
Cancelled = Callable[[], bool]


class LongTask(QObject):
    """``progressed`` brings what the work reports, ``done`` its answer, ``failed`` a SkerryError."""

    progressed = Signal(object)
    done = Signal(object)
    failed = Signal(object)
    _ended = Signal(int, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._turn = 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._ended.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether it is at work."""
        return self._thread is not None

    def start(self, work: Callable[[Report, Cancelled], Any]) -> None:
        """Begin; ``work`` gets a function to report with and one that says whether to stop."""
        self.wait()
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(self._turn, work, self._stop), name="long-task"
        )
        self._thread.start()

    def cancel(self) -> None:
        """Ask it to stop; ``failed`` follows when it has."""
        self._stop.set()

    def wait(self) -> None:
        """Stop it and wait; nothing more is told of it."""
        self._turn += 1
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, turn: int, work: Callable[[Report, Cancelled], Any], stop: threading.Event) -> None:
        try:
            answer, error = work(self.progressed.emit, stop.is_set), None
        except SkerryError as known:
            answer, error = None, known
        except Exception as unknown:  # shown to the operator like any other error
            answer, error = None, SkerryError(INTERNAL, f"{type(unknown).__name__}: {unknown}")
        self._ended.emit(turn, answer, error)

    def _deliver(self, turn: int, answer: Any, error: SkerryError | None) -> None:
        if turn != self._turn:
            return
        self.wait()
        if error is None:
            self.done.emit(answer)
        else:
            self.failed.emit(error)
