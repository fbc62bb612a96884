"""Design: the tasks of the workspace, the canvas of the one in front, and the docks around it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.desktop.design.actions import MODE
from app.desktop.design.canvas import DesignCanvas
from app.desktop.design.canvas_actions import add_canvas_actions
from app.desktop.design.decisions import DecisionBar
from app.desktop.design.document import Document
from app.desktop.design.entries import PaletteEntry
from app.desktop.design.entry_list import EntryList
from app.desktop.design.exchange_dialogs import DefinitionExchange
from app.desktop.design.form_dock import FormDock
from app.desktop.design.open_tasks import OpenTasks
from app.desktop.design.outline_view import OutlineView
from app.desktop.design.pages import NodeFinder, Pages, Tabs
from app.desktop.design.problems import Problems, counted
from app.desktop.design.revisions import RevisionsView
from app.desktop.design.task_commands import TaskCommands
from app.desktop.design.task_list import TaskList
from app.desktop.design.text_view import TextView
from app.desktop.design.tree import node_at
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import translated
from app.desktop.kernel.mode import Mode
from app.desktop.kernel.subject import Subject
from app.desktop.widgets.layouts import vbox
from engine.model.findings import Finding

_LEFT, _RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
_BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea
_NEEDS_TASK = ("save", "close", "insert", "run", "find", "fit", "layout")


class DesignMode(Mode):
    """Drawing tasks. ``tasks`` holds what is open; every view shows ``tasks.current``."""

    KEY = "design"

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self.tasks = OpenTasks(console, self)
        self.commands = TaskCommands(console, self.tasks, self)
        self.exchange = DefinitionExchange(console, self)
        self._listed = ""  # the task of the list that was selected last, unless it was something else
        self._awaited: tuple[str, str] | None = None  # a task and the node to show once it is open
        self._build_center()
        self._build_docks()
        self._add_canvas_actions()
        self._add_mode_actions()
        self._connect()
        self._show(None)
        translated(self, self._word)

    def _build_center(self) -> None:
        center = QWidget(self)
        self.tabs = Tabs(center)
        self.notice = DecisionBar(self.console, self.tasks, self.compare, center)
        self.canvas = DesignCanvas(self.console, center)
        self.finder = NodeFinder(self.canvas, center)
        self.pages = Pages(self.console, self.canvas, center)
        vbox(self.tabs, self.notice, self.finder, self.pages, inside=center, margins=0, spacing=0)
        self.setCentralWidget(center)

    def _build_docks(self) -> None:
        self.list = TaskList(self.console, self.tasks, self)
        self.palette_list = EntryList(self.console, self)
        self.outline = OutlineView(
            self.canvas.commands.rename_to, self._refuse, self.console.type_label, self
        )
        self.form = FormDock(self.console, self.canvas, self)
        self.problems = Problems(self.console, self)
        self.text = TextView(self.console, self)
        self.revisions = RevisionsView(self.console, self)
        self.dock("tasks", "Tasks", self.list, _LEFT)
        self.dock("palette", "Jobs", self.palette_list, _LEFT)
        self.dock("form", "Form", self.form, _RIGHT)
        self.dock("outline", "Outline", self.outline, _BOTTOM)
        self.dock("problems", "Problems", self.problems, _BOTTOM)
        self.dock("text", "YAML text", self.text, _BOTTOM)
        self.dock("revisions", "Revisions", self.revisions, _BOTTOM)
        for name in ("outline", "text", "revisions"):
            self.tabifyDockWidget(self.docks["problems"], self.docks[name])
        self.docks["outline"].visibilityChanged.connect(self.outline.seen)
        self.docks["problems"].raise_()

    def share_room(self) -> None:
        self.resizeDocks([self.docks["tasks"], self.docks["form"]], [240, 330], Qt.Orientation.Horizontal)
        self.resizeDocks([self.docks["problems"]], [160], Qt.Orientation.Vertical)
        self.resizeDocks([self.docks["tasks"], self.docks["palette"]], [200, 300], Qt.Orientation.Vertical)

    def _add_canvas_actions(self) -> None:
        add_canvas_actions(self.console.actions, self.canvas)
        do = self.canvas.commands
        inside = Qt.ShortcutContext.WidgetWithChildrenShortcut
        for keys, act in (("Del", do.delete), ("F2", self._rename_in_outline), ("Ctrl+L", do.link_selected)):
            QShortcut(QKeySequence(keys), self.outline, context=inside).activated.connect(act)

    def _add_mode_actions(self) -> None:
        do, canvas, problems = self.commands, self.canvas, self.problems
        doing = {
            "new": do.new, "save": lambda: self.text.settle(do.save), "close": do.close,
            "run": lambda: self.text.settle(do.run), "undo": do.undo,
            "import": lambda: self.exchange.bring_in(), "export": self.export,
            "redo": do.redo, "insert": self.insert, "find": self.finder.open, "fit": canvas.fit,
            "actual": lambda: canvas.set_zoom(1),
            "nearer": lambda: canvas.zoom_by(1.25), "farther": lambda: canvas.zoom_by(0.8),
            "jobs": lambda: self.show_shelf("job"), "resources": lambda: self.show_shelf("resource"),
            "next-problem": lambda: problems.step(1), "previous-problem": lambda: problems.step(-1),
        }  # fmt: skip
        for spec in MODE:
            self.console.actions.add(spec, self, doing[spec.id.partition(".")[2]])

    def export(self) -> None:
        """The task in front, or others, as text."""
        current = self.tasks.current
        self.exchange.give_out(self.tasks.library, [current.task_id] if current is not None else [])

    def _connect(self) -> None:
        self.canvas.offered.connect(self.exchange.bring_in)
        self.exchange.came.connect(self._came)
        self.tasks.current_changed.connect(self._show)
        self.tasks.opened.connect(self.tabs.add)
        self.tasks.closed.connect(self._closed)
        self.tasks.state_changed.connect(self._show_state)
        self.tasks.listed.connect(self._fill_palette)
        self.tabs.currentChanged.connect(self._tab_chosen)
        self.tabs.tabCloseRequested.connect(self._close_tab)
        self.list.wanted.connect(self.commands.do)
        self.list.looked_at.connect(self._look_at)
        self.canvas.selection_changed.connect(lambda _: self._look_at(""))
        self.palette_list.chosen.connect(self._insert)
        self.palette_list.left.connect(self.canvas.setFocus)
        self.problems.chosen.connect(self.go_to)
        self.problems.counted.connect(lambda n: self.docks["problems"].setWindowTitle(counted(n)))
        self.canvas.focus_form.connect(self._focus_form)
        self.tasks.refused.connect(self._show_problems)
        self.outline.entered.connect(lambda _id: self._focus_form())

    def entered(self) -> None:
        self.tasks.watch(True)

    def left(self) -> None:
        self.tasks.watch(False)

    def open(self, target: Target) -> None:
        """Show a task and, if the target names one, its node; of a file what it would change."""
        if target.kind == "definitions":
            self.exchange.bring_in(files=[Path(each) for each in target.id.split("\n")])
            return
        if target.kind != "task":
            self.show_shelf(target.kind, target.id)
            return
        self._awaited = (target.id, target.node) if target.node else None
        self.tasks.open(target.id)
        self._show_drawing()
        self._show_node()

    def show_shelf(self, kind: str, id: str = "") -> None:
        """Show the library of jobs or the resources, and one of them."""
        shelf = self.pages.show_shelf(kind, id)
        shelf.stored.connect(self.tasks.refresh, Qt.ConnectionType.UniqueConnection)
        if self.tabs.position(kind) < 0:
            self.tabs.add(kind)
        self.tabs.setCurrentIndex(self.tabs.position(kind))
        self._enable()

    def _show_drawing(self) -> None:
        """Come back to the canvas of the task in front."""
        self.pages.show_canvas()
        if self.tasks.current is not None:
            self.tabs.setCurrentIndex(self.tabs.position(self.tasks.current))
        self._enable()

    def _enable(self) -> None:
        """A shelf has undo and save of its own; without a task there is nothing to draw."""
        there = self.tasks.current is not None and self.pages.drawing
        for id in _NEEDS_TASK:
            self.console.actions.get(f"design.{id}").setEnabled(there)
        self.tabs.setVisible(self.tabs.count() > 0)
        self._show_state()

    def _came(self, tasks: Sequence[str]) -> None:
        """Definitions were brought in: see the first task of them."""
        self.tasks.refresh()
        for id in tasks[:1]:
            self.open(Target("task", id))

    def _close_tab(self, index: int) -> None:
        document = self.tabs.tabData(index)
        if isinstance(document, Document):
            self.commands.close(document)
            return
        self.tabs.removeTab(index)
        self._show_drawing()

    def _show_node(self) -> None:
        current = self.tasks.current
        if self._awaited and current is not None and current.task_id == self._awaited[0]:
            self.canvas.select({self._awaited[1]}, show=True)
            self._awaited = None

    def subject(self) -> Subject | None:
        """The task that was last selected in the list; else that in front, with the node that is selected."""
        if self._listed:
            return Subject(self._listed)
        current, chosen = self.tasks.current, self.canvas.selected()
        if current is None:
            return None
        return Subject(current.task_id, node=next(iter(chosen)) if len(chosen) == 1 else None)

    def _look_at(self, listed: str) -> None:
        """A person has selected a task of the list (empty: something else)."""
        self._listed = listed
        self.subject_changed.emit()

    def may_close(self) -> bool:
        """Unsaved work is kept on the disk and found again by the next window: closing loses nothing."""
        for document in self.tasks.unsaved():
            self.tasks.keep_for_later(document)
        return True

    def _show(self, document: Document | None) -> None:
        for view in (self.canvas, self.outline, self.form, self.problems, self.text, self.revisions):
            view.show_document(document)
        self._fill_palette()
        if (
            document is not None
            and document.new
            and not document.nodes
            and not self.docks["palette"].isHidden()
        ):
            self.docks["palette"].raise_()  # from where its first node comes
        self._show_drawing()
        self._show_node()
        self._look_at("")

    def _closed(self, document: Document) -> None:
        self.tabs.removeTab(self.tabs.position(document))
        self.form.forget(document)
        self._enable()

    def _tab_chosen(self, index: int) -> None:
        chosen = self.tabs.tabData(index) if index >= 0 else None
        if isinstance(chosen, Document) and chosen.task_id in self.tasks.documents:
            self.pages.show_canvas()
            self.tasks.bring(chosen)
            self._enable()
        elif isinstance(chosen, str):
            self.show_shelf(chosen)

    def _show_state(self) -> None:
        """Stars on the tabs, and the names of what can be undone."""
        self.tabs.show_names()
        self.commands.name_steps(self.pages.drawing)

    def _fill_palette(self) -> None:
        self.palette_list.show_entries(self.canvas.entries())

    def _word(self) -> None:
        self.docks["problems"].setWindowTitle(counted(len(self.problems.findings())))
        self._fill_palette()
        self._show_state()

    def _show_problems(self) -> None:
        """What keeps the task in front from being stored: the first problem, and its place."""
        self.raise_dock("problems")
        self.problems.first()

    def compare(self) -> None:
        """Show the revisions: the latest is compared with what is on the canvas."""
        self.raise_dock("revisions")

    def _refuse(self, text: str) -> None:
        self.console.navigator.notify(text, bad=True)

    def insert(self) -> None:
        """Go to the palette's search; Enter inserts after the selection."""
        self.raise_dock("palette")
        self.palette_list.field.setFocus()
        self.palette_list.field.selectAll()

    def _insert(self, entry: PaletteEntry) -> None:
        self.canvas.commands.insert(entry)
        self.canvas.setFocus()

    def _focus_form(self) -> None:
        self.raise_dock("form")
        self.form.focus_form()

    def _rename_in_outline(self) -> None:
        index = self.outline.table.currentIndex()
        if index.isValid():
            self.outline.setCurrentWidget(self.outline.table)
            self.outline.table.edit(index.siblingAtColumn(0))

    def go_to(self, finding: Finding) -> None:
        """Select the node of a finding, focus the field, and show its line in the text."""
        node = node_at(finding.path)
        self.canvas.select({node} if node else (), show=True)
        if not self.text.visibleRegion().isEmpty():
            self.text.go_to(finding.line)
        self.form.focus(finding.path)
