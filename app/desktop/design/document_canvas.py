"""The picture of a Document: its graph, frames, comments, findings, and what is drawn while it is edited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QRect, QRectF, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QWidget

from app.desktop.canvas.graph import CanvasGraph, GraphNode, Point
from app.desktop.canvas.layout import Layout, arrange
from app.desktop.canvas.view import GraphView
from app.desktop.design import canvas_extras as beside
from app.desktop.design.document import Document, follow
from app.desktop.design.drag_overlay import Sketch, Snap, Wire, port
from app.desktop.design.inline_editor import InlineEditor
from app.desktop.design.tree import node_at
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr


class DocumentCanvas(GraphView):
    """Shows ``document`` and follows its changes, its selection and its findings.

    ``offered`` brings the sources of definitions that are pasted.
    """

    offered = Signal(object)

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self.console = console
        self.document: Document | None = None
        self.editor: InlineEditor | None = None
        self.menu: QFrame | None = None
        self._auto: dict[str, Point] = {}
        self._sketch = Sketch(self.brushes)
        self.shared.ports = True
        self.setObjectName("design-canvas")
        self.selection_changed.connect(self._select_in_document)

    def show_document(self, document: Document | None) -> None:
        self._auto = {}
        self.document = follow(
            self.document, document, changed=self._changed, selection_changed=self._follow_selection,
            findings_changed=self._mark, renamed=self._rename,
        )  # fmt: skip
        self.graph = CanvasGraph()
        self.close_menu()
        if document is None:
            self.show_graph(CanvasGraph(name="Open a task, or make a new one"))
            return
        self.items_by_id_reset()
        self._draw(fit=True)
        self.select(document.selection)

    def items_by_id_reset(self) -> None:
        """Forget the nodes of another task: equal ids are other nodes there."""
        self._quiet = True  # what the scene says of items that go is no choice of a person
        for item in self.items_by_id.values():
            self.scene().removeItem(item)
        self.items_by_id.clear()
        self._quiet = False
        self._world = None

    def _changed(self) -> None:
        """Follow an edit; what is looked at stays where it is."""
        self._draw(fit=False)

    def _draw(self, *, fit: bool) -> None:
        if self.document is None:
            return
        graph = self.document.graph()
        bends = self._place_new(graph)
        nodes = tuple(replace(node, position=node.position or self._auto[node.id]) for node in graph.nodes)
        extras = self.document.sheet.extras
        whole = CanvasGraph(
            self._marked(nodes), graph.links, beside.frames(extras), beside.notes(extras),
            "Drag a job type here, or press Ctrl+I",
        )  # fmt: skip
        placed = {node.id: node.position for node in nodes if node.position is not None}
        self.show_graph(whole, Layout(placed, bends.bends if bends else {}), fit=fit and bool(nodes))
        if fit and not nodes:
            self.set_zoom(1)

    def _place_new(self, graph: CanvasGraph) -> Layout | None:
        """Positions for nodes that the task gives none; once found they stay for as long as it is open."""
        missing = [node for node in graph.nodes if node.position is None and node.id not in self._auto]
        if not missing:
            return None
        known = {**self._auto, **graph.positions()}
        known = {node.id: known[node.id] for node in graph.nodes if node.id in known}
        layout = arrange(graph, known or None)
        self._auto.update({node.id: layout.positions[node.id] for node in missing})
        return layout

    def _rename(self, old: str, new: str) -> None:
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
        findings = [(node_at(each.path), each.severity) for each in self.document.findings]
        marked = {id for id, _ in findings}
        bad = {id for id, severity in findings if severity == "error"}
        return tuple(
            replace(node, mark="error" if node.id in bad else "warning") if node.id in marked else node
            for node in nodes
        )

    def _select_in_document(self, ids: frozenset[str]) -> None:
        if self.document is not None:
            self.document.select(ids)

    def _follow_selection(self, ids: frozenset[str]) -> None:
        if ids != self.selected():
            self.select(ids, show=True)

    def show_guides(self, guides: Snap | None) -> None:
        """The lines that a dragged node snaps to."""
        self._sketch.guides = guides
        self.viewport().update()

    def show_wire(self, source: str | None, end: Point = (0.0, 0.0), refused: str = "") -> None:
        """The link that is being drawn, red with the reason when it is refused."""
        self._sketch.wire = Wire(port(self.positions()[source]), end, refused) if source else None
        self.viewport().update()

    def preview_note(self, id: str, at: Point) -> None:
        """A comment somewhere else, for now."""
        self.frames.notes = tuple(
            replace(note, position=at) if note.id == id else note for note in self.frames.notes
        )
        self.viewport().update()

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        self._sketch.paint(painter, QRectF(rect), self)
        super().drawForeground(painter, rect)

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

    def _describe(self) -> None:
        super()._describe()
        self.setAccessibleName(
            tr("Canvas: {n} nodes; the outline shows them as a list", n=len(self.graph.nodes))
        )
