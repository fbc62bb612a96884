"""What the mouse does between press and release, as one object; Esc breaks it off."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QRubberBand

from app.desktop.canvas.selectable import SelectablePicture


class Gesture:
    """One gesture on a view; scene positions come through ``view.mapToScene``."""

    def __init__(self, view: SelectablePicture) -> None:
        self.view = view

    def move(self, event: QMouseEvent) -> None:
        """The mouse has moved with the button down."""

    def release(self, event: QMouseEvent) -> None:
        """The button is up: do it."""

    def cancel(self) -> None:
        """Leave everything as it was."""

    def scene(self, event: QMouseEvent) -> QPointF:
        return self.view.mapToScene(event.position().toPoint())


class Pan(Gesture):
    """Drag the whole picture."""

    def __init__(self, view: SelectablePicture, event: QMouseEvent) -> None:
        super().__init__(view)
        self._last = event.position().toPoint()
        view.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)

    def move(self, event: QMouseEvent) -> None:
        here = event.position().toPoint()
        across, down = self.view.horizontalScrollBar(), self.view.verticalScrollBar()
        across.setValue(across.value() - (here.x() - self._last.x()))
        down.setValue(down.value() - (here.y() - self._last.y()))
        self._last = here

    def release(self, event: QMouseEvent) -> None:
        self.cancel()

    def cancel(self) -> None:
        self.view.viewport().unsetCursor()


class Band(Gesture):
    """Draw a rectangle and select what it touches; with Ctrl or Shift added to what was selected."""

    def __init__(self, view: SelectablePicture, event: QMouseEvent) -> None:
        super().__init__(view)
        self._start = event.position().toPoint()
        more = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        self._before = view.selected() if more else frozenset()
        self._band = QRubberBand(QRubberBand.Shape.Rectangle, view.viewport())

    def move(self, event: QMouseEvent) -> None:
        box = QRect(self._start, event.position().toPoint()).normalized()
        self._band.setGeometry(QRect(box.topLeft(), box.size().expandedTo(QSize(1, 1))))
        self._band.show()
        area = QRectF(self.view.mapToScene(box).boundingRect())
        self.view.select(self._before | self.view.inside(area))

    def release(self, event: QMouseEvent) -> None:
        if self._band.isHidden():
            self.view.select(self._before)
            if not self._before:
                self.view.shared.here = None  # a click on the ground: no node is the one for the keyboard
        self._end()

    def cancel(self) -> None:
        self.view.select(self._before)
        self._end()

    def _end(self) -> None:
        self._band.hide()
        self._band.deleteLater()
