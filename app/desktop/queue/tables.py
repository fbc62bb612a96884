"""The tables of the queue: what waits for a slot, and what has one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.mode import Mode
from app.desktop.kernel.overview import Snapshot
from app.desktop.kernel.subject import Subject
from app.desktop.queue.columns import RUNNING, place_words
from app.desktop.queue.waiting_table import WaitingTable
from app.desktop.widgets.layouts import split, vbox
from app.desktop.widgets.pane_widgets import holder, plain
from app.desktop.widgets.questions import Asking
from app.desktop.widgets.table import Row, TableView
from app.desktop.workers.workers_pane import WorkersPane

if TYPE_CHECKING:
    from engine.api.service import Service

_TICK = 1000  # milliseconds between two looks at how long everything has run or waited


class QueueTables(Mode):
    """Two tables, the next job first."""

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self.state: Row = {}
        self._wanted: str | None = None
        self._looked_at: TableView | WorkersPane | None = None
        self.places = plain()
        self._running_title, self._waiting_title = plain(bold=True), plain(bold=True)
        self.running = TableView(console, "Jobs that run", RUNNING, _key, self)
        self.waiting = WaitingTable(console, self)
        self.running.empty.say("Nothing runs.")
        self._lay_out()
        for table in (self.running, self.waiting):
            table.chosen.connect(self._go)
            table.looked_at.connect(lambda _, own=table: self._look_at(own))
            table.clicked.connect(lambda _, own=table: self._look_at(own))
        console.overview.refreshed.connect(self._show)
        self._ticking = QTimer(self, interval=_TICK)
        self._ticking.timeout.connect(self._lengthen)
        self._ticking.start()
        translated(self, self._word)
        if console.overview.latest is not None:
            self._show(console.overview.latest)

    def open(self, target: Target) -> None:
        if target.kind == "worker":
            self.raise_dock("workers", focus=True)
            self.pane("workers", WorkersPane).open(target.id)
            return
        self._wanted = target.id or None
        self._select()

    def entered(self) -> None:
        self.console.overview.soon()
        self.waiting.setFocus()

    def subject(self) -> Subject | None:
        """The job of the table that was last looked at, or the worker."""
        if isinstance(self._looked_at, WorkersPane):
            return self._looked_at.subject()
        row = self._looked_at.current if self._looked_at is not None else None
        if row is None:
            return None
        return Subject(row["task"], row["instance"], row["node"], None, row["status"])

    def _look_at(self, table: TableView) -> None:
        """A table in which something is selected by a person; while both are filled the focus decides."""
        other = self.running if table is self.waiting else self.waiting
        if table.current is not None and not (other.hasFocus() and other.current is not None):
            self._looked_at = table
        self.subject_changed.emit()

    def look_at_workers(self) -> None:
        """The pane of the workers, in which something is selected by a person."""
        pane = self.pane("workers", WorkersPane)
        if self.window().focusWidget() in (pane.table, pane.there):  # also while another window is active
            self._looked_at = pane
        self.subject_changed.emit()

    def asked(
        self, form: Asking, make: Callable[[], Callable[[Service], Any]], done: Callable[[Any], str],
        field: QWidget,
    ) -> None:  # fmt: skip
        """Ask with a form, which stays open with the message at ``field`` while the command is refused."""

        def came(answer: Any) -> None:
            self.console.navigator.notify(done(answer))
            self.console.overview.soon()

        form.carry_out(self.console.link, make, came, field)

    def command(self, call: Callable[[Service], Any], done: Callable[[Any], str]) -> None:
        """Give a command; say what came of it, and look again."""

        def came(answer: Any) -> None:
            self.console.navigator.notify(done(answer))
            self.console.overview.soon()

        self.console.link.ask(call, came, owner=self)

    def _lay_out(self) -> None:
        waiting = holder(vbox(self._waiting_title, self.waiting, margins=0))
        running = holder(vbox(self._running_title, self.running, margins=0))
        both = split(waiting, running, across=False, collapsible=False)
        self.setCentralWidget(holder(vbox(self.places, (both, 1), margins=8)))

    def _show(self, snapshot: Snapshot) -> None:
        self.state = snapshot.queue
        if self.state:
            self.running.show_rows(self.state["running"])
            held = [{**row, "held": True} for row in self.state.get("held_jobs", ())]
            self.waiting.show_rows([*self.state["waiting"], *held])
        self._select()
        self._word()

    def _lengthen(self) -> None:
        """Between two looks everything has run or waited for longer."""
        for table in (self.running, self.waiting):
            table.viewport().update()  # asks for nothing while it is hidden

    def _select(self) -> None:
        if self._wanted is not None and any(
            table.select(int(self._wanted)) for table in (self.waiting, self.running)
        ):
            self._wanted = None

    def _go(self, row: Row) -> None:
        self.console.navigator.go(Target("instance", str(row["instance"]), node=row["node"], detail="why"))

    def _word(self) -> None:
        waiting, running = self.state.get("waiting", ()), self.state.get("running", ())
        self.places.setText(place_words(self.state))
        held = len(self.state.get("held_jobs", ()))
        title = tr("Waiting ({n}), the next one first", n=len(waiting))
        self._waiting_title.setText(title + (f" · {tr('held: {n}', n=held)}" if held else ""))
        self._running_title.setText(tr("Running ({n})", n=len(running)))


def _key(row: Row) -> object:
    return row["job_instance"]
