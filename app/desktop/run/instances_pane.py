"""The list of instances: what ran and runs, with a filter; choosing one shows it in every pane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QTableView, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.link import Request
from app.desktop.kernel.statuses import LOOKS, trigger_word
from app.desktop.kernel.times import time_text, took_text
from app.desktop.run.throttle import Throttle
from app.desktop.widgets.empty_words import EmptyWords
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import choices, line, named
from app.desktop.widgets.rows import show_as_rows
from app.desktop.widgets.table import Row, RowsModel, TableColumn
from engine.api.documents import InstanceQuery, Summary
from engine.model.states import InstanceState

MOST: Final = 500  # at once; what is typed is looked for among all
_OFTEN: Final = 700  # milliseconds between two readings of the list
_STATUSES = {"": "Every status"} | {str(state): LOOKS[str(state)].word for state in InstanceState}
COLUMNS = (
    TableColumn("Status", lambda each: "", 92, status=lambda each: str(each["status"])),
    TableColumn("No.", lambda each: _number(each), 44),
    TableColumn("Task", lambda each: str(each["task"]), 84),
    TableColumn("Time", lambda each: time_text(each["scheduled_time"]), 104),
    TableColumn("Made by", lambda each: tr(trigger_word(str(each["trigger"]))), 64),
    TableColumn("Took", lambda each: took_text(each["started_at"], each["ended_at"]), 64),
)


class InstancesModel(RowsModel):
    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(console, COLUMNS, lambda each: int(each["instance"]), parent)
        self._all: Sequence[Row] = ()
        self._text = ""

    def show_rows(self, rows: Sequence[Row]) -> None:
        self._all = rows
        self._sift()

    def sift(self, text: str) -> None:
        """Only those in whose task, number or error the text is found."""
        self._text = text.strip().casefold()
        self._sift()

    def _sift(self) -> None:
        super().show_rows([each for each in self._all if not self._text or self._text in _searched(each)])

    def note(self, statuses: Mapping[int, str]) -> None:
        self.show_rows(
            [{**each, "status": statuses.get(each["instance"], each["status"])} for each in self._all]
        )


def _number(each: Row) -> str:
    return str(each["instance"]) if each["run"] < 2 else f"{each['instance']} ({each['run']})"


def _searched(each: Row) -> str:
    parts = (each["task"], f"#{each['instance']}", each["error_code"], each["error_message"], each["reason"])
    return " ".join(str(part) for part in parts if part is not None).casefold()


_NARROWEST = 100  # pixels of what is looked for


class InstancesPane(QWidget):
    """The newest instances, newest first; ``chosen`` brings the number of one."""

    chosen = Signal(int)

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self.model = InstancesModel(console, self)
        hint = "Find a task, number or error"
        self.text = named(QLineEdit(clearButtonEnabled=True), hint, hint)
        self.status = named(choices(_STATUSES), "Only with this status")
        self.table = named(InstancesTable(self.model), "Instances")
        self._quiet = False
        self._current: int | None = None
        self._again = Throttle(self._ask, _OFTEN, self)
        self.text.setMinimumWidth(_NARROWEST)
        vbox(line(self.text, self.status, stretch=False), self.table, inside=self, margins=4, spacing=4)
        self._connect()
        translated(self, self._word)

    def _connect(self) -> None:
        self.text.textChanged.connect(self._sifted)
        self.status.activated.connect(lambda _: self.refresh())
        self.table.selectionModel().currentRowChanged.connect(self._row_changed)
        self.table.activated.connect(lambda index: self._choose(index.row()))
        self.table.clicked.connect(lambda index: self._choose(index.row()))
        self._console.link.changed.connect(self._heard)
        self._console.link.state_changed.connect(self._again.ask)
        self._console.theme.changed.connect(self.model.repaint)

    def _word(self) -> None:
        self.model.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)
        self.model.repaint()

    def refresh(self) -> None:
        self._again.now()

    def _ask(self) -> Request:
        text = self.text.text().strip()
        query = InstanceQuery(status=self.status.currentData() or None, text=text, limit=MOST)
        return self._console.link.ask(
            lambda service: service.instances(query), self._show, owner=self, failed=self._console.refused
        )

    def _show(self, rows: Sequence[Summary]) -> None:
        self._quietly(lambda: self.model.show_rows(rows))
        self.select(self._current)

    def _sifted(self, text: str) -> None:
        self._quietly(lambda: self.model.sift(text))
        self.select(self._current)
        self._again.ask()

    def _quietly(self, do: Any) -> None:
        self._quiet = True
        do()
        self._quiet = False

    def _heard(self, events: Sequence[Mapping[str, Any]]) -> None:
        changed = {each["instance"]: each["status"] for each in events if each.get("kind") == "instance"}
        if changed:
            self.model.note(changed)
        if changed or any(each.get("kind") == "resync" for each in events):
            self._again.ask()

    def select(self, instance: int | None) -> None:
        """Show which instance is shown, without choosing it again."""
        self._current = instance
        at = next((i for i, each in enumerate(self.model.rows) if each["instance"] == instance), -1)
        self._quietly(lambda: self.table.setCurrentIndex(self.model.index(at, 0)) if at >= 0 else None)

    def _row_changed(self, now: QModelIndex, _before: QModelIndex) -> None:
        if not self._quiet and now.isValid():
            self._choose(now.row())

    def _choose(self, row: int) -> None:
        instance = self.model.rows[row]["instance"]
        if instance != self._current:
            self._current = instance
            self.chosen.emit(instance)


class InstancesTable(QTableView):
    """The columns that fit are whole: where the time would be cut, its room is the task's."""

    def __init__(self, model: InstancesModel) -> None:
        super().__init__()
        self.setModel(model)
        show_as_rows(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        for at, each in enumerate(COLUMNS):
            self.setColumnWidth(at, each.width)
        self.horizontalHeader().setStretchLastSection(True)
        EmptyWords(self, "No runs.")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        status, number, task, time = (each.width for each in COLUMNS[:4])
        left = self.viewport().width() - status - number
        self.setColumnWidth(2, left if task <= left < task + time else task)
