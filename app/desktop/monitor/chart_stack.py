"""Charts one under the other on one time axis, with one cursor through all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.theme import Theme
from app.desktop.kernel.times import shown
from app.desktop.monitor.chart_table import Figure
from app.desktop.monitor.samples import GAP, MonitorSamples, broken
from app.desktop.widgets.charts import Chart, ChartLine
from app.desktop.widgets.layouts import vbox


class ChartBoard(QWidget):
    """``span_changed`` tells the span of time (seconds since 1970) that the operator zoomed to."""

    span_changed = Signal(float, float)

    def __init__(
        self, theme: Theme, figures: Sequence[Figure], columns: int = 1, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._figures = tuple(figures)
        self._samples = MonitorSamples()
        self._gap = GAP
        self.charts = {each.key: Chart(theme) for each in self._figures}
        self.legends = {each.key: _legend() for each in self._figures}
        self.empty = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self.empty.setTextFormat(Qt.TextFormat.PlainText)
        self._lay_out(columns)
        theme.changed.connect(self._draw)
        translated(self, self._draw)

    def show_samples(self, samples: MonitorSamples, *, gap: float = GAP) -> None:
        """Other samples; a hole longer than ``gap`` seconds breaks the lines."""
        self._samples, self._gap = samples, gap
        self._draw()

    def show_span(self, first: float, last: float) -> None:
        self._first.show_span(first, last)

    def span(self) -> tuple[float, float]:
        return self._first.span()

    @property
    def _first(self) -> Chart:
        return self.charts[self._figures[0].key]

    def _lay_out(self, columns: int) -> None:
        self._drawn = QWidget()
        vbox((self._drawn, 1), (self.empty, 1), inside=self, margins=4)
        grid = QGridLayout(self._drawn)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(2)
        for i, figure in enumerate(self._figures):
            row, column = 2 * (i // columns), i % columns
            grid.addWidget(self.legends[figure.key], row, column)
            grid.addWidget(self.charts[figure.key], row + 1, column)
            grid.setRowStretch(row + 1, 1)
        for chart in self.charts.values():
            chart.hovered.connect(self._point)
            if chart is not self._first:
                chart.item.setXLink(self._first.item)
        self._first.span_changed.connect(self.span_changed)

    def _draw(self) -> None:
        self.empty.setText(tr("No samples: they are taken while jobs run."))
        self.empty.setVisible(not len(self._samples))
        self._drawn.setVisible(len(self._samples) > 0)  # axes without a line mislead
        for figure in self._figures:
            chart = self.charts[figure.key]
            chart.setAccessibleName(tr(figure.title))
            chart.show_lines(
                [self._line(figure, i) for i in range(len(figure.curves))] if len(self._samples) else []
            )
        self._point(None)

    def _line(self, figure: Figure, i: int) -> ChartLine:
        curve = figure.curves[i]
        times, values = broken(self._samples.times, curve.values(self._samples), self._gap)
        return ChartLine(self._colour(figure, i), times, values)

    def _colour(self, figure: Figure, i: int) -> str:
        return figure.curves[i].dark if self._theme.dark else figure.curves[i].light

    def _point(self, moment: float | None) -> None:
        """The cursor at a time, and the values there in the legends."""
        for figure in self._figures:
            self.charts[figure.key].show_cursor(moment)
            self.legends[figure.key].setText(self._legend_text(figure, moment))

    def _legend_text(self, figure: Figure, moment: float | None) -> str:
        """Rich text of our own words and numbers only."""
        unit = f" {tr(figure.unit)}" if figure.unit else ""
        parts = [f"<b>{tr(figure.title)}</b>{unit}"]
        at = self._nearest(moment)
        for i, curve in enumerate(figure.curves):
            value = "" if at is None else f" {curve.values(self._samples)[at]:.4g}"
            parts.append(f'<span style="color:{self._colour(figure, i)}">━</span> {tr(curve.name)}{value}')
        if at is not None and figure is self._figures[0]:
            parts.append(f"{shown(float(self._samples.times[at])):%Y-%m-%d %H:%M:%S}")
        return " &nbsp; ".join(parts)

    def _nearest(self, moment: float | None) -> int | None:
        if moment is None or not len(self._samples):
            return None
        at = int(np.searchsorted(self._samples.times, moment))
        return min(at, len(self._samples) - 1)


def _legend() -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.RichText)
    return label
