"""The picture of a task or a run under a person's hands: selection, mouse, keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from app.desktop.canvas.gesture import Band, Gesture, Pan
from app.desktop.canvas.graph import HEIGHT, WIDTH, GraphLink
from app.desktop.canvas.node_item import NodeItem
from app.desktop.canvas.picture import Picture
from app.desktop.canvas.walking import Direction, nearest
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.statuses import look_of

_ARROWS: dict[int, Direction] = {
    Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right", Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down",
}  # fmt: skip
_KEYPAD = Qt.KeyboardModifier.KeypadModifier


class GraphView(Picture):
    """Shows a Graph.

    ``selection_changed`` brings a frozenset of node ids, ``activated`` the id of a node that was
    double-clicked or entered, ``link_clicked`` a GraphLink, ``menu_wanted`` a node id or "" with
    the global position. ``begin`` may be set: it is asked first what a press starts.
    """

    selection_changed = Signal(object)
    activated = Signal(str)
    link_clicked = Signal(object)
    menu_wanted = Signal(str, object)

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self.begin: Callable[[QMouseEvent], Gesture | None] = lambda event: None
        self._gesture: Gesture | None = None
        self._space = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scene().selectionChanged.connect(self._selected)
        self._tell()

    # -- selection ----------------------------------------------------------------------------------

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
        self._overview.recolour()
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

    # -- mouse and keys -----------------------------------------------------------------------------

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

    # -- the rest -----------------------------------------------------------------------------------

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.LanguageChange:
            self._redress()
            self._tell()

    def _tell(self) -> None:
        """What a screen reader says; the outline is where everything can be done without seeing."""
        self.setAccessibleName(tr("Graph of {n} nodes", n=len(self.graph.nodes)))
        chosen = [self.items_by_id[id] for id in sorted(self.selected())[:5]] if self.items_by_id else []
        told = [
            f"{item.node.title}, {tr(look_of(item.status).word) if item.status else item.node.type}"
            for item in chosen
        ]
        self.setAccessibleDescription("; ".join(told))
