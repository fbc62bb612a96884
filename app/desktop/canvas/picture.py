"""A graph on a scene: nodes with statuses, links, frames; how it is zoomed, and how it is painted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent, QTransform
from PySide6.QtWidgets import QGraphicsScene, QGraphicsView, QWidget

from app.desktop.canvas.brushes import Brushes
from app.desktop.canvas.frames import FrameLayer
from app.desktop.canvas.graph import GRID, HEIGHT, WIDTH, CanvasGraph, Point
from app.desktop.canvas.keyboard_walk import in_order
from app.desktop.canvas.layout import Layout, arrange
from app.desktop.canvas.links import LinkLayer
from app.desktop.canvas.minimap import MiniMap
from app.desktop.canvas.node_item import NodeItem, SceneView
from app.desktop.canvas.overview import FAR, CanvasOverview
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr

_FEWEST, _MOST = 0.02, 3.0
_ROOM = 60.0  # around the picture when it is fitted, less where a fifth of the view is less
_BATCH = 33  # ms in which changes of statuses are gathered


class Picture(QGraphicsView):
    """What a Graph looks like; ``GraphView`` adds the mouse and the keyboard."""

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.brushes = Brushes(console.theme, console.icons)
        self.graph = CanvasGraph()
        self.items_by_id: dict[str, NodeItem] = {}
        self.links = LinkLayer(self.brushes)
        self.frames = FrameLayer(self.brushes)
        self.shared = SceneView()
        self._pending: dict[str, str | None] = {}
        self._order: list[str] | None = None
        self._world: QRectF | None = None
        self._overview = CanvasOverview(self.brushes)
        self.keeps_fit = False  # fit again what was fitted when the size changes; not under editing hands
        self._fitted = False  # not zoomed or scrolled since
        self._fitting = False
        self._quiet = False  # items are being changed: their selection is emitted afterwards
        self._batch = QTimer(self, singleShot=True, interval=_BATCH)
        self._batch.timeout.connect(self._flush)
        self._look()
        self.map = MiniMap(self, self.brushes, self.items_by_id, self.world)
        self.setScene(QGraphicsScene(self))
        self.scene().selectionChanged.connect(self.map.place)
        console.theme.changed.connect(self._redress)

    def _look(self) -> None:
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.SmartViewportUpdate)
        self.setOptimizationFlag(QGraphicsView.OptimizationFlag.DontAdjustForAntialiasing)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setDragMode(QGraphicsView.DragMode.NoDrag)

    def show_graph(
        self, graph: CanvasGraph, layout: Layout | None = None, *, fit: bool | None = None
    ) -> None:
        """Show a graph; nodes without a position are laid out around those that have one.

        Nodes that were there before keep their item, and their place if they are not given another.
        ``fit`` brings all of it into sight; None: where no node was shown before.
        """
        fresh = not self.graph.nodes if fit is None else fit
        placed = layout or self._placed(graph)
        self.graph, self._order = graph, None
        self._pending.clear()
        self._quiet = True
        self._sort_items(graph, placed.positions)
        self._quiet = False
        self.frames.show(graph.frames, graph.notes)
        self._world = None
        self._overview.forget()
        self.links.show(graph.links, self.positions(), placed.bends)
        self._grow()
        if fresh and graph.nodes:
            self.fit()
        self.viewport().update()
        self.map.changed()
        self.map.place()
        self._describe()

    def _placed(self, graph: CanvasGraph) -> Layout:
        """Given positions, else those they have now, else the layout's."""
        known = {**self.positions(), **graph.positions()}
        if not known or not any(node.id in known for node in graph.nodes):
            return arrange(graph)
        if all(node.id in known for node in graph.nodes):
            return Layout({node.id: known[node.id] for node in graph.nodes})
        return arrange(graph, known)

    def _sort_items(self, graph: CanvasGraph, positions: Mapping[str, Point]) -> None:
        wanted = {node.id: node for node in graph.nodes}
        for id in [id for id in self.items_by_id if id not in wanted]:
            self.scene().removeItem(self.items_by_id.pop(id))
        for id, node in wanted.items():
            item = self.items_by_id.get(id)
            if item is None:
                item = self.items_by_id[id] = NodeItem(node, self.brushes, self.shared)
                self._overview.dress(item)
                self.scene().addItem(item)
            elif item.node != node or item.status != node.status:
                item.show_node(node)
            place = positions[id]
            if (item.x(), item.y()) != place:
                item.setPos(*place)
        if self.shared.here not in wanted:
            self.shared.here = None

    def set_statuses(self, statuses: Mapping[str, str | None]) -> None:
        """Other statuses of some nodes; shown within a thirtieth of a second, however many come."""
        self._pending.update(statuses)
        if not self._batch.isActive():
            self._batch.start()

    def _flush(self) -> None:
        for id, status in self._pending.items():
            item = self.items_by_id.get(id)
            if item is not None:
                item.set_status(status)
        self._pending.clear()
        self._overview.recolour()
        if self.zoom < FAR:
            self.viewport().update()
        self.map.changed()

    def statuses(self) -> dict[str, str | None]:
        """The status of every node, those included that are not painted yet."""
        return {id: self._pending.get(id, item.status) for id, item in self.items_by_id.items()}

    def positions(self) -> dict[str, Point]:
        return {id: (item.x(), item.y()) for id, item in self.items_by_id.items()}

    def move_nodes(self, places: Mapping[str, Point]) -> None:
        """Show nodes elsewhere, for now: the graph itself is not changed."""
        for id, place in places.items():
            self.items_by_id[id].setPos(*place)
        self._world = None
        self._overview.forget()
        dirty = self.links.move(places, self.positions())
        self.scene().update(dirty)
        if self.frames:
            self.viewport().update()
        self.map.changed()

    def order(self) -> list[str]:
        """The nodes as the task runs them."""
        if self._order is None:
            self._order = in_order(self.graph, self.positions())
        return self._order

    def _describe(self) -> None:
        """What a screen reader says."""

    @property
    def zoom(self) -> float:
        """1 is life size."""
        return self.transform().m11()

    def set_zoom(self, zoom: float) -> None:
        self._fitted = self._fitted and self._fitting
        scale = min(_MOST, max(_FEWEST, zoom))
        self.setTransform(QTransform.fromScale(scale, scale))
        self.map.place()

    def zoom_by(self, factor: float) -> None:
        self.set_zoom(self.zoom * factor)

    def world(self) -> QRectF:
        """The rectangle around everything that is drawn."""
        if self._world is None:
            self._world = self._measured()
        return self._world

    def _measured(self) -> QRectF:
        places = self.positions()
        found = self.frames.bounds(places) if self.frames else QRectF()
        if not places:
            return found
        left, top = min(x for x, _ in places.values()), min(y for _, y in places.values())
        right, bottom = max(x for x, _ in places.values()), max(y for _, y in places.values())
        return found.united(QRectF(left, top, right - left + WIDTH, bottom - top + HEIGHT))

    def fit(self, ids: Iterable[str] | None = None) -> None:
        """See everything, or these nodes, at most at life size."""
        self._fitting = True
        self._fit(ids)
        self._fitting, self._fitted = False, ids is None

    def _fit(self, ids: Iterable[str] | None) -> None:
        area = self.world()
        if ids is not None:
            places = self.positions()
            area = QRectF()
            for id in ids:
                area = area.united(QRectF(*places[id], WIDTH, HEIGHT))
        port = self.viewport().size()
        beside, above = min(_ROOM, port.width() / 5), min(_ROOM, port.height() / 5)
        area = area.adjusted(-beside, -above, beside, above)
        across, down = port.width() / max(1.0, area.width()), port.height() / max(1.0, area.height())
        self.set_zoom(min(1.0, across, down))
        self.centerOn(area.center())

    def _grow(self) -> None:
        """The scene is larger than the picture: there is room to drag to."""
        around = self.world().united(self.links.bounds())
        self.setSceneRect(around.adjusted(-2000, -1500, 2000, 1500))

    def resizeEvent(self, event: QResizeEvent) -> None:
        fitted, nested = self._fitted, self._fitting
        self._fitting = True
        super().resizeEvent(event)
        self._fitting = nested
        if self.keeps_fit and fitted and not nested and self.graph.nodes:
            self.fit()
        self.map.place()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        self._fitted = self._fitted and self._fitting
        self.map.place()

    def paintEvent(self, event: QPaintEvent) -> None:
        self.shared.zoom = self.zoom
        self._overview.turn(self.items_by_id, self.zoom < FAR)
        super().paintEvent(event)

    def drawBackground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        area = QRectF(rect)
        painter.fillRect(area, self.brushes.canvas)
        if self.zoom > 0.6:
            self._paint_grid(painter, area)
        if self.frames:
            self.frames.paint(painter, self.positions(), self.zoom)
        self.links.paint(painter, area, self.zoom)
        if self.zoom < FAR:
            self._overview.paint(painter, self.items_by_id)

    def _paint_grid(self, painter: QPainter, area: QRectF) -> None:
        step = GRID * 8
        left, top = area.left() - area.left() % step, area.top() - area.top() % step
        columns = range(int((area.right() - left) / step) + 1)
        rows = range(int((area.bottom() - top) / step) + 1)
        painter.setPen(QPen(self.brushes.grid, 2))
        painter.drawPoints([QPointF(left + i * step, top + j * step) for i in columns for j in rows])

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        if self.graph.nodes or not self.graph.name:
            return
        painter.resetTransform()
        painter.setPen(self.brushes.muted)
        painter.setFont(self.brushes.title)
        painter.drawText(self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, tr(self.graph.name))

    def _redress(self) -> None:
        self.brushes.refresh()
        self.links.redress()
        self._overview.forget()
        for item in self.items_by_id.values():
            item.refit()
        self.viewport().update()
        self.map.redraw()
