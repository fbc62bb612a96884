"""The canvas that draws a task: a Document seen as a graph, and changed by hand."""

from __future__ import annotations

import json
from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.desktop.canvas.gesture import Gesture
from app.desktop.canvas.graph import HEIGHT, WIDTH, CanvasGraph
from app.desktop.canvas.layout import Layout
from app.desktop.design.actions import MENU
from app.desktop.design.commands import CanvasCommands
from app.desktop.design.document_canvas import DocumentCanvas
from app.desktop.design.drag_overlay import port
from app.desktop.design.entries import ENTRY_MIME, PaletteEntry, entries, fitting
from app.desktop.design.entry_list import EntryList
from app.desktop.design.gestures import DrawLink, MoveNodes, MoveNote
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import translated
from app.desktop.subjects.menu import subject_menu
from app.desktop.widgets.layouts import vbox

_PORT_REACH = 11.0  # pixels around a port that catch the mouse


class DesignCanvas(DocumentCanvas):
    """A Document changed by hand; ``focus_form`` asks for the form of the selected node."""

    focus_form = Signal()

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self.commands = CanvasCommands(self)
        self.begin = self._begin
        self.setAcceptDrops(True)
        self.menu_wanted.connect(self._open_actions)
        self.activated.connect(lambda _id: self.focus_form.emit())
        translated(self, lambda: self._name_types() if self.shared.type_names else None)

    def _begin(self, event: QMouseEvent) -> Gesture | None:
        if self.document is None:
            return None
        self.close_menu()
        where = self.mapToScene(event.position().toPoint())
        source = self._port_at(where)
        if source is not None:
            return DrawLink(self, self.commands, source, self.offer)
        id = self.node_at(where)
        if id is not None:
            return self._grab(event, id)
        note = self.frames.note_at(where)
        if note is not None:
            return MoveNote(self, self.commands, event, note)
        frame = self.frames.head_at(where, self.positions())
        if frame is not None:
            self.select(frame.members)
            lead = min(frame.members & self.items_by_id.keys())
            return MoveNodes(self, self.commands, event, lead, frame.members & self.items_by_id.keys())
        return None

    def _grab(self, event: QMouseEvent, id: str) -> Gesture | None:
        if id not in self.selected() or event.modifiers() & _ADDING:
            self.click(id, event.modifiers())
        return MoveNodes(self, self.commands, event, id, self.selected()) if id in self.selected() else None

    def _port_at(self, where: QPointF) -> str | None:
        reach = _PORT_REACH / max(0.3, self.zoom)
        box = QRectF(where.x() - reach, where.y() - reach, 2 * reach, 2 * reach)
        for id in self.inside(box):
            x, y = port(self.positions()[id])
            if (QPointF(x, y) - where).manhattanLength() <= reach:
                return id
        return None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        where = self.mapToScene(event.position().toPoint())
        note, frame = self.frames.note_at(where), self.frames.head_at(where, self.positions())
        if self.node_at(where) is None and note is not None:
            self.commands.edit_note(note.id)
        elif self.node_at(where) is None and frame is not None:
            self.commands.edit_frame(frame.id)
        else:
            super().mouseDoubleClickEvent(event)

    def show_graph(
        self, graph: CanvasGraph, layout: Layout | None = None, *, fit: bool | None = None
    ) -> None:
        if graph.nodes and not self.shared.type_names:
            self._name_types()
        super().show_graph(graph, layout, fit=fit)

    def _name_types(self) -> None:
        """Types are called as in the palette, in the language that is on."""
        chinese = self.console.language.current.startswith("zh")
        self.shared.type_names = {kind: each.label[chinese] for kind, each in self.console.job_types.items()}
        for item in self.items_by_id.values():
            item.refit()

    def entries(self) -> list[PaletteEntry]:
        """What can be put into this task."""
        if self.document is None:
            return []
        chinese = self.console.language.current.startswith("zh")
        tasks = self.document.library.section("tasks")
        jobs = self.document.tree.get("jobs") or {}
        return entries(self.console.job_types, jobs, tasks, self.document.task_id, chinese)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self._accept(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._accept(event)

    def _accept(self, event: QDragMoveEvent) -> None:
        """What the palette gives; files are for the window around."""
        if self.document is not None and event.mimeData().hasFormat(ENTRY_MIME):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dropEvent(self, event: QDropEvent) -> None:
        payload = json.loads(event.mimeData().data(ENTRY_MIME).toStdString())
        entry = next(
            (each for each in self.entries() if (each.group, each.id) == (payload["group"], payload["id"])),
            None,
        )
        if entry is not None:
            where = self.mapToScene(event.position().toPoint())
            self.commands.insert(entry, (), (where.x() - WIDTH / 2, where.y() - HEIGHT / 2))
            event.acceptProposedAction()
            self.setFocus()

    def offer(self, source: str, where: QPointF) -> None:
        """Ask what comes after a node: the job types, the likeliest first."""
        self.close_menu()
        types = self.console.job_types
        found = fitting(
            self.entries(), str((self.document.job(source) if self.document else {}).get("type")), types
        )
        at = (where.x(), where.y() - HEIGHT / 2)
        self._open_menu(
            found, self.mapFromScene(where), lambda entry: self.commands.insert(entry, (source,), at)
        )

    def _open_menu(
        self, found: list[PaletteEntry], at: QPoint, chosen: Callable[[PaletteEntry], object]
    ) -> None:
        menu = QFrame(self)
        menu.setFrameShape(QFrame.Shape.StyledPanel)
        menu.setAutoFillBackground(True)
        box = vbox(inside=menu, margins=0)
        choice = EntryList(self.console, menu, headings=False)
        choice.show_entries(found)
        box.addWidget(choice)
        menu.resize(260, 280)
        port = self.viewport()
        menu.move(min(at.x(), port.width() - 264), min(at.y(), port.height() - 284))
        choice.left.connect(self.close_menu)

        def take(entry: PaletteEntry) -> None:
            self.close_menu()
            chosen(entry)

        choice.chosen.connect(take)
        self.menu = menu
        menu.show()
        choice.field.setFocus()

    def _open_actions(self, _node: str, at: QPoint) -> None:
        own = (id if id is None else f"design.{id}" for id in MENU)
        subject_menu(self, self.console.actions, own).popup(at)

    def _escape(self) -> None:
        if self.menu is not None and self.gesture is None:
            self.close_menu()
        else:
            super()._escape()


_ADDING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
