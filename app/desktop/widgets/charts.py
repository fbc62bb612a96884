"""Charts over time: lines and dots on a time axis, in the window's colours; pyqtgraph behind a small face."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pyqtgraph as pg
from pyqtgraph.graphicsItems.DateAxisItem import TickSpec, ZoomLevel
from PySide6.QtCore import QEvent, QPointF, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.theme import Theme
from app.desktop.kernel.times import length_text, zone
from app.desktop.widgets.layouts import vbox


@dataclass(frozen=True, slots=True)
class Dots:
    """Points of one kind: ``times`` in seconds since 1970, ``ids`` given when one is clicked."""

    colour: str
    symbol: str
    times: Sequence[float]
    values: Sequence[float]
    ids: Sequence[int]


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line of samples; a NaN breaks it."""

    colour: str
    times: np.ndarray[Any, np.dtype[np.float64]]
    values: np.ndarray[Any, np.dtype[np.float64]]


_LEAST = 0.1  # of the highest value: what changes by less looks level


def _least_range(lines: Sequence[ChartLine]) -> float | None:
    """How much of the values the axis shows at least, so that no trifle looks like a fall."""
    peaks = [np.nanmax(each.values) for each in lines if np.isfinite(each.values).any()]
    return float(max(peaks)) * _LEAST or None if peaks else None


def _offset() -> float | None:
    """Seconds by which UTC is ahead of the window's zone; None: what the machine's zone says of each time."""
    offset = datetime.now(there).utcoffset() if (there := zone()) is not None else None
    return None if offset is None else -offset.total_seconds()


_DAYS = {"%b": "%Y-%m", "%a %d": "%m-%d", "%d": "%m-%d"}  # pyqtgraph's names of months and days
_WIDEST = "0000-00"


def _time_axis() -> Any:
    """Its days are written as everywhere in the window, ``11-21``, whatever the language."""
    axis = pg.DateAxisItem(utcOffset=_offset())
    axis.zoomLevels = {most: _in_numbers(level) for most, level in axis.zoomLevels.items()}
    return axis


def _in_numbers(level: ZoomLevel) -> ZoomLevel:
    specs = [
        TickSpec(each.spacing, each.step, _DAYS.get(each.format, each.format), each.autoSkip)
        for each in level.tickSpecs
    ]
    return ZoomLevel(specs, max(level.exampleText, _WIDEST, key=len))


class _LengthAxis(pg.AxisItem):  # type: ignore[misc]  # it comes without types
    """Durations in words: ``30 s``, ``1 min 30 s``; its marks are at round ones."""

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:
        wanted = (maxVal - minVal) / max(2.0, size / _MARK)
        return [(next((each for each in _ROUND if each >= wanted), _ROUND[-1]), 0.0)]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [length_text(each * scale) for each in values]


_MARK = 40  # pixels from one mark to the next at least
_ROUND = (
    *(step * power for power in (0.001, 0.01, 0.1, 1.0) for step in (1, 2, 5)), 10, 15, 30, 60, 120, 300, 600,
    900, 1800, 3600, 7200, 14_400, 43_200, 86_400, 172_800, 604_800, 2_592_000,
)  # fmt: skip


class Chart(QWidget):
    """One chart. Drag zooms in time, the wheel too, a double click shows everything again."""

    dot_chosen = Signal(int)
    span_changed = Signal(float, float)  # seconds since 1970
    hovered = Signal(object)  # seconds since 1970, None when the mouse has left

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, of_lengths: bool = False) -> None:
        """``of_lengths``: its values are durations in seconds."""
        super().__init__(parent)
        self._theme = theme
        axes = {"bottom": _time_axis()} | ({"left": _LengthAxis("left")} if of_lengths else {})
        self.plot = pg.PlotWidget(axisItems=axes, enableMenu=False)
        self.item = self.plot.getPlotItem()
        self.item.hideButtons()
        box = self.item.getViewBox()
        box.setMouseMode(pg.ViewBox.RectMode)
        box.setMouseEnabled(x=True, y=False)
        box.sigXRangeChanged.connect(lambda _, span: self.span_changed.emit(*span))
        self.plot.setMinimumHeight(60)
        vbox(self.plot, inside=self, margins=0)
        self.plot.scene().sigMouseClicked.connect(self._clicked)
        self.plot.scene().sigMouseMoved.connect(self._moved)
        self._cursor = pg.InfiniteLine(angle=90, movable=False)
        self._cursor.hide()
        theme.changed.connect(self._dress)
        translated(self, self._word)
        self._dress()

    def _word(self) -> None:
        self.plot.setAccessibleName(tr("Chart"))

    def show_dots(self, kinds: Sequence[Dots]) -> None:
        """Other points."""
        self._clear()
        for each in kinds:
            brush = pg.mkBrush(QColor(each.colour))
            drawn = pg.ScatterPlotItem(
                x=list(each.times), y=list(each.values), data=list(each.ids), symbol=each.symbol, size=8,
                brush=brush, pen=pg.mkPen(QColor(self._theme.colours.base)),
            )  # fmt: skip
            drawn.sigClicked.connect(self._dot_clicked)
            self.item.addItem(drawn)
        self.item.setLimits(yMin=0)

    def show_lines(self, lines: Sequence[ChartLine]) -> None:
        """Other lines; thinned out to what the width can show, peaks kept."""
        self._clear()
        for each in lines:
            drawn = self.item.plot(each.times, each.values, pen=pg.mkPen(QColor(each.colour), width=1.5))
            drawn.setDownsampling(auto=True, method="peak")
            drawn.setClipToView(True)
        self.item.setLimits(yMin=0, minYRange=_least_range(lines))
        self.item.enableAutoRange(axis="y")

    def _clear(self) -> None:
        self.item.clear()
        self.item.addItem(self._cursor, ignoreBounds=True)

    def show_span(self, first: float, last: float) -> None:
        self.item.setXRange(first, last, padding=0)

    def span(self) -> tuple[float, float]:
        """The span of time that is shown."""
        (first, last), _ = self.item.viewRange()
        return float(first), float(last)

    def show_cursor(self, moment: float | None) -> None:
        """A line at a time; None: no line."""
        self._cursor.setVisible(moment is not None)
        if moment is not None:
            self._cursor.setPos(moment)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered.emit(None)

    def _moved(self, point: QPointF) -> None:
        box = self.item.getViewBox()
        inside = box.sceneBoundingRect().contains(point)
        self.hovered.emit(float(box.mapSceneToView(point).x()) if inside else None)

    def _dress(self) -> None:
        colours = self._theme.colours
        self.plot.setBackground(QColor(colours.base))
        self._cursor.setPen(pg.mkPen(QColor(colours.accent)))
        for side in ("left", "bottom"):
            axis = self.item.getAxis(side)
            axis.setPen(pg.mkPen(QColor(colours.border)))
            axis.setTextPen(pg.mkPen(QColor(colours.muted)))
            axis.setStyle(tickFont=self.font())
        self.item.getAxis("left").setWidth(64)
        self.item.showGrid(x=True, y=True, alpha=0.15)
        self.item.setTitle(None)

    def _dot_clicked(self, _: object, dots: Sequence[Any]) -> None:
        for dot in dots[:1]:
            self.dot_chosen.emit(int(dot.data()))

    def _clicked(self, event: Any) -> None:
        if event.double():
            self.item.enableAutoRange(axis="x")
            event.accept()
