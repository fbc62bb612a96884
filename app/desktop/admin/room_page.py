"""Room on the disk: what is no longer kept, looked at before it is taken away."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QLabel, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.overview import Snapshot
from app.desktop.kernel.times import when
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import button
from app.desktop.widgets.questions import confirm
from app.desktop.widgets.table import TableColumn, TableView
from app.desktop.workers.words import size_text

COLUMNS = (
    TableColumn("Instance", lambda row: f"#{row['instance']}", 90, lambda row: row["instance"]),
    TableColumn("Task", lambda row: str(row["task"]), 180),
    TableColumn("Status", lambda row: str(row["status"]), 130, status=lambda row: str(row["status"])),
    TableColumn("Ended", lambda row: when(row["ended_at"]), 150, lambda row: row["ended_at"] or ""),
    TableColumn("Size", lambda row: size_text(row["size"]), 90, lambda row: row["size"], wise=True),
    TableColumn("Why", lambda row: str(row["reason"]), 0),
)


_BEFORE = "What the setting retention no longer keeps is listed here before anything is taken away."


class RoomPage(QWidget):
    """A dry run first; then what it showed can be taken away."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
        self._found: dict[str, Any] | None = None
        self._free: int | None = None
        self.said = QLabel(self, wordWrap=True)
        self.table = TableView(
            console, "Instances that are no longer kept", COLUMNS, lambda row: row["instance"], self
        )
        self.table.empty.say(_BEFORE)
        self.look = button("What is no longer kept?", self._look)
        self.clean = button("Clean up…", self._clean)
        row = hbox((self.said, 1), self.look, self.clean)
        vbox(row, (self.table, 1), inside=self)
        console.overview.refreshed.connect(self._beat)
        translated(self, self._word)

    def _beat(self, snapshot: Snapshot) -> None:
        if snapshot.free is not None and size_text(snapshot.free) != size_text(self._free):
            self._free = snapshot.free
            self._word()

    def _look(self) -> None:
        self._console.link.ask(lambda service: service.clean(dry_run=True), self._show, owner=self)

    def _clean(self) -> None:
        if self._found is None:
            return
        n, size = len(self._found["removed"]), size_text(self._found["size"])
        text = tr("{n} instances with their directories are taken away for good: {size}.", n=n, size=size)
        if confirm(self, tr("Clean up"), text, tr("Take them away")):
            self._console.link.ask(lambda service: service.clean(), self._cleaned, owner=self)

    def _cleaned(self, found: dict[str, Any]) -> None:
        self._console.navigator.notify(tr("{size} were freed", size=size_text(found["size"])))
        self._look()

    def _show(self, found: dict[str, Any]) -> None:
        self._found = found
        self.table.empty.say("Everything is still kept: there is nothing to clean up.")
        self.table.viewport().update()
        self.table.show_rows(found["removed"])
        self._word()

    def _word(self) -> None:
        free = tr("Free: {size}.", size=size_text(self._free)) if self._free is not None else ""
        found = self._found
        would = tr("{n} instances are no longer kept by the setting retention: {size}.",
                   n=len(found["removed"]), size=size_text(found["size"])) if found else ""  # fmt: skip
        self.said.setText(f"{free} {would}".strip())
        self.clean.setEnabled(bool(found and found["removed"]) and self._console.link.writable)
