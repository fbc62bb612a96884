"""The lines of a log that a search found: marked, listed, counted, and walked through."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.desktop.kernel.theme import Theme
from app.desktop.log.bar import LogBar
from app.desktop.log.model import LogModel
from app.desktop.log.view import LogView


def rows_with_marks(starts: array[int], extent: int, height: int) -> list[int]:
    """The pixel rows, of ``height``, in which at least one of the ascending offsets lies."""
    if not starts or extent <= 0:
        return []
    found, at = [], 0
    for y in range(height):
        at = bisect_left(starts, y * extent // height, at)
        if at == len(starts):
            break
        if starts[at] < (y + 1) * extent // height or y == height - 1:
            found.append(y)
    return found


class MarkStrip(QWidget):
    """Marks by offset; a click tells the offset that it points at."""

    chosen = Signal(object)  # an offset; larger than a signal's int

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._starts: array[int] = array("Q")
        self._extent = 0
        self.setFixedWidth(10)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(10, 60)

    def show_marks(self, starts: array[int], extent: int) -> None:
        """Other marks; ``starts`` may grow later, call again then."""
        self._starts, self._extent = starts, extent
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.colours.window))
        colour = QColor(self._theme.colours.warning)
        for y in rows_with_marks(self._starts, self._extent, self.height()):
            painter.fillRect(1, y, 8, 2, colour)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.height() and self._extent:
            self.chosen.emit(int(event.position().y() * self._extent / self.height()))


class Matches:
    """Keeps both views, the strip beside them and the bar above with what ``model`` has found."""

    def __init__(self, model: LogModel, bar: LogBar, full: LogView, found: LogView, marks: MarkStrip) -> None:
        self._model, self._bar, self._full, self._found, self._marks = model, bar, full, found, marks
        bar.previous.clicked.connect(self.go_previous)
        bar.next.clicked.connect(self.go_next)
        bar.only.toggled.connect(self._filter)
        found.moved.connect(self._show_current)
        marks.chosen.connect(self.go_offset)

    def go_next(self) -> None:
        """The next line that was found, from the top again after the last."""
        self._go_match(bisect_right(self._model.starts, self._full.caret))

    def go_previous(self) -> None:
        """The line found before, from the end again before the first."""
        self._go_match(bisect_left(self._model.starts, self._full.caret) - 1)

    def _go_match(self, i: int) -> None:
        if starts := self._model.starts:
            i %= len(starts)
            self.go_offset(starts[i])
            self._found.go(i)
            self.show()

    def go_offset(self, offset: int) -> None:
        """Show the row at an offset, and follow the end no longer."""
        self._bar.follow.setChecked(False)
        self._full.show_at(offset)

    def _show_current(self) -> None:
        starts = self._model.starts
        if 0 <= self._found.caret < len(starts):
            self.go_offset(starts[self._found.caret])
            self.show()

    def show(self) -> None:
        model = self._model
        self._found.show_rows(model.found_rows()) if not model.searched else self._found.renew()
        self._full.mark(model.query)
        self._found.mark(model.query)
        self._marks.show_marks(model.starts, model.text.size)
        self._bar.stop.setEnabled(model.searching)
        self._bar.count.setText(self._count_text())

    def _count_text(self) -> str:
        model = self._model
        if not model.query:
            return ""
        i = bisect_left(model.starts, self._full.caret)
        here = i < len(model.starts) and model.starts[i] == self._full.caret
        text = f"{i + 1 if here else '–'} / {len(model.starts):,}"
        if model.searching:
            text += f"  {model.searched * 100 // max(1, model.text.size)} %"
        return text

    def _filter(self, on: bool) -> None:
        self._found.setVisible(on)
        if on:
            self._found.show_rows(self._model.found_rows())
