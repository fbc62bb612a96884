"""One long piece of work on a thread, with progress and a way to stop it: what assistants run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.desktop.kernel.worker_thread import Cancelled, Report, WorkerThread
from engine.model.errors import SkerryError
from engine.model.plain_words import unforeseen


class LongTask(QObject):
    """``progressed`` brings what the work reports, ``done`` its answer, ``failed`` a SkerryError."""

    progressed = Signal(object)
    done = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = WorkerThread(self, "long-task")
        self._thread.reported.connect(self.progressed)
        self._thread.ended.connect(self._ended)

    @property
    def busy(self) -> bool:
        """Whether it is at work."""
        return self._thread.busy

    def start(self, work: Callable[[Report, Cancelled], Any]) -> None:
        """Begin; ``work`` gets a function to report with and one that says whether to stop."""
        self._thread.start(work)

    def cancel(self) -> None:
        """Ask it to stop; ``failed`` follows when it has."""
        self._thread.stop()

    def wait(self) -> None:
        """Stop it and wait; nothing more is heard of it."""
        self._thread.end()

    def _ended(self, answer: Any, problem: Exception | None) -> None:
        if problem is None:
            self.done.emit(answer)
        else:
            self.failed.emit(as_known(problem))


def as_known(problem: Exception) -> SkerryError:
    """An exception as the error that is shown to the operator."""
    return unforeseen(problem)
