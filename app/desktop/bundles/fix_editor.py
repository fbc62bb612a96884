"""A case's own copy of its task, changed as in Design: canvas, palette and forms, with the text beside."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QTimer
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QComboBox, QToolButton, QWidget

from app.desktop.bundles.case_document import CaseDocument
from app.desktop.design.actions import MODE
from app.desktop.design.canvas import DesignCanvas
from app.desktop.design.canvas_actions import add_canvas_actions
from app.desktop.design.entries import PaletteEntry
from app.desktop.design.entry_list import EntryList
from app.desktop.design.form_dock import FormDock
from app.desktop.design.pages import NodeFinder
from app.desktop.design.problems import Problems, counted
from app.desktop.design.text_view import TextView
from app.desktop.design.tree import node_at
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import translated
from app.desktop.widgets.layouts import hbox, split, vbox
from app.desktop.widgets.pane_widgets import holder, named, tabs
from engine.model.findings import Finding

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
        made = QToolButton(self, autoRaise=True)
        made.setDefaultAction(action)
        made.setMinimumSize(_BUTTON, _BUTTON)
        return made

    def _connect(self) -> None:
        self.palette_list.chosen.connect(self._insert)
        self.palette_list.left.connect(self.canvas.setFocus)
        self.canvas.focus_form.connect(self.focus_form)
        self.problems.chosen.connect(self.go_to)
        self.problems.counted.connect(lambda n: self.pages.setTabText(_PAGES.index("Problems"), counted(n)))
        self.tasks.activated.connect(lambda _: self._draw(self.tasks.currentText()))
        self.pages.currentChanged.connect(lambda _: self.text.refresh() if self.document else None)
        translated(self, self._word)

    def show_document(self, document: CaseDocument, node: str | None) -> None:
        """Edit it, and begin with a node."""
        self.document = document
        document.setParent(self)
        with QSignalBlocker(self.tasks):
            self.tasks.addItems(document.tasks)
            self.tasks.setCurrentText(document.task_id)
        self.tasks.setVisible(len(document.tasks) > 1)
        self._show()
        self.canvas.select({node} if node else (), show=True)
        self.canvas.setFocus()

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
