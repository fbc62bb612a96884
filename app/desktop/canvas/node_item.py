"""One node on the scene: one item, painted in as much detail as can be seen."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from app.desktop.canvas.brushes import Brushes
from app.desktop.canvas.graph import HEIGHT, WIDTH, GraphNode
from app.desktop.kernel.language import tr
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.visible_text import visible

_BODY = QRectF(0, 0, WIDTH, HEIGHT)
_BOUNDS = _BODY.adjusted(-7, -7, 7, 7)
_STRIP = QRectF(0, 0, 30, HEIGHT)
_PALE = 0.45  # the opacity of what is switched off, and beside what is searched
_FAR_GLYPH = QRectF(0, HEIGHT / 2 - 15, 30, 30)
_ROUND = 6.0
_FAR, _PLAIN = 0.31, 0.62  # below these zooms: no text; the title alone
PORT = 5.0
_LEFT = 38.0


class SceneView:
    """What all nodes of a scene share: the zoom that is painted now, and whether links can be drawn."""

    def __init__(self) -> None:
        self.zoom = 1.0
        self.ports = False
        self.here: str | None = None  # the node that the keyboard is on
        self.type_names: Mapping[str, str] = {}  # what job types are called; of others their id is shown


class NodeItem(QGraphicsItem):
    """A node; ``node`` is what was to be shown, ``status`` its status since."""

    def __init__(self, node: GraphNode, brushes: Brushes, view: SceneView) -> None:
        super().__init__()
        self._brushes, self._view = brushes, view
        self.found = False
        self.dim = False
        self._fitted = False
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self.show_node(node)

    def show_node(self, node: GraphNode) -> None:
        """Show something else at the same place."""
        self.node = node
        self.status = node.status
        self.setToolTip("")
        self.refit()

    def set_status(self, status: str | None) -> None:
        if status != self.status:
            self.status = status
            self.refit()

    def refit(self) -> None:
        """Fit the texts again after the theme, its scale, the language or the node changed."""
        self._fitted = False
        self.update()

    def _fit(self) -> None:
        """Cut the texts once, not at each painting; and only once they are visible."""
        self._fitted = True
        node, brushes = self.node, self._brushes
        badge = "  ".join(node.badges)
        self._badge_width = brushes.small_metrics.horizontalAdvance(badge) + 12 if badge else 0.0
        self._badge = badge
        room = WIDTH - _LEFT - 8
        elide = Qt.TextElideMode.ElideRight
        title = visible(node.title)
        self._title = brushes.title_metrics.elidedText(title, elide, room)
        self._far = brushes.far_metrics.elidedText(title, elide, room)
        below, room = visible(self._second_line()), room - self._badge_width
        if node.brief and brushes.small_metrics.horizontalAdvance(below) > room:
            below = visible(node.brief)
        self._below = brushes.small_metrics.elidedText(below, elide, room)
        self._glyph = brushes.glyph(self.status, node.type)

    def _second_line(self) -> str:
        node = self.node
        word = tr(look_of(self.status).word) if self.status else ""
        named = node.subtitle != node.type
        said = node.subtitle if named else self._view.type_names.get(node.type, node.type)
        return " · ".join(part for part in (word, said) if part)

    def boundingRect(self) -> QRectF:
        return _BOUNDS

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        zoom, brushes, node = self._view.zoom, self._brushes, self.node
        if not self._fitted:
            self._fit()
        shown = _PALE if self.dim else 1.0
        painter.setOpacity(_PALE if node.faint else shown)
        painter.setPen(brushes.outline(self.status))
        painter.setBrush(brushes.raised)
        painter.drawRoundedRect(_BODY, _ROUND, _ROUND)
        painter.setOpacity(_PALE if node.faint and not self.status else shown)  # a state is to be seen
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(brushes.colour(self.status))
        painter.drawRoundedRect(_STRIP, _ROUND, _ROUND)
        if zoom >= _PLAIN:
            painter.drawPixmap(QPointF(5, HEIGHT / 2 - 10), self._glyph)
        else:  # as large as the strip: a shape of a dozen pixels, also at a third of the size
            painter.drawPixmap(_FAR_GLYPH, self._glyph, QRectF(self._glyph.rect()))
        painter.setOpacity(shown)
        if zoom >= _PLAIN:
            self._paint_texts(painter)
        elif zoom >= _FAR:
            painter.setFont(brushes.far)
            painter.setPen(brushes.muted if node.faint else brushes.text)
            painter.drawText(QPointF(_LEFT, HEIGHT / 2 + 8), self._far)
        self._paint_rings(painter)

    def _paint_texts(self, painter: QPainter) -> None:
        brushes = self._brushes
        painter.setFont(brushes.title)
        painter.setPen(brushes.muted if self.node.faint else brushes.text)
        painter.drawText(QPointF(_LEFT, 23), self._title)
        painter.setFont(brushes.small)
        painter.setPen(brushes.muted)
        painter.drawText(QPointF(_LEFT, 43), self._below)
        if self._badge:
            box = QRectF(WIDTH - self._badge_width - 5, 31, self._badge_width, 18)
            painter.setPen(QPen(brushes.border, 1))
            painter.setBrush(brushes.canvas)
            painter.drawRoundedRect(box, 4, 4)
            painter.setPen(brushes.text)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._badge)

    def _paint_rings(self, painter: QPainter) -> None:
        brushes, node = self._brushes, self.node
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if node.mark:
            painter.setPen(QPen(brushes.mark(node.mark), 2.5, Qt.PenStyle.DotLine))
            painter.drawRoundedRect(_BODY.adjusted(-3, -3, 3, 3), _ROUND + 2, _ROUND + 2)
        if self.found:
            painter.setPen(brushes.found)
            painter.drawRoundedRect(_BODY.adjusted(-2, -2, 2, 2), _ROUND, _ROUND)
        if self.isSelected() or self._view.here == node.id:
            painter.setPen(brushes.focus)
            painter.drawRoundedRect(_BODY.adjusted(-4, -4, 4, 4), _ROUND + 2, _ROUND + 2)
        if self._view.ports:
            painter.setPen(QPen(brushes.link, 1.5))
            painter.setBrush(brushes.canvas)
            painter.drawEllipse(QPointF(WIDTH, HEIGHT / 2), PORT, PORT)
            painter.drawEllipse(QPointF(0, HEIGHT / 2), PORT - 1, PORT - 1)
