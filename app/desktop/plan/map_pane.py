"""The map of tasks: what waits for what, as a graph and below it as a table, with one selection."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from app.desktop.canvas.view import GraphView
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import translated, trn
from app.desktop.kernel.link import Request
from app.desktop.plan.task_map import COLUMNS, map_of
from app.desktop.run.throttle import Throttle
from app.desktop.widgets.layouts import PAGE, hbox, split, vbox
from app.desktop.widgets.pane_widgets import button, plain, tipped
from app.desktop.widgets.table import Row, TableView

_INTERVAL = 1000  # milliseconds between two looks
_SHARE = 8  # at most one part of the time is spent looking
_TYPING = 150


class MapPane(QWidget):
    """``selected`` brings the id of a task, ``activated`` one whose instances are to be shown.

    ``drawn``: what there is, and so perhaps what is selected, is another.
    """

    drawn = Signal()
    selected = Signal(str)
    activated = Signal(str)

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self._tasks: Sequence[Row] = ()
        self.graph = GraphView(console)
        self.graph.keeps_fit = True
        self.table = TableView(console, "Tasks", COLUMNS, lambda row: row["task"], self)
        self.table.empty.say("There is no task yet. Draw one in Design.")
        self.text = tipped(QLineEdit(clearButtonEnabled=True), "Find a task", hint="Find a task")
        self.note = plain(wrap=False)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING)
        self._look = Throttle(self._read, _INTERVAL, self, _SHARE)
        self._lay_out()
        self._connect()
        translated(self, self._draw)

    def _lay_out(self) -> None:
        self.text.setMaximumWidth(220)
        whole = button("Show all", self.graph.fit, "See the whole map")
        head = hbox((self.note, 1), whole, self.text, spacing=6)
        both = split((self.graph, 3), (self.table, 1), across=False, collapsible=False, sizes=(420, 180))
        vbox(head, (both, 1), inside=self, margins=PAGE, spacing=6)

    def _connect(self) -> None:
        self.text.textChanged.connect(lambda _: self._typing.start())
        self._typing.timeout.connect(self._find)
        self.graph.selection_changed.connect(self._of_graph)
        self.graph.activated.connect(self.activated)
        self.table.looked_at.connect(self._of_table)
        self.table.chosen.connect(lambda row: self.activated.emit(str(row["task"])))

    def ask(self) -> None:
        """Something has changed: read it again soon."""
        if self.isVisible() or not self._tasks:
            self._look.ask()

    def forget(self) -> None:
        """Stop reading."""
        self._look.forget()

    def _read(self) -> Request:
        return self._console.link.ask(lambda service: service.task_map(), self._show, owner=self)

    def _show(self, tasks: Sequence[Row]) -> None:
        if tasks != self._tasks:
            self._tasks = tasks
            self._draw()

    def _draw(self) -> None:
        self.graph.show_graph(map_of(self._tasks))
        with QSignalBlocker(self.table):  # the first row that a new table selects was chosen by nobody
            self.table.show_rows(self._tasks)
        links = len(self.graph.graph.links)
        tasks = trn(len(self._tasks), "1 task", "{n} tasks")
        self.drawn.emit()
        self.note.setText(f"{tasks}  ·  {trn(links, '1 dependency', '{n} dependencies')}")

    def _find(self) -> None:
        found = self.graph.search(self.text.text())
        self.table.filter(self.text.text())
        if found:
            self.select(found[0])

    def select(self, task: str) -> None:
        """Mark a task in the graph and in the table."""
        self.graph.select([task], show=True)
        self.table.select(task)

    def _of_graph(self, chosen: frozenset[str]) -> None:
        if len(chosen) == 1:
            [task] = chosen
            self.table.select(task)
            self.selected.emit(task)

    def _of_table(self, row: Row | None) -> None:
        if row is not None:
            self.graph.select([str(row["task"])], show=True)
