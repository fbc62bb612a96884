"""The picture of a task or a run: nodes with statuses, links, frames; zoom, pan, selection, keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTransform,
    QWheelEvent,
)  # fmt: skip
from PySide6.QtWidgets import QGraphicsScene, QGraphicsView, QWidget

from app.desktop.canvas.brushes import Brushes
from app.desktop.canvas.frames import FrameLayer
from app.desktop.canvas.gesture import Band, Gesture, Pan
from app.desktop.canvas.graph import GRID, HEIGHT, WIDTH, Graph, GraphLink, LinkKey, Point
from app.desktop.canvas.layout import Layout, arrange
from app.desktop.canvas.links import LinkLayer
from app.desktop.canvas.minimap import MiniMap
from app.desktop.canvas.node_item import NodeItem, View
from app.desktop.canvas.overview import FAR, Overview
from app.desktop.canvas.walking import Direction, in_order, nearest
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.statuses import look_of

_FEWEST, _MOST = 0.02, 3.0
_ROOM = 60.0  # around the picture when it is fitted
_BATCH = 33  # ms in which changes of statuses are gathered
_ARROWS: dict[int, Direction] = {
    Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right", Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down",
}  # fmt: skip


class GraphView(QGraphicsView):
    """Shows a Graph.

    ``selection_changed`` brings a frozenset of node ids, ``activated`` the id of a node that was
    double-clicked or entered, ``link_clicked`` a GraphLink, ``menu_wanted`` a node id or "" with
    the global position. ``begin`` may be set: it is asked first what a press starts.
    """

    selection_changed = Signal(object)
    activated = Signal(str)
    link_clicked = Signal(object)
    menu_wanted = Signal(str, object)
    zoomed = Signal(float)

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.brushes = Brushes(console.theme, console.icons)
        self.graph = Graph()
        self.items_by_id: dict[str, NodeItem] = {}
        self.links = LinkLayer(self.brushes)
        self.frames = FrameLayer(self.brushes)
        self.shared = View()
        self.begin: Callable[[QMouseEvent], Gesture | None] = lambda event: None
        self._gesture: Gesture | None = None
        self._pending: dict[str, str | None] = {}
        self._space = False
        self._order: list[str] | None = None
        self._world: QRectF | None = None
        self._overview = Overview(self.brushes)
        self._quiet = False
        self._batch = QTimer(self, singleShot=True, interval=_BATCH)
        self._batch.timeout.connect(self._flush)
        self._look()
        self.map = MiniMap(self)
        self.setScene(QGraphicsScene(self))
        self.scene().selectionChanged.connect(self._selected)
        console.theme.changed.connect(self._redress)

    def _look(self) -> None:
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.SmartViewportUpdate)
        self.setOptimizationFlag(QGraphicsView.OptimizationFlag.DontAdjustForAntialiasing)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setDragMode(QGraphicsView.DragMode.NoDrag)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._tell()

    # -- what is shown -------------------------------------------------------------------------

    def show_graph(self, graph: Graph, layout: Layout | None = None) -> None:
        """Show a graph; nodes without a position are laid out around those that have one.

        Nodes that were there before keep their item, and their place if they are not given another.
        """
        fresh = not self.graph.nodes
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
        self._tell()

    def _placed(self, graph: Graph) -> Layout:
        """Given positions, else those they have now, else the layout's."""
        known = {**self.positions(), **graph.positions()}
        if not known or not any(node.id in known for node in graph.nodes):
            return arrange(graph)
        if all(node.id in known for node in graph.nodes):
            return Layout({node.id: known[node.id] for node in graph.nodes})
        return arrange(graph, known)

    def _sort_items(self, graph: Graph, positions: Mapping[str, Point]) -> None:
        wanted = {node.id: node for node in graph.nodes}
        for id in [id for id in self.items_by_id if id not in wanted]:
            self.scene().removeItem(self.items_by_id.pop(id))
        for id, node in wanted.items():
            item = self.items_by_id.get(id)
            if item is None:
                item = self.items_by_id[id] = NodeItem(node, self.brushes, self.shared)
                self._overview.dress(item)
                self.scene().addItem(item)
            elif item.node != node:
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
        self._overview.forget()
        if self.zoom < FAR:
            self.viewport().update()
        self.map.changed()

    def statuses(self) -> dict[str, str | None]:
        """The status of every node, those included that are not painted yet."""
        return {id: self._pending.get(id, item.node.status) for id, item in self.items_by_id.items()}

    def positions(self) -> dict[str, Point]:
        """Where every node stands now."""
        return {id: (item.x(), item.y()) for id, item in self.items_by_id.items()}

    def move_nodes(self, places: Mapping[str, Point]) -> None:
        """Stand nodes elsewhere, for now: the graph itself is not changed."""
        for id, place in places.items():
            self.items_by_id[id].setPos(*place)
        self._world = None
        self._overview.forget()
        dirty = self.links.move(places, self.positions())
        self.scene().update(dirty)
        if self.frames:
            self.viewport().update()
        self.map.changed()

    def highlight(self, ids: Iterable[str] | None) -> None:
        """Ring these nodes and dim the others; None: nothing is looked for."""
        found = frozenset(ids or ())
        for id, item in self.items_by_id.items():
            item.found, item.dim = id in found, ids is not None and id not in found
            item.update()
        self._overview.forget()
        self.viewport().update()

    def search(self, text: str) -> list[str]:
        """The nodes whose id, title, type or subtitle holds a text, in the task's order; ringed."""
        wanted = text.strip().casefold()
        if not wanted:
            self.highlight(None)
            return []
        found = [id for id in self.order() if wanted in _words(self.items_by_id[id])]
        self.highlight(found)
        return found

    def show_links(self, keys: Iterable[LinkKey]) -> None:
        """Draw these links strongly, such as the one that a value comes over."""
        self.links.strong = frozenset(keys)
        self.viewport().update()

    # -- selection -----------------------------------------------------------------------------

    def selected(self) -> frozenset[str]:
        """The ids of the selected nodes."""
        return frozenset(id for id, item in self.items_by_id.items() if item.isSelected())

    def select(self, ids: Iterable[str], *, show: bool = False) -> None:
        """Select exactly these; with ``show`` bring the first into sight."""
        wanted = frozenset(ids) & self.items_by_id.keys()
        changed = wanted != self.selected()
        self._quiet = True
        for id, item in self.items_by_id.items():
            if item.isSelected() != (id in wanted):
                item.setSelected(id in wanted)
        self._quiet = False
        if len(wanted) == 1:
            self.shared.here = next(iter(wanted))
        if show and wanted:
            self.ensureVisible(self.items_by_id[min(wanted)], 60, 60)
        if changed:
            self._selected()

    def _selected(self) -> None:
        if self._quiet:
            return
        chosen = self.selected()
        self._overview.forget()
        self.links.chosen = None
        self.links.strong = frozenset(key for id in chosen if len(chosen) < 50 for key in self.links.of(id))
        self.viewport().update()
        self._tell()
        self.selection_changed.emit(chosen)

    def select_link(self, link: GraphLink | None) -> None:
        """Select a link alone."""
        self.select(())
        self.links.chosen = link.key if link else None
        self.viewport().update()
        if link:
            self.link_clicked.emit(link)

    def inside(self, area: QRectF) -> frozenset[str]:
        """The nodes that a rectangle of the scene touches."""
        body = QRectF(0, 0, WIDTH, HEIGHT)
        found = self.items_by_id.items()
        return frozenset(id for id, item in found if area.intersects(body.translated(item.pos())))

    def node_at(self, where: QPointF) -> str | None:
        """The node at a point of the scene."""
        hit = next((item for item in self.scene().items(where) if isinstance(item, NodeItem)), None)
        inside = hit is not None and QRectF(0, 0, WIDTH, HEIGHT).adjusted(-6, 0, 6, 0).contains(
            where - hit.pos()
        )
        return hit.node.id if hit is not None and inside else None

    def order(self) -> list[str]:
        """The nodes as the task runs them."""
        if self._order is None:
            self._order = in_order(self.graph, self.positions())
        return self._order

    # -- zoom ----------------------------------------------------------------------------------

    @property
    def zoom(self) -> float:
        """1 is life size."""
        return self.transform().m11()

    def set_zoom(self, zoom: float) -> None:
        """Zoom to a scale."""
        scale = min(_MOST, max(_FEWEST, zoom))
        self.setTransform(QTransform.fromScale(scale, scale))
        self.zoomed.emit(scale)
        self.map.place()

    def zoom_by(self, factor: float) -> None:
        """Nearer or farther."""
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
        area = self.world()
        if ids is not None:
            places = self.positions()
            area = QRectF()
            for id in ids:
                area = area.united(QRectF(*places[id], WIDTH, HEIGHT))
        area = area.adjusted(-_ROOM, -_ROOM, _ROOM, _ROOM)
        port = self.viewport().size()
        across, down = port.width() / max(1.0, area.width()), port.height() / max(1.0, area.height())
        self.set_zoom(min(1.0, across, down))
        self.centerOn(area.center())

    def _grow(self) -> None:
        """The scene is larger than the picture: there is room to drag to."""
        around = self.world().united(self.links.bounds())
        self.setSceneRect(around.adjusted(-2000, -1500, 2000, 1500))

    # -- painting ------------------------------------------------------------------------------

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

    # -- mouse and keys ------------------------------------------------------------------------

    @property
    def gesture(self) -> Gesture | None:
        """What the mouse is doing."""
        return self._gesture

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if self._gesture is not None:
            return
        middle = event.button() is Qt.MouseButton.MiddleButton
        if middle or (self._space and event.button() is Qt.MouseButton.LeftButton):
            self._gesture = Pan(self, event)
        elif event.button() is Qt.MouseButton.LeftButton:
            self._gesture = self.begin(event) or self._press(event)

    def _press(self, event: QMouseEvent) -> Gesture | None:
        """A click selects a node or a link; elsewhere a band begins."""
        where = self.mapToScene(event.position().toPoint())
        id = self.node_at(where)
        if id is not None:
            self.click(id, event.modifiers())
            return None
        link = self.links.at(where, 6 / max(0.1, self.zoom))
        if link is not None:
            self.select_link(link)
            return None
        return Band(self, event)

    def click(self, id: str, modifiers: Qt.KeyboardModifier) -> None:
        """Select a node; with Ctrl or Shift add it or take it away."""
        more = modifiers & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        self.shared.here = id
        self.select(self.selected() ^ {id} if more else {id})

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._gesture is not None:
            self._gesture.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        id = self.node_at(self.mapToScene(event.position().toPoint()))
        if id is not None:
            self.activated.emit(id)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        id = self.node_at(self.mapToScene(event.pos()))
        if id is not None and id not in self.selected():
            self.select({id})
        self.menu_wanted.emit(id or "", event.globalPos())

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(1.0015 ** event.angleDelta().y())
            event.accept()
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key is Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = True
        elif key is Qt.Key.Key_Escape:
            self._escape()
        elif key in _ARROWS and event.modifiers() in (Qt.KeyboardModifier.NoModifier, _KEYPAD):
            self._step(_ARROWS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.shared.here:
            self.activated.emit(self.shared.here)
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = False
        super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._space = False
        super().focusOutEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:
        """Tab walks through the nodes as the task runs them; after the last one it leaves."""
        order = self.order()
        here = self.shared.here
        place = order.index(here) + (1 if next else -1) if here in order else 0 if next else len(order) - 1
        if not 0 <= place < len(order):
            return super().focusNextPrevChild(next)
        self.select({order[place]}, show=True)
        return True

    def _step(self, direction: Direction) -> None:
        order = self.order()
        here = self.shared.here
        if here is None:
            found = order[0] if order else None
        else:
            found = nearest(self.positions(), here, direction)
        if found:
            self.select({found}, show=True)

    def _escape(self) -> None:
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.cancel()
        else:
            self.select_link(None)

    # -- the rest ------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        port = self.viewport().geometry()
        self.map.move(port.right() - self.map.width() - 8, port.bottom() - self.map.height() - 8)
        self.map.place()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        self.map.place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.LanguageChange:
            self._redress()
            self._tell()

    def _tell(self) -> None:
        """What a screen reader says; the outline is where everything can be done without seeing."""
        self.setAccessibleName(tr("Graph of {n} nodes", n=len(self.graph.nodes)))
        chosen = [self.items_by_id[id].node for id in sorted(self.selected())[:5]] if self.items_by_id else []
        told = [
            f"{node.title}, {tr(look_of(node.status).word) if node.status else node.type}" for node in chosen
        ]
        self.setAccessibleDescription("; ".join(told))


_KEYPAD = Qt.KeyboardModifier.KeypadModifier


def _words(item: NodeItem) -> str:
    node = item.node
    return " ".join((node.id, node.title, node.type, node.subtitle)).casefold()
