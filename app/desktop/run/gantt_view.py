"""The Gantt chart as it is painted: only the rows in sight, one stroke per pixel at most."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.times import length_text, shown
from app.desktop.run.gantt_rows import Bar, GanttRow, Scale, marks, span, strokes
from app.desktop.widgets.plain_label import tip_text

ROW = 22
_HEAD = 24
_NAMES = 0.32  # of the width at most
_ROOM = 0.02  # of the time, free at the right


class GanttView(QAbstractScrollArea):
    """``chosen`` brings (node, index) of the row that was clicked, ``time_chosen`` seconds (epoch)."""

    chosen = Signal(str, object)
    time_chosen = Signal(float)

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self.rows: Sequence[GanttRow] = ()
        self.now = 0.0
        self._widest = 40
        self.moment: float | None = None
        self.current: tuple[str, int | None] | None = None
        self._range: tuple[float, float] | None = None  # None: everything is in sight
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        console.theme.changed.connect(self.viewport().update)
        translated(self, self._word)

    def _word(self) -> None:
        self.setAccessibleName(tr("Gantt chart"))
        self.viewport().update()

    # -- what is shown -------------------------------------------------------------------------

    def show_rows(self, rows: Sequence[GanttRow], now: float) -> None:
        """Other rows; ``now`` is where bars end that have no end."""
        self.rows, self.now = rows, now
        self._widest = max((self.fontMetrics().horizontalAdvance(row.name) for row in rows[:200]), default=40)
        self._measure()
        self.viewport().update()

    def show_cursor(self, time: float | None) -> None:
        """Draw a line at a moment and nothing that came after it; None: the present."""
        self.moment = time
        self.viewport().update()

    def select(self, node: str | None, index: int | None = None) -> None:
        """Mark a row and bring it into sight."""
        self.current = None if node is None else (node, index)
        at = self._place(node, index)
        if at is not None:
            top, height = self.verticalScrollBar().value(), self._height()
            if not top <= at * ROW <= top + height - ROW:
                self.verticalScrollBar().setValue(at * ROW - height // 2)
        self.viewport().update()

    def _place(self, node: str | None, index: int | None) -> int | None:
        own = [at for at, row in enumerate(self.rows) if row.node == node]
        exact = [at for at in own if index is not None and self.rows[at].index == index]
        return next(iter(exact or own), None)

    def scale(self) -> Scale:
        """Time over the pixels right of the names."""
        begin, end = self._range or self._whole()
        return Scale(begin, end, max(1.0, self.viewport().width() - self.names()))

    def _whole(self) -> tuple[float, float]:
        begin, end = span(self.rows, self.now)
        return begin, end + (end - begin) * _ROOM

    def names(self) -> float:
        return float(min(self._widest + 16, self.viewport().width() * _NAMES))

    def fit(self) -> None:
        """See the whole time again."""
        self._range = None
        self.viewport().update()

    # -- painting ------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        colours = self._console.theme.colours
        painter.fillRect(self.viewport().rect(), QColor(colours.base))
        if not self.rows:
            painter.setPen(QColor(colours.muted))
            painter.drawText(self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, tr("Nothing has begun."))
            return
        names, scale = self.names(), self.scale()
        self._paint_axis(painter, names, scale)
        painter.setClipRect(QRectF(0, _HEAD, self.viewport().width(), self._height()))
        top = self.verticalScrollBar().value()
        first = max(0, top // ROW)
        for at in range(first, min(len(self.rows), (top + self._height()) // ROW + 1)):
            self._paint_row(painter, self.rows[at], _HEAD + at * ROW - top, names, scale)
        if self.moment is not None:
            self._paint_cursor(painter, names + scale.x(self.moment))

    def _paint_axis(self, painter: QPainter, names: float, scale: Scale) -> None:
        colours = self._console.theme.colours
        fine = scale.end - scale.begin < 10
        for time in marks(scale):
            x = names + scale.x(time)
            painter.setPen(QPen(QColor(colours.grid), 1))
            painter.drawLine(QPointF(x, _HEAD), QPointF(x, self.viewport().height()))
            painter.setPen(QColor(colours.muted))
            there = shown(time)
            text = f"{there:%H:%M:%S}" + (f".{there.microsecond // 1000:03}" if fine else "")
            painter.drawText(QRectF(x + 3, 0, 120, _HEAD), Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_row(self, painter: QPainter, row: GanttRow, y: float, names: float, scale: Scale) -> None:
        colours = self._console.theme.colours
        if self.current in ((row.node, None), (row.node, row.index)):
            painter.fillRect(QRectF(0, y, self.viewport().width(), ROW), QColor(colours.selection))
        painter.setPen(QColor(colours.text))
        box = QRectF(6, y, names - 10, ROW)
        name = self.fontMetrics().elidedText(row.name, Qt.TextElideMode.ElideMiddle, int(box.width()))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, name)
        for stroke in strokes(self._then(row.bars), scale, self.now):
            where = QRectF(names + stroke.left, y + 4, stroke.right - stroke.left, ROW - 9)
            self._paint_stroke(painter, where, stroke.status)
        if row.critical and row.begin <= self._until():
            left, low = names + scale.x(row.begin), y + ROW - 3
            right = names + scale.x(min(self._until(), row.end(self._until())))
            painter.setPen(QPen(QColor(colours.warning), 2))
            painter.drawLine(QPointF(max(left, names), low), QPointF(max(right, left + 1), low))

    def _paint_stroke(self, painter: QPainter, where: QRectF, status: str) -> None:
        look = look_of(status)
        painter.fillRect(where, self._console.theme.status(status))
        if look.pale:
            painter.setPen(QPen(QColor(self._console.theme.colours.text), 1))
            painter.drawRect(where)
        if where.width() > 16:
            ink = self._console.theme.colours.text if look.pale else self._console.theme.colours.base
            side = where.height() - 2
            self._console.icons.paint(
                painter, look.icon, QRectF(where.left() + 2, where.top() + 1, side, side), ink
            )

    def _paint_cursor(self, painter: QPainter, x: float) -> None:
        painter.setPen(QPen(QColor(self._console.theme.colours.replay), 2))
        painter.drawLine(QPointF(x, _HEAD - 4), QPointF(x, self.viewport().height()))

    def _until(self) -> float:
        return self.now if self.moment is None else self.moment

    def _then(self, bars: Sequence[Bar]) -> Sequence[Bar]:
        """The bars as they were at the cursor."""
        moment = self.moment
        if moment is None:
            return bars
        return [
            bar
            if bar.end is not None and bar.end <= moment
            else Bar(bar.begin, moment, "running", bar.number)
            for bar in bars
            if bar.begin <= moment
        ]

    # -- mouse and keys ------------------------------------------------------------------------

    def row_at(self, y: float) -> int | None:
        at = int((y - _HEAD + self.verticalScrollBar().value()) // ROW)
        return at if y >= _HEAD and 0 <= at < len(self.rows) else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        where = event.position()
        at = self.row_at(where.y())
        if at is not None:
            self.chosen.emit(self.rows[at].node, self.rows[at].index)
        elif where.x() > self.names():
            self.time_chosen.emit(self.scale().time(where.x() - self.names()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and event.position().y() < _HEAD:
            self.time_chosen.emit(self.scale().time(event.position().x() - self.names()))

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            at = self.row_at(event.pos().y())
            text = _tip(self.rows[at], self._until()) if at is not None else ""
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().viewportEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(1.0015 ** event.angleDelta().y(), event.position().x() - self.names())
            event.accept()
        else:
            super().wheelEvent(event)

    def zoom(self, factor: float, x: float | None = None) -> None:
        """Nearer or farther around a pixel (else the middle); never farther than everything."""
        scale = self.scale()
        found = scale.zoomed(scale.width / 2 if x is None else x, factor)
        begin, end = self._whole()
        wide = found.end - found.begin >= end - begin
        self._range = None if wide else (found.begin, max(found.end, found.begin + 0.001))
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.rows:
            self._step(-1 if key == Qt.Key.Key_Up else 1)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus) and event.modifiers() & _CONTROL:
            self.zoom(1.5 if key == Qt.Key.Key_Plus else 1 / 1.5)
        elif key == Qt.Key.Key_0 and event.modifiers() & _CONTROL:
            self.fit()
        else:
            super().keyPressEvent(event)

    def _step(self, by: int) -> None:
        here = self._place(*self.current) if self.current else None
        at = 0 if here is None else min(max(here + by, 0), len(self.rows) - 1)
        self.chosen.emit(self.rows[at].node, self.rows[at].index)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()

    def _height(self) -> int:
        return max(0, self.viewport().height() - _HEAD)

    def _measure(self) -> None:
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, len(self.rows) * ROW - self._height()))
        bar.setSingleStep(ROW)
        bar.setPageStep(self._height())


_CONTROL = Qt.KeyboardModifier.ControlModifier


def _tip(row: GanttRow, now: float) -> str:
    lines = [row.name]
    for bar in row.bars[-12:]:
        took = length_text((now if bar.end is None else bar.end) - bar.begin)
        lines.append(f"{bar.number}: {tr(look_of(bar.status).word)}, {took}")
    if row.critical:
        lines.append(tr("It is on the critical path: the run could not end before it."))
    return tip_text("\n".join(lines))
