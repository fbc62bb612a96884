"""The picture of a task or a run, worked in with mouse and keyboard."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from app.desktop.canvas.gesture import Band, Gesture, Pan
from app.desktop.canvas.keyboard_walk import Direction, nearest
from app.desktop.canvas.selectable import SelectablePicture
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.statuses import look_of
from app.desktop.widgets.plain_label import tip_text

_ARROWS: dict[int, Direction] = {
    Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right", Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down",
}  # fmt: skip
_KEYPAD = Qt.KeyboardModifier.KeypadModifier


class GraphView(SelectablePicture):
    """Shows a Graph, and is worked in with mouse and keyboard.

    ``activated`` brings the id of a node that was double-clicked or entered, ``menu_wanted`` a node id or
    "" with the global position. ``begin`` may be set: it is asked first what a press starts; ``tip`` too: it
    says more of a node under the mouse.
    """

    activated = Signal(str)
    menu_wanted = Signal(str, object)

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self.begin: Callable[[QMouseEvent], Gesture | None] = lambda event: None
        self.tip: Callable[[str], str] = lambda id: ""
        self._gesture: Gesture | None = None
        self._space = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._describe()

    @property
    def gesture(self) -> Gesture | None:
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

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            id = self.node_at(self.mapToScene(event.pos()))
            if id is not None:
                QToolTip.showText(event.globalPos(), tip_text(self.tip(id)), self)
                return True
        return super().viewportEvent(event)

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

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.LanguageChange:
            self._redress()
            self._describe()

    def _describe(self) -> None:
        """What a screen reader says; the outline is where everything can be done without seeing."""
        self.setAccessibleName(tr("Graph of {n} nodes", n=len(self.graph.nodes)))
        chosen = [self.items_by_id[id] for id in sorted(self.selected())[:5]] if self.items_by_id else []
        names = self.shared.type_names
        words = [
            f"{node.title}, {tr(look_of(status).word) if status else names.get(node.type, node.type)}"
            for node, status in ((item.node, item.status) for item in chosen)
        ]
        self.setAccessibleDescription("; ".join(words))
