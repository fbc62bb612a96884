"""Rows over a time axis as they are painted: only those in sight, zoomed and stepped through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.contrast import on
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.statuses import Border, look_of
from app.desktop.kernel.times import shown
from app.desktop.widgets.time_scale import Scale, Stroke, marks

ROW = 22
HEAD = 24
_NAMES = 0.32  # of the width at most
_ROOMY = 16  # pixels: a bar that is wider has room for a shape
_HOLLOW = "status-waiting"  # the shape of what has not begun
_CONTROL = Qt.KeyboardModifier.ControlModifier
Boxes = Mapping[
    str, Sequence[QRectF]
]  # of a row, by status: from the end of the names and the row's upper edge


class TimeRows(QAbstractScrollArea):
    """What a Gantt chart and the timeline of a day have in common; ``name`` and ``empty`` are English texts.

    A subclass says which rows there are, which time the whole is, and paints what lies in a row.
    """

    def __init__(self, console: Console, name: str, empty: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self._name, self.empty = name, empty
        self._widest = 40
        self._range: tuple[float, float] | None = None  # None: everything is in sight
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        console.theme.changed.connect(self.viewport().update)
        translated(self, self._word)

    def _word(self) -> None:
        self.setAccessibleName(tr(self._name))
        self.viewport().update()

    # -- what a subclass says ------------------------------------------------------------------

    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def title(self, at: int) -> str:
        """What is written at the left of a row."""
        raise NotImplementedError

    def whole(self) -> tuple[float, float]:
        """The time that there is to see, in seconds since 1970."""
        raise NotImplementedError

    def is_current(self, at: int) -> bool:
        """Whether a row is the selected one."""
        raise NotImplementedError

    def paint_row(self, painter: QPainter, at: int, y: float, names: float, scale: Scale) -> None:
        """What lies in a row whose upper edge is at ``y``."""
        raise NotImplementedError

    def step(self, by: int) -> None:
        """The row above or below, by the keyboard."""
        raise NotImplementedError

    def axis(self, scale: Scale) -> Iterator[tuple[float, str]]:
        """The marks of the axis and their texts."""
        fine = scale.end - scale.begin < 10
        for time in marks(scale):
            there = shown(time)
            yield time, f"{there:%H:%M:%S}" + (f".{there.microsecond // 1000:03}" if fine else "")

    def covered(self, names: float, scale: Scale) -> QRectF:
        """What of the axis something else is painted over: no text is written there."""
        return QRectF()

    def paint_under(self, painter: QPainter, names: float, scale: Scale) -> None:
        """What lies under all rows."""

    def paint_over(self, painter: QPainter, names: float, scale: Scale) -> None:
        """What lies over all rows."""

    # -- where things are ----------------------------------------------------------------------

    def rows_changed(self) -> None:
        """There are others now."""
        titles = (self.title(at) for at in range(min(self.count(), 200)))
        self._widest = max(map(self.fontMetrics().horizontalAdvance, titles), default=40)
        self._measure()
        self.viewport().update()

    def scale(self) -> Scale:
        """Time over the pixels right of the names."""
        begin, end = self._range or self.whole()
        return Scale(begin, end, max(1.0, self.viewport().width() - self.names()))

    def names(self) -> float:
        return float(min(self._widest + 16, self.viewport().width() * _NAMES))

    def row_at(self, y: float) -> int | None:
        at = int((y - HEAD + self.verticalScrollBar().value()) // ROW)
        return at if y >= HEAD and 0 <= at < self.count() else None

    def top_of(self, at: int) -> float:
        """The upper edge of a row, which may be out of sight."""
        return HEAD + at * ROW - self.verticalScrollBar().value()

    def show_row(self, at: int) -> None:
        """Bring a row into sight."""
        top, height = self.verticalScrollBar().value(), self._height()
        if not top <= at * ROW <= top + height - ROW:
            self.verticalScrollBar().setValue(at * ROW - height // 2)

    # -- painting ------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        colours = self._console.theme.colours
        painter.fillRect(self.viewport().rect(), QColor(colours.base))
        if not self.count():
            painter.setPen(QColor(colours.muted))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.viewport().rect().adjusted(24, 0, -24, 0), flags, tr(self.empty))
            return
        names, scale = self.names(), self.scale()
        self.paint_under(painter, names, scale)
        self._paint_axis(painter, names, scale)
        painter.setClipRect(QRectF(0, HEAD, self.viewport().width(), self._height()))
        first = self.verticalScrollBar().value() // ROW
        for at in range(max(0, first), min(self.count(), first + self._height() // ROW + 2)):
            self._paint_named(painter, at, names, scale)
        self.paint_over(painter, names, scale)

    def _paint_axis(self, painter: QPainter, names: float, scale: Scale) -> None:
        colours = self._console.theme.colours
        covered = self.covered(names, scale)
        for time, text in self.axis(scale):
            x = names + scale.x(time)
            painter.setPen(QPen(QColor(colours.grid), 1))
            painter.drawLine(QPointF(x, HEAD), QPointF(x, self.viewport().height()))
            room = QRectF(x + 3, 0, self.fontMetrics().horizontalAdvance(text) + 1, HEAD)
            if room.right() <= self.viewport().width() and not room.intersects(covered):
                painter.setPen(QColor(colours.muted))
                painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_named(self, painter: QPainter, at: int, names: float, scale: Scale) -> None:
        colours, y = self._console.theme.colours, self.top_of(at)
        if self.is_current(at):
            painter.fillRect(QRectF(0, y, self.viewport().width(), ROW), QColor(colours.selection))
        painter.setPen(QColor(colours.text))
        box = QRectF(6, y, names - 10, ROW)
        name = self.fontMetrics().elidedText(self.title(at), Qt.TextElideMode.ElideMiddle, int(box.width()))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, name)
        self.paint_row(painter, at, y, names, scale)

    def paint_boxes(self, painter: QPainter, boxes: Boxes, names: float, y: float) -> None:
        """What lies in a row, as colour and pattern and, where there is room, as shape."""
        painter.save()
        painter.translate(names, y)
        for status, own in boxes.items():
            self._paint_status(painter, status, own)
        painter.restore()

    def _paint_status(self, painter: QPainter, status: str, boxes: Sequence[QRectF]) -> None:
        look, theme = look_of(status), self._console.theme
        dashed = look.border is Border.DASHED
        if look.border is Border.THICK:
            boxes = [box.adjusted(0, -2, 0, 2) for box in boxes]
        hatched = Qt.BrushStyle.BDiagPattern if dashed else Qt.BrushStyle.SolidPattern
        outline = QColor(theme.colours.text) if look.pale else theme.status(status)
        painter.setBrush(QBrush(theme.status(status), hatched) if look.icon != _HOLLOW else QBrush())
        painter.setPen(QPen(outline, 1) if look.pale or dashed else QPen(Qt.PenStyle.NoPen))
        painter.drawRects(boxes)
        ink = theme.colours.text if dashed else on(look.colour(theme.dark))
        for box in boxes:
            if box.width() > _ROOMY:
                side = box.height() - 2
                self._console.icons.paint(
                    painter, look.icon, QRectF(box.left() + 2, box.top() + 1, side, side), ink
                )

    # -- mouse and keys ------------------------------------------------------------------------

    def fit(self) -> None:
        """See the whole time again."""
        self._range = None
        self.viewport().update()

    def zoom(self, factor: float, x: float | None = None) -> None:
        """Nearer or farther around a pixel (else the middle); never farther than everything."""
        scale = self.scale()
        found = scale.zoomed(scale.width / 2 if x is None else x, factor)
        begin, end = self.whole()
        wide = found.end - found.begin >= end - begin
        self._range = None if wide else (found.begin, max(found.end, found.begin + 0.001))
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & _CONTROL:
            self.zoom(1.0015 ** event.angleDelta().y(), event.position().x() - self.names())
            event.accept()
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.count():
            self.step(-1 if key == Qt.Key.Key_Up else 1)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus) and event.modifiers() & _CONTROL:
            self.zoom(1.5 if key == Qt.Key.Key_Plus else 1 / 1.5)
        elif key == Qt.Key.Key_0 and event.modifiers() & _CONTROL:
            self.fit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()

    def _height(self) -> int:
        return max(0, self.viewport().height() - HEAD)

    def _measure(self) -> None:
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, self.count() * ROW - self._height()))
        bar.setSingleStep(ROW)
        bar.setPageStep(self._height())


def boxes_of(strokes: Iterable[Stroke]) -> Boxes:
    """Where strokes are painted: what has one status is painted at once."""
    found: dict[str, list[QRectF]] = {}
    for left, right, status, _ in strokes:
        found.setdefault(status, []).append(QRectF(left, 4, right - left, ROW - 9))
    return found
