"""The strip beside the scroll bar: where in the whole log the matches are."""

from __future__ import annotations

from array import array
from bisect import bisect_left

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.desktop.kernel.theme import Theme


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
