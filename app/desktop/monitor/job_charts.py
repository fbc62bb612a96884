"""The charts of one job's processes, for its pane: read from the ``monitor.csv`` in its folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.desktop.kernel.theme import Theme
from app.desktop.kernel.worker_thread import WorkerThread
from app.desktop.monitor.chart_stack import ChartBoard
from app.desktop.monitor.chart_table import JOB
from app.desktop.monitor.samples import Samples, read, thinned
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import worded

_FINE = 20_000  # samples that are drawn as they are


class JobCharts(QWidget):
    """``show_folder`` with a job's folder; ``stop`` before it goes away."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.board = ChartBoard(theme, JOB)
        self._reading = WorkerThread(self)
        self._reading.reported.connect(self._show)
        hint = "No samples: it ran for less than a second, or has no process of its own."
        self.empty = worded(QLabel(alignment=Qt.AlignmentFlag.AlignCenter), hint)
        self.empty.setWordWrap(True)
        vbox(self.board, self.empty, inside=self, margins=0)
        self._show(Samples())

    def show_folder(self, folder: Path | None) -> None:
        """The samples of another job; None: of none."""
        if folder is None:
            self.stop()
            self._show(Samples())
            return
        self._reading.walk(lambda: _read(folder / "monitor.csv"))

    def stop(self) -> None:
        """End the reading thread."""
        self._reading.end()

    def _show(self, samples: Samples) -> None:
        self.board.setVisible(len(samples) > 0)
        self.empty.setVisible(not len(samples))
        self.board.show_samples(samples)
        if len(samples):
            self.board.show_span(samples.times[0], max(samples.times[-1], samples.times[0] + 1))


def _read(path: Path) -> Iterator[Samples]:
    found = read(path)
    length = found.times[-1] - found.times[0] if len(found) else 0.0
    yield found if len(found) <= _FINE else thinned(found, length / _FINE * 2)
