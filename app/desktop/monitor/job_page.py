"""A job's charts as a page that costs nothing until a person looks at it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.kernel.theme import Theme

if TYPE_CHECKING:
    from app.desktop.monitor.job_charts import JobCharts


class JobChartsPage(QWidget):
    """``show_folder`` with a job's folder; it is read when the page comes in sight."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._folder: Path | None = None
        self._shown: Path | None = None
        self.charts: JobCharts | None = None
        QVBoxLayout(self).setContentsMargins(0, 0, 0, 0)

    def show_folder(self, folder: Path | None) -> None:
        """Another job, or none."""
        self._folder = folder
        if self.isVisible():
            self._look()

    def stop(self) -> None:
        """End the reading thread."""
        if self.charts is not None:
            self.charts.stop()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.charts is None:
            self._make()
        self._shown = None
        self._look()

    def _make(self) -> None:
        from app.desktop.monitor.job_charts import JobCharts

        self.charts = JobCharts(self._theme)
        layout = self.layout()
        if layout is not None:
            layout.addWidget(self.charts)

    def _look(self) -> None:
        if self.charts is not None and self._folder != self._shown:
            self._shown = self._folder
            self.charts.show_folder(self._folder)
