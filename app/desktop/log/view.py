"""A log as lines on the screen: only the rows in sight are read, decoded and drawn."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from app.desktop.kernel.theme import Theme
from app.desktop.log.ansi import Shown, shown
from app.desktop.log.row_painter import RowPainter
from app.desktop.log.rows import Caret, PlacedRow, SparseRows
from app.desktop.log.search import Query

_WHEEL_ROWS = 3
_PIXELS_OF_BAR = 1 << 30  # a scroll bar counts in 32 bits


class LogView(QAbstractScrollArea):
    """Rows by position, with a selection and marked matches.

    ``moved`` tells when the operator moved the caret or scrolled by himself, ``opened`` when he
    pressed Enter on a row or double-clicked it.
    """

    moved = Signal()
    opened = Signal(object)  # Row

    def __init__(self, theme: Theme, rows: SparseRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows = rows
        self._top = 0
        self._anchor = self._caret = Caret(0, 0)
        self._query = Query()
        self._beyond: int | None = None  # rows from here on are pale
        self._widest = 0.0
        self._page: list[PlacedRow] = []
        self._setting = False
        self._stuck = False  # to the end, also when the view becomes smaller
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.horizontalScrollBar().valueChanged.connect(lambda _: self.viewport().update())
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_rows(self, rows: SparseRows) -> None:
        self._rows, self._top = rows, 0
        self._anchor = self._caret = Caret(0, 0)
        self.renew()

    def renew(self) -> None:
        """The rows have changed: measure again and draw; the place stays."""
        self._top = min(self._top, self._last_top())
        self._measure()
        self.viewport().update()

    def mark(self, query: Query) -> None:
        """Mark the matches of a query in the rows in sight."""
        self._query = query
        self.viewport().update()

    @property
    def at_end(self) -> bool:
        return self._top >= self._last_top()

    @property
    def caret(self) -> int:
        return self._caret.at

    def go(self, at: int, *, select: bool = False) -> None:
        """Make the row at a position the current one and show it."""
        self._caret = Caret(self._rows.snap(at), 0)
        if not select:
            self._anchor = self._caret
        self._reveal()
        self.viewport().update()

    def show_at(self, at: int) -> None:
        """Go there, with a third of the view above it unless it is in sight already."""
        self._caret = self._anchor = Caret(self._rows.snap(at), 0)
        rows = self._rows.page(self._top, self._height_in_rows())
        if not rows or not self._top <= self._caret.at <= rows[-1].at:
            self._set_top(self._rows.step(self._caret.at, -(self._height_in_rows() // 3)))
        self.viewport().update()

    def show_beyond(self, at: int | None) -> None:
        """Pale from a position on: what was not there yet at the moment that is shown; None: nothing is."""
        if at != self._beyond:
            self._beyond = at
            self.viewport().update()

    def go_end(self) -> None:
        """Show the last rows; the last one is the current one."""
        if self._anchor == self._caret:
            self._anchor = self._caret = Caret(self._rows.snap(self._rows.extent()), 0)
        self._set_top(self._last_top())

    def selected(self) -> tuple[Caret, Caret]:
        """The selection's ends, in order; equal without one."""
        return min(self._anchor, self._caret), max(self._anchor, self._caret)

    def select_all(self) -> None:
        self._anchor = Caret(0, 0)
        last = self._rows.snap(self._rows.extent())
        self._caret = Caret(last, len(self._text(last).text))
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        self._page = self._rows.page(self._top, self._height_in_rows() + 1)
        painter.fillRect(event.rect(), QColor(self._theme.colours.base))
        rows = self._painter()
        for i, placed in enumerate(self._page):
            width = rows.paint(painter, placed, i * self._line, self._rows.number(placed.row))
            self._widest = max(self._widest, width)
        self._fit_width()

    def _painter(self) -> RowPainter:
        return RowPainter(
            self._theme.colours, self.font(), self._query, self.selected(), self._caret.at, self._beyond,
            self._line, self._margin(), self.horizontalScrollBar().value(), self.viewport().width(),
        )  # fmt: skip

    def _restyle(self) -> None:
        font = self._theme.mono()
        self.setFont(font)
        metrics = QFontMetricsF(font)
        self._line = float(round(metrics.height() * 1.15))
        self._digit = metrics.horizontalAdvance("0")
        self._widest = 0.0
        self.renew()

    def _margin(self) -> float:
        known = [self._rows.number(placed.row) for placed in self._page[-1:]]
        digits = len(str(known[0])) if known and known[0] is not None else 3
        return self._digit * max(3, digits) + 14

    def _height_in_rows(self) -> int:
        return max(1, int(self.viewport().height() // self._line))

    def _last_top(self) -> int:
        extent = self._rows.extent()
        return self._rows.step(extent, -self._height_in_rows()) if extent else 0

    def _measure(self) -> None:
        last = self._last_top()
        self._unit = max(1, -(-last // _PIXELS_OF_BAR))
        rows = self._rows.page(self._top, self._height_in_rows())
        seen = rows[-1].at - self._top + 1 if rows else 1
        bar = self.verticalScrollBar()
        self._setting = True
        bar.setRange(0, -(-last // self._unit))
        bar.setPageStep(max(1, seen // self._unit))
        bar.setSingleStep(max(1, seen // max(1, len(rows)) // self._unit))
        bar.setValue(self._top // self._unit)
        self._setting = False

    def _fit_width(self) -> None:
        wide = int(self._widest + self._margin() + 8 - self.viewport().width())
        bar = self.horizontalScrollBar()
        if bar.maximum() < wide or (wide <= 0 < bar.maximum()):
            bar.setRange(0, max(0, wide))
            bar.setPageStep(self.viewport().width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._stuck:
            self.go_end()
        else:
            self.renew()

    def _set_top(self, at: int) -> None:
        self._top = max(0, min(at, self._last_top()))
        self._stuck = self.at_end
        self._measure()
        self.viewport().update()

    def _scrolled(self, value: int) -> None:
        if self._setting:
            return
        bar = self.verticalScrollBar()
        wanted = self._last_top() if value >= bar.maximum() else value * self._unit
        self._top = self._rows.snap(wanted) if wanted else 0
        self._stuck = self.at_end
        self.viewport().update()
        self.moved.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        rows = -event.angleDelta().y() * _WHEEL_ROWS // 120
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not rows:
            super().wheelEvent(event)
            return
        self._set_top(self._rows.step(self._top, rows))
        self.moved.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, page = event.key(), self._height_in_rows() - 1
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        steps = {
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
        }
        select = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key in steps:
            self.go(self._rows.step(self._caret.at, steps[Qt.Key(key)]), select=select)
        elif key == Qt.Key.Key_Home:
            self._home(control, select)
        elif key == Qt.Key.Key_End:
            self._end(control, select)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open_current()
        else:
            super().keyPressEvent(event)
            return
        self.moved.emit()

    def _home(self, whole: bool, select: bool) -> None:
        self.horizontalScrollBar().setValue(0)
        if whole:
            self.go(0, select=select)

    def _end(self, whole: bool, select: bool) -> None:
        if whole:
            self.go(self._rows.extent(), select=select)
        else:
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().maximum())

    def _reveal(self) -> None:
        bottom = self._rows.page(self._top, self._height_in_rows())
        if self._caret.at < self._top:
            self._set_top(self._caret.at)
        elif bottom and self._caret.at > bottom[-1].at:
            self._set_top(self._rows.step(self._caret.at, 1 - self._height_in_rows()))

    def _open_current(self) -> None:
        for placed in self._rows.page(self._caret.at, 1):
            self.opened.emit(placed.row)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        self._caret = self._hit(event.position().toPoint())
        if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._anchor = self._caret
        self.viewport().update()
        self.moved.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._drag(event.position().toPoint())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._open_current()

    def _drag(self, point: QPoint) -> None:
        if point.y() < 0:
            self._set_top(self._rows.step(self._top, -1))
        elif point.y() > self.viewport().height():
            self._set_top(self._rows.step(self._top, 1))
            self._page = self._rows.page(self._top, self._height_in_rows() + 1)
        self._caret = self._hit(point)
        self.viewport().update()

    def _hit(self, point: QPoint) -> Caret:
        if not self._page:
            return Caret(0, 0)
        i = min(max(0, int(point.y() // self._line)), len(self._page) - 1)
        placed = self._page[i]
        return Caret(placed.at, self._painter().column_at(placed, point.x()))

    def _text(self, at: int) -> Shown:
        page = self._rows.page(at, 1)
        return shown(page[0].row.text) if page else Shown("")
