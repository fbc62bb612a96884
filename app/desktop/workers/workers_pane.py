"""The workers of Queue mode: how each is, what it takes no jobs for, what runs there."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QFormLayout, QWidget

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.overview import Snapshot
from app.desktop.kernel.subject import Subject
from app.desktop.subjects.menu import offer_menu
from app.desktop.subjects.worker_table import ADD_WORKER
from app.desktop.widgets.layouts import hbox, split, vbox
from app.desktop.widgets.pane_widgets import StatusLabel, Tall, button, holder, named, plain
from app.desktop.widgets.table import Row, TableView
from app.desktop.workers.columns import THERE, WORKERS
from app.desktop.workers.words import facts, look, summary, why_text

_ALONE = (
    "Jobs run on this machine only. Other machines are reached by SSH, and nothing is installed there: "
    "add one, and jobs that name it in their form run there."
)


_LEAST = 56  # pixels of a part: its head and a row


class WorkersPane(QWidget):
    """A table of them, and beside it the selected one."""

    looked_at = Signal()  # a person selects a worker, or what runs on one

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self._wanted: str | None = None  # selected once it is known
        self._found: Row | None = None  # the whole document of the selected one
        self._facts: list[tuple[str, str]] = []  # what is laid out of it
        self.summary = plain(wrap=False)
        self.add = button(ADD_WORKER.text, self._add)
        self.table = TableView(console, "Workers", WORKERS, lambda row: row["name"], self)
        self.status, self.name = StatusLabel(console), plain(bold=True, wrap=False)
        self.why, self.alone = plain(), plain()
        self.facts = QFormLayout()
        self.there = TableView(console, "What runs on the worker", THERE, _job, self)
        self.there.empty.say("Nothing runs there.")
        self.add.setVisible(console.actions.find(ADD_WORKER.id) is not None)  # not at a desk
        self._lay_out()
        self.table.looked_at.connect(lambda _: self._select())
        self.there.looked_at.connect(lambda _: self.looked_at.emit())
        for each in (self.table, self.there):
            each.installEventFilter(self)
        self.there.chosen.connect(self._go)
        offer_menu(self.table, console.actions, (ADD_WORKER.id,))
        offer_menu(self.there, console.actions)
        self._may()
        console.link.state_changed.connect(self._may)
        console.overview.refreshed.connect(self._show)
        translated(self, self._word)
        if console.overview.latest is not None:
            self._show(console.overview.latest)

    def subject(self) -> Subject | None:
        """What runs there while that list has the keyboard, else the worker."""
        row = self.there.current
        if self.window().focusWidget() is self.there and row is not None:
            return Subject(row["task"], row["instance"], row["node"], None, row["status"])
        worker = self.table.current
        return None if worker is None else Subject(worker=worker)

    def open(self, name: str) -> None:
        """Select that one, now or once it is known."""
        self.table.setFocus()
        self._wanted = None if self.table.select(name) else name
        self.looked_at.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The list that gets the keyboard is the one that is looked at."""
        if event.type() is QEvent.Type.FocusIn:
            self.looked_at.emit()
        return super().eventFilter(watched, event)

    def _lay_out(self) -> None:
        title = hbox(self.status, (self.name, 1), margins=0)
        about = Tall(holder(vbox(title, self.why, self.alone, self.facts, 1, margins=(8, 0, 0, 0))))
        named(about, "About the selected worker")
        for each in (about, self.there, self.table):
            each.setMinimumHeight(_LEAST)
        beside = split((about, 3), (self.there, 2), across=False, collapsible=False, sizes=(120, 80))
        both = split((self.table, 3), (beside, 2), sizes=(600, 400), collapsible=False)
        vbox(hbox((self.summary, 1), self.add, margins=0), (both, 1), inside=self, margins=6)

    def _may(self) -> None:
        self.add.setEnabled(self._console.link.writable)

    def _show(self, snapshot: Snapshot) -> None:
        self.table.show_rows(snapshot.workers)
        if self._wanted is not None and self.table.select(self._wanted):
            self._wanted = None
        self._select()
        self._word()

    def _select(self) -> None:
        row = self.table.current
        if row is None:
            return
        if self._found is None or self._found["name"] != row["name"]:
            self._found = None
            self.there.show_rows(())
        self._word()
        self.looked_at.emit()
        name = str(row["name"])
        self._console.link.ask(
            lambda service: service.worker(name), self._came, owner=self, failed=lambda _: None
        )

    def _came(self, found: dict[str, Any]) -> None:
        row = self.table.current
        if row is not None and row["name"] == found["name"]:
            self._found = found
            self.there.show_rows(found["attempts"])
            self._word()

    def _word(self) -> None:
        rows, row = self.table.shown, self.table.current
        self.summary.setText(summary(rows))
        self.alone.setText(tr(_ALONE))
        self.alone.setVisible(len(rows) < 2)
        self.status.show_status(look(row) if row else None)
        self.name.setText(str(row["name"]) if row else "")
        why = why_text(row) if row else ""
        self.why.setText(why)
        self.why.setVisible(bool(why))
        self._show_facts([] if self._found is None else [each for each in facts(self._found) if each[1]])

    def _show_facts(self, found: list[tuple[str, str]]) -> None:
        """Laid out again only where they are others: each second the worker is looked at."""
        if found == self._facts:
            return
        self._facts = found
        while self.facts.rowCount():
            self.facts.removeRow(0)
        for label, text in found:
            self.facts.addRow(plain(label, wrap=False), plain(text))

    def _go(self, row: Row) -> None:
        self._console.navigator.go(Target("instance", str(row["instance"]), node=row["node"], detail="log"))

    def _add(self) -> None:
        self._console.actions.get(ADD_WORKER.id).trigger()


def _job(row: Row) -> object:
    return row["job_instance"], row["attempt"]
