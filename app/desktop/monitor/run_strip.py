"""The runs of the span that is shown, as bars under the charts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from app.desktop.kernel.language import tr
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.theme import Theme
from app.desktop.monitor.run_lanes import MOST, PlacedRun, RunBar, placed
from app.desktop.widgets.plain_label import tip_text

_LANE = 14
_RIGHT = Qt.TextElideMode.ElideRight
_EDGE = 65  # where the charts' axes end


class RunStrip(QWidget):
    """``chosen`` brings the number of the run that was clicked."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._placed: list[PlacedRun] = []
        self._span = (0.0, 1.0)
        self._now = 0.0
        self.setMouseTracking(True)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        lanes = 1 + max((each.lane for each in self._placed), default=2)
        return QSize(200, min(MOST, max(3, lanes)) * _LANE + 6)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def show_bars(self, bars: Sequence[RunBar], now: float) -> None:
        self._placed, self._now = placed(bars, now), now
        self.updateGeometry()
        self.update()

    def show_span(self, first: float, last: float) -> None:
        self._span = (first, max(last, first + 1e-3))
        self.update()

    def bar_at(self, point: QPointF) -> RunBar | None:
        """The run under the mouse."""
        for each in reversed(self._placed):
            if self._rect(each).adjusted(-2, 0, 2, 0).contains(point):
                return each.bar
        return None

    def _x(self, moment: float) -> float:
        first, last = self._span
        return _EDGE + (moment - first) / (last - first) * max(1, self.width() - _EDGE)

    def _rect(self, each: PlacedRun) -> QRectF:
        left = max(self._x(each.bar.start), float(_EDGE))
        right = min(self._x(self._now if each.bar.end is None else each.bar.end), float(self.width()))
        return QRectF(left, 3 + each.lane * _LANE, max(3.0, right - left), _LANE - 3)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.colours.base))
        painter.setPen(QColor(self._theme.colours.muted))
        painter.drawText(QRectF(4, 0, _EDGE - 8, _LANE + 4), 0, tr("Runs"))
        for each in self._placed:
            rect = self._rect(each)
            if rect.right() >= _EDGE and rect.left() <= self.width():
                self._paint_bar(painter, each.bar, rect)

    def _paint_bar(self, painter: QPainter, bar: RunBar, rect: QRectF) -> None:
        look = look_of(bar.status)
        painter.fillRect(rect, QColor(look.colour(self._theme.dark)))
        if rect.width() > 40:
            painter.setPen(QColor("#1D2126" if look.pale else "#FFFFFF"))
            text = self.fontMetrics().elidedText(f"#{bar.instance} {bar.task}", _RIGHT, int(rect.width()) - 6)
            painter.drawText(rect.adjusted(3, -2, -3, 2), 0, text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if (bar := self.bar_at(event.position())) is not None:
            self.chosen.emit(bar.instance)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            bar = self.bar_at(QPointF(event.pos()))
            text = f"#{bar.instance} {bar.task}: {tr(look_of(bar.status).word)}" if bar else ""
            QToolTip.showText(event.globalPos(), tip_text(text), self)
            return True
        return super().event(event)
