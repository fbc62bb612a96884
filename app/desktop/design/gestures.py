"""What the mouse does on the canvas of the designer: moving nodes and comments, drawing links."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF
from PySide6.QtGui import QMouseEvent, Qt
from PySide6.QtWidgets import QApplication

from app.desktop.canvas.gesture import Gesture
from app.desktop.canvas.graph import HEIGHT, GraphNote, Point
from app.desktop.design.commands import CanvasCommands
from app.desktop.design.document_canvas import DocumentCanvas
from app.desktop.design.drag_overlay import Snap, snap

_REACH = 7.0  # pixels from which a guide catches


class _Drag(Gesture):
    """A drag that begins after a few pixels."""

    view: DocumentCanvas

    def __init__(self, view: DocumentCanvas, commands: CanvasCommands, event: QMouseEvent) -> None:
        super().__init__(view)
        self._commands = commands
        self._pressed = event.position()
        self.start = self.scene(event)
        self.begun = False

    def far(self, event: QMouseEvent) -> bool:
        """Whether the mouse has left the place where it was pressed."""
        way = (event.position() - self._pressed).manhattanLength()
        self.begun = self.begun or way >= min(4, QApplication.startDragDistance())
        return self.begun

    def delta(self, event: QMouseEvent) -> Point:
        """How far it went, on the scene."""
        way = self.scene(event) - self.start
        return way.x(), way.y()


class MoveNodes(_Drag):
    """Drag nodes; they snap to others and to the grid, with Alt to nothing."""

    def __init__(
        self,
        view: DocumentCanvas,
        commands: CanvasCommands,
        event: QMouseEvent,
        lead: str,
        ids: frozenset[str],
    ) -> None:
        super().__init__(view, commands, event)
        places = view.positions()
        self._from = {id: places[id] for id in ids}
        self._lead = places[lead]
        self._others = [place for id, place in places.items() if id not in ids]
        self._to: dict[str, Point] = {}

    def move(self, event: QMouseEvent) -> None:
        if not self.far(event):
            return
        found = self._snap(event)
        dx, dy = found.delta
        self._to = {id: (x + dx, y + dy) for id, (x, y) in self._from.items()}
        self.view.show_guides(found)
        self.view.move_nodes(self._to)

    def _snap(self, event: QMouseEvent) -> Snap:
        delta = self.delta(event)
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            return Snap(delta)
        seen = self.view.mapToScene(self.view.viewport().rect()).boundingRect()
        others = [place for place in self._others if seen.contains(QPointF(*place))]
        return snap(self._lead, delta, others, _REACH / max(0.1, self.view.zoom))

    def release(self, event: QMouseEvent) -> None:
        self.view.show_guides(None)
        if self._to and self._to != self._from:
            self._commands.place(self._to)

    def cancel(self) -> None:
        self.view.show_guides(None)
        if self._to:
            self.view.move_nodes(self._from)


class MoveNote(_Drag):
    def __init__(
        self, view: DocumentCanvas, commands: CanvasCommands, event: QMouseEvent, note: GraphNote
    ) -> None:
        super().__init__(view, commands, event)
        self._note = note
        self._at = note.position

    def move(self, event: QMouseEvent) -> None:
        if self.far(event):
            dx, dy = self.delta(event)
            self._at = snap(self._note.position, (dx, dy), (), 0).delta
            self._at = (self._note.position[0] + self._at[0], self._note.position[1] + self._at[1])
            self.view.preview_note(self._note.id, self._at)

    def release(self, event: QMouseEvent) -> None:
        if self._at != self._note.position:
            self._commands.place_note(self._note.id, self._at)

    def cancel(self) -> None:
        self.view.preview_note(self._note.id, self._note.position)


class DrawLink(Gesture):
    """Draw a link from a node's port: to another node, or to empty canvas, for which ``offer`` asks."""

    view: DocumentCanvas

    def __init__(
        self,
        view: DocumentCanvas,
        commands: CanvasCommands,
        source: str,
        offer: Callable[[str, QPointF], None],
    ) -> None:
        super().__init__(view)
        self._commands, self._source, self._offer = commands, source, offer
        self._target: str | None = None

    def move(self, event: QMouseEvent) -> None:
        where = self.scene(event)
        self._target = self.view.node_at(where)
        if self._target == self._source:
            self._target = None
        reason = self._commands.reason_against(self._source, self._target) if self._target else ""
        end = self._port(self._target) if self._target else (where.x(), where.y())
        self.view.show_wire(self._source, end, reason)

    def release(self, event: QMouseEvent) -> None:
        self.view.show_wire(None)
        if self._target:
            self._commands.link(self._source, self._target)
        elif self.view.node_at(self.scene(event)) is None:
            self._offer(self._source, self.scene(event))

    def cancel(self) -> None:
        self.view.show_wire(None)

    def _port(self, target: str) -> Point:
        x, y = self.view.positions()[target]
        return x, y + HEIGHT / 2
