"""What is seen only while the mouse is down: where a node snaps to, and the link that is being drawn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.desktop.canvas.brushes import Brushes
from app.desktop.canvas.graph import GRID, HEIGHT, WIDTH, Point
from app.desktop.canvas.picture import Picture

_WIDEST = 460  # of a reason, in pixels


@dataclass(frozen=True, slots=True)
class Snap:
    """How far to move, and the lines to show: x of vertical and y of horizontal ones."""

    delta: Point
    columns: tuple[float, ...] = ()
    rows: tuple[float, ...] = ()


def snap(start: Point, delta: Point, others: Iterable[Point], reach: float) -> Snap:
    """``start`` is the corner of what is dragged; ``reach`` how near a guide must be to catch it."""
    x, y = start[0] + delta[0], start[1] + delta[1]
    places = list(others)
    column = min((each[0] for each in places), key=lambda at: abs(at - x), default=None)
    row = min((each[1] for each in places), key=lambda at: abs(at - y), default=None)
    columns = (column,) if column is not None and abs(column - x) <= reach else ()
    rows = (row,) if row is not None and abs(row - y) <= reach else ()
    to_x = columns[0] if columns else round(x / GRID) * GRID
    to_y = rows[0] if rows else round(y / GRID) * GRID
    return Snap((to_x - start[0], to_y - start[1]), columns, rows)


@dataclass(frozen=True, slots=True)
class Wire:
    """A link from a port to the mouse; ``refused`` is why it cannot be, or empty."""

    start: Point
    end: Point
    refused: str = ""


class Sketch:
    """Paints over the picture."""

    def __init__(self, brushes: Brushes) -> None:
        self._brushes = brushes
        self.guides: Snap | None = None
        self.wire: Wire | None = None

    def paint(self, painter: QPainter, area: QRectF, view: Picture) -> None:
        if self.guides:
            self._paint_guides(painter, area, self.guides)
        if self.wire:
            self._paint_wire(painter, self.wire, view)

    def _paint_guides(self, painter: QPainter, area: QRectF, guides: Snap) -> None:
        painter.setPen(QPen(self._brushes.accent, 0, Qt.PenStyle.DashLine))
        for x in guides.columns:
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        for y in guides.rows:
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))

    def _paint_wire(self, painter: QPainter, wire: Wire, view: Picture) -> None:
        colour = self._brushes.danger if wire.refused else self._brushes.accent
        painter.setPen(QPen(colour, 2.5))
        painter.drawLine(QPointF(*wire.start), QPointF(*wire.end))
        painter.setBrush(colour)
        painter.drawEllipse(QPointF(*wire.end), 4, 4)
        if wire.refused:
            self._paint_reason(painter, wire, view)

    def _paint_reason(self, painter: QPainter, wire: Wire, view: Picture) -> None:
        """The reason beside the mouse, inside the view."""
        painter.save()
        place, port = view.mapFromScene(QPointF(*wire.end)), view.viewport()
        painter.resetTransform()
        room = QRectF(0, 0, min(_WIDEST, port.width() - 24), 400)
        flags = int(Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap)
        painter.setFont(self._brushes.small)
        size = painter.boundingRect(room, flags, wire.refused).size()
        left = min(max(12.0, place.x() + 12.0), port.width() - size.width() - 24)
        top = min(place.y() + 14.0, port.height() - size.height() - 16)
        box = QRectF(left, top, size.width(), size.height())
        painter.setPen(QPen(self._brushes.danger, 1))
        painter.setBrush(self._brushes.raised)
        painter.drawRoundedRect(box.adjusted(-8, -5, 8, 5), 4, 4)
        painter.setPen(self._brushes.danger)
        painter.drawText(box, flags, wire.refused)
        painter.restore()


def port(place: Point) -> Point:
    """Where links leave a node."""
    return place[0] + WIDTH, place[1] + HEIGHT / 2
