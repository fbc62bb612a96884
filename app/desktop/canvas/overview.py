"""The nodes from afar: patches of colour, painted in one go; single items would take too long."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem

from app.desktop.canvas.brushes import Brushes
from app.desktop.canvas.graph import HEIGHT, WIDTH
from app.desktop.canvas.node_item import NodeItem

FAR = 0.3  # below this zoom nodes are patches
_SHAPES = 0.12  # below this zoom a shape is smaller than six pixels
_MANY = 2000  # nodes
_RING = 10.0  # units of the scene: two or three pixels
_SIZE = QSizeF(WIDTH, HEIGHT)
_BARE = QGraphicsItem.GraphicsItemFlag.ItemHasNoContents


class CanvasOverview:
    """Knows the patches by colour until something changes."""

    def __init__(self, brushes: Brushes) -> None:
        self._brushes = brushes
        self._patches: dict[str, list[QRectF]] | None = None
        self._boxes: dict[str, QRectF] = {}  # where the nodes are
        self._rings: list[QRectF] = []  # around what is selected, which keeps the colour of its status
        self._far = False

    def forget(self) -> None:
        """A node has moved, come or gone."""
        self._boxes = {}
        self._patches = None

    def recolour(self) -> None:
        """A node looks different at the same position."""
        self._patches = None

    def turn(self, items: Mapping[str, NodeItem], far: bool) -> None:
        """Let items paint themselves, or not."""
        if far != self._far:
            self._far = far
            for item in items.values():
                item.setFlag(_BARE, far)

    def dress(self, item: NodeItem) -> None:
        """A new item: it paints itself as the others do."""
        if self._far:
            item.setFlag(_BARE, True)
        self.forget()

    def paint(self, painter: QPainter, items: Mapping[str, NodeItem]) -> None:
        if self._patches is None:
            self._patches = self._sorted(items)
        painter.setPen(Qt.PenStyle.NoPen)
        for colour, boxes in self._patches.items():
            painter.setBrush(QColor(colour))
            painter.drawRects(boxes)
        self._paint_shapes(painter, items)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._brushes.accent, _RING))
        painter.drawRects(self._rings)

    def _paint_shapes(self, painter: QPainter, items: Mapping[str, NodeItem]) -> None:
        """The shapes of the states, where they are large enough to be told apart and not too many."""
        if painter.worldTransform().m11() < _SHAPES or len(items) > _MANY:
            return
        for id, item in items.items():
            if item.status:
                glyph = self._brushes.glyph(item.status, item.node.type)
                where = QRectF(self._boxes[id].x(), self._boxes[id].y(), HEIGHT, HEIGHT)
                painter.drawPixmap(where, glyph, QRectF(glyph.rect()))

    def _sorted(self, items: Mapping[str, NodeItem]) -> dict[str, list[QRectF]]:
        brushes = self._brushes
        found: dict[str, list[QRectF]] = {}
        names: dict[str | None, str] = {}
        if len(self._boxes) != len(items):
            self._boxes = {id: QRectF(item.pos(), _SIZE) for id, item in items.items()}
        for id, item in items.items():
            status = item.status
            if status not in names:
                names[status] = brushes.colour(status).name()
            name = names[status]
            if item.node.mark:
                name = brushes.mark(item.node.mark).name()
            if item.found:
                name = brushes.warning.name()
            found.setdefault(name, []).append(self._boxes[id])
        chosen = (self._boxes[id] for id, item in items.items() if item.isSelected())
        self._rings = [box.adjusted(-_RING, -_RING, _RING, _RING) for box in chosen]
        return found
