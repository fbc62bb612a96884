"""The whole picture in a corner of the view, with a frame where one is; a click goes there."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QGraphicsItem, QGraphicsView, QWidget

from app.desktop.canvas.brushes import Brushes
from app.desktop.canvas.graph import HEIGHT, WIDTH
from app.desktop.canvas.node_item import NodeItem
from app.desktop.kernel.language import tr, translated

_SIZE = QSize(176, 112)
_PAUSE = 500  # ms between two drawings: a run changes colours all the time
_EDGE = 6.0
_AWAY = 8  # pixels from the edge of the view
_LOOKED_AT = 50  # selected nodes at most that are kept in sight


class MiniMap(QWidget):
    """A small map of ``view``; drawn into a picture at most twice a second."""

    def __init__(
        self,
        view: QGraphicsView,
        brushes: Brushes,
        items: Mapping[str, NodeItem],
        world: Callable[[], QRectF],
    ) -> None:
        super().__init__(view)
        self._view, self._brushes, self._items = view, brushes, items
        self._world_now = world  # the rectangle around everything that the view shows
        self._picture: QPixmap | None = None
        self._world = QRectF()
        self.wanted = True
        self._held = False  # by the mouse, under which it does not go away
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE)
        self._timer.timeout.connect(self.redraw)
        self.setFixedSize(_SIZE)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        translated(self, lambda: self.setAccessibleName(tr("Map of the whole graph")))

    def place(self) -> None:
        """Show it where a part of the picture is out of sight, and little of the rest is hidden by it."""
        port, view = self._view.viewport(), self._view
        seen = view.mapToScene(port.rect()).boundingRect()
        room = port.width() > 2 * _SIZE.width() and port.height() > 2 * _SIZE.height()
        needed = bool(self._items) and not seen.contains(self._world_now())
        self.setVisible(self.wanted and room and needed)
        if not self._held:
            self._take_corner()
        self.update()

    def _take_corner(self) -> None:
        """The lower right one, else the first in which it hides nothing that is selected."""
        room = self._view.viewport().geometry().adjusted(_AWAY, _AWAY, -_AWAY, -_AWAY)
        right, bottom = room.right() - self.width(), room.bottom() - self.height()
        corners = [QPoint(x, y) for y in (bottom, room.top()) for x in (right, room.left())]
        hidden = [self._on_view(each) for each in self._view.scene().selectedItems()[:_LOOKED_AT]]
        free = (at for at in corners if not any(box.intersects(QRect(at, _SIZE)) for box in hidden))
        self.move(next(free, corners[0]))

    def _on_view(self, item: QGraphicsItem) -> QRect:
        box = self._view.mapFromScene(item.sceneBoundingRect()).boundingRect()
        return box.translated(self._view.viewport().pos())

    def changed(self) -> None:
        """Something looks different; shown soon."""
        if not self._timer.isActive():
            self._timer.start()

    def redraw(self) -> None:
        """Everything looks different: draw it again at once."""
        self._picture = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._picture is None or self._world != self._world_now():
            self._draw()
        painter = QPainter(self)
        if self._picture:
            painter.drawPixmap(0, 0, self._picture)
        painter.setPen(QPen(self._brushes.accent, 2))
        seen = self._view.mapToScene(self._view.viewport().rect()).boundingRect()
        painter.drawRect(self._here(seen).intersected(QRectF(self.rect()).adjusted(1, 1, -1, -1)))
        painter.end()

    def _draw(self) -> None:
        self._world = self._world_now()
        brushes = self._brushes
        self._picture = QPixmap(self.size())
        self._picture.fill(brushes.canvas)
        painter = QPainter(self._picture)
        for item in self._items.values():
            at = item.pos()
            box = self._here(QRectF(at.x(), at.y(), WIDTH, HEIGHT))
            painter.fillRect(box.adjusted(0, 0, 1, 1), brushes.colour(item.status))
        painter.setPen(QPen(brushes.border, 1))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _scale(self) -> float:
        across = (self.width() - 2 * _EDGE) / max(1.0, self._world.width())
        return min(across, (self.height() - 2 * _EDGE) / max(1.0, self._world.height()))

    def _here(self, box: QRectF) -> QRectF:
        """A rectangle of the scene on the map."""
        scale, world = self._scale(), self._world
        x = (self.width() - world.width() * scale) / 2 + (box.x() - world.x()) * scale
        y = (self.height() - world.height() * scale) / 2 + (box.y() - world.y()) * scale
        return QRectF(x, y, box.width() * scale, box.height() * scale)

    def _there(self, point: QPointF) -> QPointF:
        """A point of the map on the scene."""
        corner, scale = self._here(self._world).topLeft(), self._scale()
        return self._world.topLeft() + (point - corner) / scale

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._held = True
        self._view.centerOn(self._there(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._view.centerOn(self._there(event.position()))
