"""The runs of the span that is shown, as bars under the charts."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.desktop.kernel.language import tr, trn
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.theme import Theme
from app.desktop.monitor.run_lanes import HEIGHT, LANE, Lanes, Mark, PlacedRun, RunBar, marks
from app.desktop.widgets.plain_label import tip_text

_RIGHT = Qt.TextElideMode.ElideRight
_EDGE = 65  # where the charts' axes end
_TOP = 3
_NEAR = 2  # pixels beside a bar that still mean it
_LEAST = 3  # lanes
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class RunStrip(QWidget):
    """``chosen`` brings the number of a run that was clicked or entered, ``looked_at`` the marked RunBar."""

    chosen = Signal(int)
    looked_at = Signal(object)
    menu_wanted = Signal(object)  # where on the screen, for the run that is marked

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.lanes = Lanes()
        self._marks: list[Mark] | None = None  # as they were painted last
        self._span = (0.0, 1.0)
        self._now = 0.0
        self._here: int | None = None  # the instance that is marked
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        lanes = max(_LEAST, self.lanes.count)
        return QSize(200, min(HEIGHT, lanes * LANE) + 2 * _TOP)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @property
    def current(self) -> RunBar | None:
        """The run that is marked, while it is in the span."""
        return next((each.bar for each in self.lanes.runs if each.bar.instance == self._here), None)

    def show_lanes(self, lanes: Lanes, now: float) -> None:
        """Show all of these; what is marked stays so."""
        self.lanes, self._now, self._marks = lanes, now, None
        self.updateGeometry()
        self.update()

    def show_span(self, first: float, last: float) -> None:
        self._span, self._marks = (first, max(last, first + 1e-3)), None
        self.update()

    def mark(self, bar: RunBar | None) -> None:
        """Mark a run: it is what actions act upon."""
        self._here = bar.instance if bar is not None else None
        self.setAccessibleDescription(_words(bar) if bar is not None else "")
        self.update()
        self.looked_at.emit(bar)

    def bar_at(self, point: QPointF) -> RunBar | None:
        """The run under the mouse."""
        for each in reversed(self._painted()):
            if self._rect(each).adjusted(-_NEAR, 0, _NEAR, 0).contains(point):
                return each.run.bar
        return None

    # -- painting ------------------------------------------------------------------------------

    def _x(self, moment: float) -> float:
        first, last = self._span
        return _EDGE + (moment - first) / (last - first) * max(1, self.width() - _EDGE)

    def _painted(self) -> list[Mark]:
        if self._marks is None:
            self._marks = list(marks(self.lanes, self._x, float(_EDGE), float(self.width()), self._now))
        return self._marks

    def _rect(self, each: Mark) -> QRectF:
        above, below = self.lanes.box(each.run.lane)
        return QRectF(each.left, _TOP + above, each.right - each.left, below - above)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        colours = self._theme.colours
        painter.fillRect(self.rect(), QColor(colours.base))
        painter.setPen(QColor(colours.muted))
        count = len(self.lanes.runs)
        painter.drawText(QRectF(4, 0, _EDGE - 8, LANE + 4), 0, tr("Runs"))
        painter.drawText(QRectF(4, LANE, _EDGE - 8, LANE + 4), 0, f"{count:,}" if count else "")
        for each in self._painted():
            self._paint_mark(painter, each, self._rect(each))
        self._paint_ring(painter)

    def _paint_mark(self, painter: QPainter, each: Mark, rect: QRectF) -> None:
        bar, look = each.run.bar, look_of(each.run.bar.status)
        painter.fillRect(rect, QColor(look.colour(self._theme.dark)))
        if rect.width() > 40 and rect.height() > LANE - 5:
            painter.setPen(QColor("#1D2126" if look.pale else "#FFFFFF"))
            text = self.fontMetrics().elidedText(f"#{bar.instance} {bar.task}", _RIGHT, int(rect.width()) - 6)
            painter.drawText(rect.adjusted(3, -2, -3, 2), 0, text)

    def _paint_ring(self, painter: QPainter) -> None:
        """Around what is marked, and around all where the keys are and nothing is."""
        painter.setPen(QPen(QColor(self._theme.colours.accent), 2))
        run = self._placed_of(self._here)
        if run is None:
            if self.hasFocus():
                painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
            return
        begin, end = self._x(run.bar.start), self._x(self._now if run.bar.end is None else run.bar.end)
        left, right = max(begin, float(_EDGE)), min(max(end, begin + 2), float(self.width()))
        if right > left:
            painter.drawRect(self._rect(Mark(run, left, right, shared=False)).adjusted(-1, -1, 1, 1))

    def _placed_of(self, instance: int | None) -> PlacedRun | None:
        return next((each for each in self.lanes.runs if each.bar.instance == instance), None)

    # -- mouse and keys ------------------------------------------------------------------------

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Of the run under the mouse; by the menu key of the one that is marked."""
        by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        bar = self.bar_at(QPointF(event.pos())) if by_mouse else self.current
        if bar is not None:
            self.mark(bar)
            self.menu_wanted.emit(event.globalPos())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        bar = self.bar_at(event.position())
        self.mark(bar)
        if bar is not None and event.button() is Qt.MouseButton.LeftButton:
            self.chosen.emit(bar.instance)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _STEPS and self.lanes.runs:
            self._step(_STEPS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and (bar := self.current) is not None:
            self.chosen.emit(bar.instance)
        else:
            super().keyPressEvent(event)

    def _step(self, by: int) -> None:
        """The run that began before or after the one that is marked; at first the latest."""
        runs = self.lanes.runs
        here = next((at for at, each in enumerate(runs) if each.bar.instance == self._here), None)
        at = len(runs) - 1 if here is None else min(max(here + by, 0), len(runs) - 1)
        self.mark(runs[at].bar)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            bar = self.bar_at(QPointF(event.pos()))
            text = _words(bar) if bar else trn(len(self.lanes.runs), "{n} run", "{n} runs")
            QToolTip.showText(event.globalPos(), tip_text(text), self)
            return True
        return super().event(event)


def _words(bar: RunBar) -> str:
    return f"#{bar.instance} {bar.task}: {tr(look_of(bar.status).word)}"
