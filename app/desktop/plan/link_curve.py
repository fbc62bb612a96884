"""An arrow from one box of a timeline to another."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

_BEND = 30.0  # pixels at least that it leaves a box before it turns
_HEAD, _HALF = 7.0, 4.0  # of the arrow


def paint_link(painter: QPainter, source: QRectF, target: QRectF, colour: QColor) -> None:
    """From the right edge of a box to the left edge of another, with the head there."""
    begin = QPointF(source.right(), source.center().y())
    end = QPointF(target.left() - 1, target.center().y())
    bend = max(_BEND, abs(end.x() - begin.x()) / 2)
    neck = end - QPointF(_HEAD, 0)
    path = QPainterPath(begin)
    path.cubicTo(begin + QPointF(bend, 0), neck - QPointF(bend, 0), neck)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, 2))
    painter.drawPath(path)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(QPolygonF([end, neck - QPointF(0, _HALF), neck + QPointF(0, _HALF)]))
