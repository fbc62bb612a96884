"""Starting a task from anywhere: which one, then its values if it asks for any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.subjects.launching import start_with
from app.desktop.widgets.cut_cells import cut_items
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import named
from app.desktop.widgets.questions import do_or_cancel
from app.desktop.widgets.reading_order import ReadingDialog
from app.desktop.widgets.rows import row_height
from engine.model.errors import SkerryError

_ID = Qt.ItemDataRole.UserRole


class WhichTask(ReadingDialog):
    """``chosen`` brings the id of a task; what is typed narrows the list while the arrows move in it.

    It takes the keyboard before the tasks are known: what is typed on meanwhile is meant for it.
    """

    chosen = Signal(str)

    def __init__(self, console: Console, first: str | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Start a task"))
        self.resize(QSize(480, 420))
        self._console, self._first = console, first
        self._tasks: list[Mapping[str, Any]] = []
        self.text = named(QLineEdit(self), "Find a task", "Find a task")
        self.list = named(QListWidget(self), "Tasks")
        cut_items(self.list)
        self.list.setUniformItemSizes(True)
        buttons, self.start = do_or_cancel(self, tr("Start"), self._choose)
        self.start.setDefault(True)
        vbox(self.text, (self.list, 1), buttons, inside=self)
        self.text.textChanged.connect(lambda _: self._fill(None))
        self.list.itemDoubleClicked.connect(lambda _: self._choose())
        self._fill(None)
        self.text.setFocus()

    def show_tasks(self, tasks: Sequence[Mapping[str, Any]]) -> None:
        """Offer these, as far as they fit what has been typed."""
        self._tasks = sorted((row for row in tasks if row.get("state") != "deleted"), key=_id)
        self._fill(self._first)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrows move in the list while the text has the focus."""
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        if not step:
            super().keyPressEvent(event)
            return
        row = self.list.currentRow() + step
        self.list.setCurrentRow(max(0, min(row, self.list.count() - 1)))

    def _fill(self, first: str | None) -> None:
        wanted = self.text.text().strip().casefold()
        self.list.clear()
        for row in self._tasks:
            shown = _shown(row)
            if wanted in shown.casefold():
                item = QListWidgetItem(self._console.icons.get("task"), shown, self.list)
                item.setData(_ID, _id(row))
                item.setSizeHint(QSize(0, row_height(self.list)))
        ids = [self.list.item(at).data(_ID) for at in range(self.list.count())]
        self.list.setCurrentRow(ids.index(first) if first in ids else 0)
        self.start.setEnabled(bool(ids))

    def _choose(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.accept()
            self.chosen.emit(str(item.data(_ID)))


def ask_which(console: Console, owner: QWidget, first: str | None = None) -> None:
    """Let a person choose a task, ``first`` beforehand, and start it."""

    dialog = WhichTask(console, first, owner)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.chosen.connect(lambda task: start_task(console, owner, task))

    def failed(error: SkerryError) -> None:
        dialog.reject()
        console.refused(error)

    dialog.open()
    console.link.ask(
        lambda service: service.definitions("task"), dialog.show_tasks, owner=dialog, failed=failed
    )


def start_task(console: Console, owner: QWidget, task: str) -> None:
    """Start a task as it is stored: its values are asked for if it has any."""

    def came(found: Mapping[str, Any]) -> None:
        start_with(console, task, (found["definition"] or {}).get("params"), owner)

    console.link.ask(
        lambda service: service.definition("task", task), came, owner=owner, failed=console.refused
    )


def _id(row: Mapping[str, Any]) -> str:
    return str(row["id"])


def _shown(row: Mapping[str, Any]) -> str:
    name = str(row.get("name") or "")
    return f"{_id(row)} – {name}" if name and name != _id(row) else _id(row)
