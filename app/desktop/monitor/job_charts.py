"""The charts of one job's processes, from the ``monitor.csv`` in its folder, made when first seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QWidget

from app.desktop.kernel.theme import Theme
from app.desktop.kernel.worker_thread import WorkerThread
from app.desktop.monitor.chart_table import JOB
from app.desktop.monitor.samples import MonitorSamples, read, thinned
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import worded

if TYPE_CHECKING:
    from app.desktop.monitor.chart_stack import ChartBoard

_FINE = 20_000  # samples that are drawn as they are


class JobCharts(QWidget):
    """``show_folder`` with a job's folder; ``stop`` before it goes away."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._folder: Path | None = None
        self.board: ChartBoard | None = None
        self._reading = WorkerThread(self)
        self._reading.reported.connect(self._show)
        hint = "No samples: it ran for less than a second, or has no process of its own."
        self.empty = worded(QLabel(alignment=Qt.AlignmentFlag.AlignCenter), hint)
        self.empty.setWordWrap(True)
        self._column = vbox(self.empty, inside=self, margins=0)

    def show_folder(self, folder: Path | None) -> None:
        """The samples of another job; None: of none. They are read when this is seen."""
        if folder != self._folder:
            self._folder = folder
            if self.isVisible():
                self._look()

    def stop(self) -> None:
        """End the reading thread."""
        self._reading.end()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look()

    def _look(self) -> None:
        self.stop()
        self._reading.walk(lambda: _read(self._folder))

    def _made(self) -> ChartBoard:
        from app.desktop.monitor.chart_stack import ChartBoard

        board = ChartBoard(self._theme, JOB)
        self._column.insertWidget(0, board)
        return board

    def _show(self, samples: MonitorSamples) -> None:
        self.board = self.board or self._made()
        self.board.setVisible(len(samples) > 0)
        self.empty.setVisible(not len(samples))
        self.board.show_samples(samples)
        if len(samples):
            self.board.show_span(samples.times[0], max(samples.times[-1], samples.times[0] + 1))


def _read(folder: Path | None) -> Iterator[MonitorSamples]:
    found = read(folder / "monitor.csv") if folder is not None else MonitorSamples()
    length = found.times[-1] - found.times[0] if len(found) else 0.0
    yield found if len(found) <= _FINE else thinned(found, length / _FINE * 2)
