"""Every run of a span, read beside the window: the latest wish only, and not longer than it is worth."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, Signal

from app.desktop.kernel.worker_thread import WorkerThread
from app.desktop.monitor.run_lanes import Lanes, RunBar, placed
from engine.store.rows import time_text

if TYPE_CHECKING:
    from engine.store.browsing import Browser, RunSpan

_SHARE = 10  # of the time at most one part in so many is spent on following what happens
Span = tuple[float, float]


class RunReading(QObject):
    """``came`` brings the Lanes of the span that was wanted last; without a database there are none."""

    came = Signal(object)

    def __init__(self, browser: Callable[[], Browser], now: Callable[[], float], parent: QObject) -> None:
        super().__init__(parent)
        self._browser, self._now = browser, now
        self._work = WorkerThread(self)
        self._took, self._since = QElapsedTimer(), QElapsedTimer()
        self._rest = 0  # milliseconds
        self._next: Span | None = None
        self._work.done.connect(self._done)
        self._work.ended.connect(lambda _problem: self._rested())

    def want(self, first: float, last: float, *, live: bool = False) -> None:
        """Read the runs of a span; ``live``: only because time has passed, so it may wait."""
        if live and (self._work.busy or (self._since.isValid() and self._since.elapsed() < self._rest)):
            return
        if self._work.busy:  # what reads a million rows is not waited for
            self._next = first, last
            return
        self._next = None
        self._took.start()
        self._work.start(lambda _report, _cancelled: self._read(first, last))

    def end(self) -> None:
        """Read no more."""
        self._next = None
        self._work.end()

    def _read(self, first: float, last: float) -> Lanes:
        since, until = (time_text(datetime.fromtimestamp(each, UTC)) for each in (first, last))
        return placed(map(_bar, self._browser().running_in(since, until)), self._now())

    def _done(self, lanes: Lanes) -> None:
        if self._next is None:
            self.came.emit(lanes)
        else:
            self.want(*self._next)

    def _rested(self) -> None:
        self._rest = int(self._took.elapsed()) * _SHARE
        self._since.start()


def _bar(row: RunSpan) -> RunBar:
    start = datetime.fromisoformat(row.started_at).timestamp()
    end = datetime.fromisoformat(row.ended_at).timestamp() if row.ended_at else None
    return RunBar(row.id, row.task, row.status, start, end)
