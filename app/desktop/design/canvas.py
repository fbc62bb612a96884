"""The canvas that draws a task: a Document seen as a graph, and changed by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.desktop.canvas.gesture import Gesture
from app.desktop.canvas.graph import HEIGHT, WIDTH, Graph, GraphNode, Point
from app.desktop.canvas.layout import Layout, arrange
from app.desktop.canvas.view import GraphView
from app.desktop.design import extras as beside
from app.desktop.design.commands import Commands
from app.desktop.design.document import Change, Document
from app.desktop.design.entries import ENTRY_MIME, Entry, entries, fitting
from app.desktop.design.entry_list import EntryList
from app.desktop.design.gestures import DrawLink, MoveNodes, MoveNote, port
from app.desktop.design.guides import Snap
from app.desktop.design.inline import InlineEditor
from app.desktop.design.sketch import Sketch, Wire
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr

_PORT_REACH = 11.0  # pixels around a port that catch the mouse


class DesignCanvas(GraphView):
    """Shows ``document``; ``focus_form`` says that the form of the selected node is wanted."""

    focus_form = Signal()

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self.console = console
        self.document: Document | None = None
        self.commands = Commands(self)
        self.editor: InlineEditor | None = None
        self.menu: QFrame | None = None
        self._auto: dict[str, Point] = {}
        self._sketch = Sketch(self.brushes)
        self.shared.ports = True
        self.begin = self._begin
        self.setAcceptDrops(True)
        self.setObjectName("design-canvas")
        self.selection_changed.connect(self._tell_document)
        self.activated.connect(lambda _id: self.focus_form.emit())

    # -- the document --------------------------------------------------------------------------

    def show_document(self, document: Document | None) -> None:
        """Show another task, or none."""
        if self.document is not None:
            self.document.changed.disconnect(self._changed)
            self.document.selection_changed.disconnect(self._follow_selection)
            self.document.findings_changed.disconnect(self._mark)
        self.document, self._auto = document, {}
        self.graph = Graph()
        self.close_menu()
        if document is None:
            self.show_graph(Graph(name="Open a task, or make a new one"))
            return
        document.changed.connect(self._changed)
        document.selection_changed.connect(self._follow_selection)
        document.findings_changed.connect(self._mark)
        self.items_by_id_reset()
        self._draw()
        self.select(document.selection)

    def items_by_id_reset(self) -> None:
        """Forget the nodes of another task: equal ids are other nodes there."""
        for item in self.items_by_id.values():
            self.scene().removeItem(item)
        self.items_by_id.clear()
        self._world = None

    def _changed(self, change: Change) -> None:
        self._draw()

    def _draw(self) -> None:
        if self.document is None:
            return
        graph = self.document.graph()
        bends = self._place_new(graph)
        nodes = tuple(replace(node, position=node.position or self._auto[node.id]) for node in graph.nodes)
        extras = self.document.sheet.extras
        whole = Graph(
            self._marked(nodes), graph.links, beside.frames(extras), beside.notes(extras),
            "Drag a job type here, or press Ctrl+I",
        )  # fmt: skip
        placed = {node.id: node.position for node in nodes if node.position is not None}
        self.show_graph(whole, Layout(placed, bends.bends if bends else {}))

    def _place_new(self, graph: Graph) -> Layout | None:
        """Places for nodes that the task gives none; once found they stay for as long as it is open."""
        missing = [node for node in graph.nodes if node.position is None and node.id not in self._auto]
        if not missing:
            return None
        known = {**self._auto, **graph.positions()}
        known = {node.id: known[node.id] for node in graph.nodes if node.id in known}
        layout = arrange(graph, known or None)
        self._auto.update({node.id: layout.positions[node.id] for node in missing})
        return layout

    def renamed_elsewhere(self, old: str, new: str) -> None:
        """A node got another id from its form: select it under that."""
        self.moved_id(old, new)
        self.select({new})

    def moved_id(self, old: str, new: str) -> None:
        """A node gets another id: it stays where it is."""
        if old in self._auto:
            self._auto[new] = self._auto[old]

    def _mark(self) -> None:
        """Show on each node whether something is wrong with it."""
        for id, item in self.items_by_id.items():
            [node] = self._marked((replace(item.node, mark=""),))
            if node != item.node and id in self.items_by_id:
                item.show_node(node)

    def _marked(self, nodes: tuple[GraphNode, ...]) -> tuple[GraphNode, ...]:
        if self.document is None or not self.document.findings:
            return nodes
        marks: dict[str, str] = {}
        for finding in self.document.findings:
            if finding.path[:1] == ("tasks",) and finding.path[2:3] == ("nodes",) and len(finding.path) > 3:
                id = str(finding.path[3])
                marks[id] = "error" if "error" in (finding.severity, marks.get(id)) else "warning"
        return tuple(
            replace(node, mark="error" if marks[node.id] == "error" else "warning")
            if node.id in marks
            else node
            for node in nodes
        )

    def _tell_document(self, ids: frozenset[str]) -> None:
        if self.document is not None:
            self.document.select(ids)

    def _follow_selection(self, ids: frozenset[str]) -> None:
        if ids != self.selected():
            self.select(ids, show=True)

    # -- gestures ------------------------------------------------------------------------------

    def _begin(self, event: QMouseEvent) -> Gesture | None:
        if self.document is None:
            return None
        self.close_menu()
        where = self.mapToScene(event.position().toPoint())
        source = self._port_at(where)
        if source is not None:
            return DrawLink(self, source)
        id = self.node_at(where)
        if id is not None:
            return self._grab(event, id)
        note = self.frames.note_at(where)
        if note is not None:
            return MoveNote(self, event, note)
        frame = self.frames.head_at(where, self.positions())
        if frame is not None:
            self.select(frame.members)
            lead = min(frame.members & self.items_by_id.keys())
            return MoveNodes(self, event, lead, frame.members & self.items_by_id.keys())
        return None

    def _grab(self, event: QMouseEvent, id: str) -> Gesture | None:
        if id not in self.selected() or event.modifiers() & _ADDING:
            self.click(id, event.modifiers())
        return MoveNodes(self, event, id, self.selected()) if id in self.selected() else None

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

    def show_guides(self, guides: Snap | None) -> None:
        """The lines that a dragged node snaps to."""
        self._sketch.guides = guides
        self.viewport().update()

    def show_wire(self, source: str | None, end: Point = (0.0, 0.0), refused: str = "") -> None:
        """The link that is being drawn, red with the reason when it is refused."""
        self._sketch.wire = Wire(port(self.positions()[source]), end, refused) if source else None
        self.viewport().update()

    @property
    def wire_refused(self) -> str:
        """Why the link that is being drawn is refused; empty when it is not."""
        return self._sketch.wire.refused if self._sketch.wire else ""

    def preview_note(self, id: str, at: Point) -> None:
        """A comment somewhere else, for now."""
        self.frames.notes = tuple(
            replace(note, position=at) if note.id == id else note for note in self.frames.notes
        )
        self.viewport().update()

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        self._sketch.paint(painter, QRectF(rect), self)
        super().drawForeground(painter, rect)

    # -- what comes from outside ---------------------------------------------------------------

    def entries(self) -> list[Entry]:
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
        if self.document is not None and event.mimeData().hasFormat(ENTRY_MIME):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dropEvent(self, event: QDropEvent) -> None:
        told = json.loads(event.mimeData().data(ENTRY_MIME).toStdString())
        entry = next(
            (each for each in self.entries() if (each.group, each.id) == (told["group"], told["id"])), None
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

    def _open_menu(self, found: list[Entry], at: QPoint, chosen: Callable[[Entry], object]) -> None:
        menu = QFrame(self)
        menu.setFrameShape(QFrame.Shape.StyledPanel)
        menu.setAutoFillBackground(True)
        box = QVBoxLayout(menu)
        box.setContentsMargins(0, 0, 0, 0)
        choice = EntryList(self.console, menu, headings=False)
        choice.show_entries(found)
        box.addWidget(choice)
        menu.resize(260, 280)
        port = self.viewport()
        menu.move(min(at.x(), port.width() - 264), min(at.y(), port.height() - 284))
        choice.left.connect(self.close_menu)

        def take(entry: Entry) -> None:
            self.close_menu()
            chosen(entry)

        choice.chosen.connect(take)
        self.menu = menu
        menu.show()
        choice.field.setFocus()

    def close_menu(self) -> None:
        """Close what a loose link opened."""
        menu, self.menu = self.menu, None
        if menu is not None:
            menu.hide()
            menu.deleteLater()
            self.setFocus()

    def edit_text(
        self, box: QRectF, text: str, name: str, done: Callable[[str], None], *, lines: bool = False
    ) -> None:
        """Open a field over a rectangle of the scene."""
        place = self.mapFromScene(box).boundingRect()
        self.editor = InlineEditor(self.viewport(), self, place, text, name, done, lines=lines)

    def _escape(self) -> None:
        if self.menu is not None and self.gesture is None:
            self.close_menu()
        else:
            super()._escape()

    def _tell(self) -> None:
        super()._tell()
        self.setAccessibleName(
            tr("Canvas: {n} nodes; the outline shows them as a list", n=len(self.graph.nodes))
        )


_ADDING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
