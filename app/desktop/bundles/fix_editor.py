"""A case's own copy of its task, changed as in Design: canvas, palette and forms, with the text beside."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Any

from PySide6.QtCore import QSignalBlocker, QTimer
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QToolButton, QWidget

from app.desktop.bundles.case_document import CaseDocument
from app.desktop.design.actions import MODE
from app.desktop.design.canvas import DesignCanvas
from app.desktop.design.canvas_actions import add_canvas_actions
from app.desktop.design.definition_library import tree_of
from app.desktop.design.entries import PaletteEntry
from app.desktop.design.entry_list import EntryList
from app.desktop.design.exchange import sources_of
from app.desktop.design.form_dock import FormDock
from app.desktop.design.pages import NodeFinder
from app.desktop.design.problems import Problems, counted
from app.desktop.design.text_view import TextView
from app.desktop.design.tree import Tree, node_at
from app.desktop.kernel.console import Console
from app.desktop.kernel.dropped_files import definitions_of
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.reasons import error_line, failure_line
from app.desktop.widgets.layouts import hbox, split, vbox
from app.desktop.widgets.pane_widgets import holder, named, tabs
from app.desktop.widgets.roomy_buttons import ToolButton
from engine.api.documents import Source
from engine.model.errors import SkerryError
from engine.model.findings import Finding
from engine.planning.outline import map_of

_ROOM = 1000  # pixels of width from which the palette is beside the canvas without being asked for
_TOOLS = ("insert", "undo", "redo", "find", "fit")
_BUTTON = 28  # pixels
_PAGES = ("Form", "YAML text", "Problems")


class FixEditor(QWidget):
    """``document`` is what is edited, None until it is shown."""

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.console = console
        self.document: CaseDocument | None = None
        self.canvas = DesignCanvas(console, self)
        self.finder = NodeFinder(self.canvas, self)
        self.palette_list = EntryList(console, self)
        self.form = FormDock(console, self.canvas, self)
        self.text = TextView(console, self)
        self.problems = Problems(console, self)
        self.tasks = named(QComboBox(), "Task")
        self.setAcceptDrops(True)
        self.pages = tabs("The node", dict(zip(_PAGES, (self.form, self.text, self.problems), strict=True)))
        self._asked_for = False  # the palette, by a person
        self._add_actions()
        self._lay_out()
        self._connect()

    def _add_actions(self) -> None:
        add_canvas_actions(self.console.actions, self.canvas)
        canvas, problems = self.canvas, self.problems
        doing = {
            "undo": lambda: self._step("undo"), "redo": lambda: self._step("redo"),
            "insert": self.insert, "find": self.finder.open, "fit": canvas.fit,
            "actual": lambda: canvas.set_zoom(1),
            "nearer": lambda: canvas.zoom_by(1.25), "farther": lambda: canvas.zoom_by(0.8),
            "next-problem": lambda: problems.step(1), "previous-problem": lambda: problems.step(-1),
        }  # fmt: skip
        for spec in MODE:
            if do := doing.get(spec.id.partition(".")[2]):
                self.console.actions.add(spec, self, do)

    def _lay_out(self) -> None:
        tools = [self._tool(self.console.actions.get(f"design.{id}")) for id in _TOOLS]
        bar = hbox(self.tasks, *tools, 1, margins=0, spacing=2)
        middle = holder(vbox(bar, self.finder, (self.canvas, 1), margins=0, spacing=4))
        self.halves = split(self.palette_list, (middle, 3), (self.pages, 2), sizes=(190, 560, 380))
        vbox(self.halves, inside=self, margins=0)

    def _tool(self, action: QAction) -> QToolButton:
        made = ToolButton(self, _BUTTON)
        made.setAutoRaise(True)
        made.setDefaultAction(action)
        return made

    def _connect(self) -> None:
        self.palette_list.chosen.connect(self._insert)
        self.palette_list.left.connect(self.canvas.setFocus)
        self.canvas.focus_form.connect(self.focus_form)
        self.canvas.offered.connect(self.take)
        self.problems.chosen.connect(self.go_to)
        self.problems.counted.connect(lambda n: self.pages.setTabText(_PAGES.index("Problems"), counted(n)))
        self.tasks.activated.connect(lambda _: self._draw(self.tasks.currentText()))
        self.pages.currentChanged.connect(lambda _: self.text.refresh() if self.document else None)
        translated(self, self._word)

    def show_document(self, document: CaseDocument, node: str | None) -> None:
        """Edit it, and begin with a node."""
        self.document = document
        document.setParent(self)
        document.changed.connect(self._list_tasks)
        self._list_tasks()
        self._show()
        self.canvas.select({node} if node else (), show=True)
        self.canvas.setFocus()

    def _list_tasks(self) -> None:
        if self.document is None:
            return
        with QSignalBlocker(self.tasks):
            self.tasks.clear()
            self.tasks.addItems(self.document.tasks)
            self.tasks.setCurrentText(self.document.task_id)
        self.tasks.setVisible(self.tasks.count() > 1)

    def _show(self) -> None:
        for view in (self.canvas, self.form, self.text, self.problems):
            view.show_document(self.document)
        self._word()

    def _draw(self, task: str) -> None:
        """Another task of the case on the canvas; what was changed in this one stays."""
        if self.document is None or task == self.document.task_id:
            return
        for view in (self.canvas, self.form):
            view.show_document(None)
        self.document.task_id = task
        self._show()

    def _word(self) -> None:
        self.palette_list.show_entries(self.canvas.entries())

    def take(self, sources: Sequence[Source]) -> None:
        """Put definitions from files or the clipboard over those of the case, as one step of undo."""
        document = self.document
        if document is None:
            return
        tree = document.tree

        def read(_service: object) -> tuple[dict[str, Any], tuple[Finding, ...]]:
            found = tree
            for each in sources:
                found = document.with_definitions(found, map_of(tree_of(each["text"])))
            findings = [document.examined(each["text"], tree) for each in sources]
            return dict(found), tuple(chain.from_iterable(findings))

        self.console.link.ask(read, partial(self._taken, document, tree, sources), owner=self)

    def _taken(
        self,
        document: CaseDocument,
        before: Tree,
        sources: Sequence[Source],
        read: tuple[Tree, Sequence[Finding]],
    ) -> None:
        found, findings = read
        wrong = next((each for each in findings if each.severity == "error"), None)
        if wrong is not None:
            self.console.navigator.notify(failure_line(wrong.code, wrong.message), bad=True)
        elif found == before:
            self.console.navigator.notify(tr("Nothing differs from what is here."))
        elif document.tree is before:
            names = ", ".join(each["name"] for each in sources)
            document.edit(lambda _: found, tr("Definitions from {name}", name=names))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if definitions_of(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Files with definitions are put over those of the case."""
        event.acceptProposedAction()
        try:
            self.take(sources_of(definitions_of(event.mimeData())))
        except SkerryError as error:
            self.console.navigator.notify(error_line(error), bad=True)

    def _step(self, way: str) -> None:
        if self.document is not None:
            getattr(self.document.undo, way)()

    def insert(self) -> None:
        """Go to the palette's search; Enter inserts after the selection."""
        self._asked_for = True
        self.palette_list.show()
        self.palette_list.field.setFocus()
        self.palette_list.field.selectAll()

    def _insert(self, entry: PaletteEntry) -> None:
        self.canvas.commands.insert(entry)
        self.canvas.setFocus()

    def focus_form(self) -> None:
        """Put the cursor into the form of the selected node."""
        self.pages.setCurrentWidget(self.form)
        self.form.focus_form()

    def go_to(self, finding: Finding) -> None:
        """Select the node of a finding and focus its field."""
        node = node_at(finding.path)
        self.canvas.select({node} if node else (), show=True)
        self.pages.setCurrentWidget(self.form)
        self.form.focus(finding.path)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        QTimer.singleShot(0, self.canvas, self.canvas.fit)
        self.palette_list.setVisible(self._asked_for or self.width() >= _ROOM)
