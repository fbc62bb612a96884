"""Bundles: exporting runs, opening what came in, the cases that were imported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from app.desktop.bundles.bundle_dialog import error_text
from app.desktop.bundles.export_dialog import ExportDialog
from app.desktop.bundles.opening import OpeningDialog
from app.desktop.bundles.package_dialog import ask_to_take_back, title_of
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.times import when
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import button, plain, worded
from app.desktop.widgets.table import TableColumn, TableView
from engine.api.documents import Document
from engine.model.errors import SkerryError
from export_import.case import cases_at

COLUMNS = (
    TableColumn("Case", lambda row: str(row["name"]), 260),
    TableColumn(
        "Imported",
        lambda row: when(row["imported_at"]) or tr("cannot be read"),
        160,
        lambda row: row["imported_at"] or "",
    ),
    TableColumn("Folder", lambda row: str(row["folder"]), 0),
)
_KINDS = {"fix": "Fix", "delivery": "Delivery"}
CHANGES = (
    TableColumn("Brought in", lambda row: when(row["applied_at"]), 160, lambda row: row["applied_at"]),
    TableColumn("Kind", lambda row: tr(_KINDS.get(str(row["kind"]), str(row["kind"]))), 100),
    TableColumn("Title", title_of, 0),
    TableColumn("By", lambda row: str(row["by"]), 120),
    TableColumn("Taken back", lambda row: when(row["undone_at"]), 160),
)


class BundlesPage(QWidget):
    """Assistants open over the window; a case opens in a window of its own."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
        self.table = TableView(console, "Cases", COLUMNS, lambda row: row["folder"], self)
        self.table.empty.say("No cases: drop a bundle on the window to open it.")
        self.changes = TableView(console, "Fixes and deliveries", CHANGES, lambda row: row["id"], self)
        self.changes.empty.say("No fix or delivery was brought in.")
        self.back_button, self.said = button("Take it back…", self._ask_back), plain()
        self.changes.looked_at.connect(lambda _: self._offer())
        self.table.chosen.connect(lambda row: self._show_case(Path(str(row["folder"]))))
        head = worded(
            plain(),
            "A diagnostic bundle carries a run to support; a fix or a delivery comes back. "
            "What came in becomes a case that can be replayed.",
        )
        doing = button("Export runs…", self.export), button("Open a bundle…", self.choose)
        changes_head = worded(plain(wrap=False), "Fixes and deliveries that were brought in here")
        below = hbox((changes_head, 1), self.back_button)
        vbox(hbox((head, 1), *doing), (self.table, 1), below, (self.changes, 1), self.said, inside=self)
        self.refresh()

    def refresh(self) -> None:
        """Look for cases, fixes and deliveries again."""
        root = self._console.workspace
        self._console.link.ask(lambda _: cases(root), self.table.show_rows, owner=self)
        self._console.link.ask(
            lambda service: service.amendments()[::-1], self._show_changes, owner=self, failed=self._refused
        )

    def export(self, chosen: Sequence[str] = ()) -> None:
        """The export assistant, for these runs if any."""
        ExportDialog(self._console, list(chosen), self.window()).open()

    def choose(self) -> None:
        """Choose a bundle on the disk or the stick."""
        files, _ = QFileDialog.getOpenFileNames(self, tr("Open a bundle"))
        if files:
            self.open_paths([Path(each) for each in files])

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Verify what lies there, say who signed it, and go on from there."""
        dialog = OpeningDialog(self._console, list(paths), self._show_case, self.window())
        dialog.left.connect(self.refresh)
        dialog.open()

    def showEvent(self, event: QShowEvent) -> None:
        """Who comes back sees what has come in meanwhile."""
        super().showEvent(event)
        self.refresh()

    def _ask_back(self) -> None:
        row = self.changes.current
        if row is not None:
            ask_to_take_back(self, self._console.link, self._console.workspace, row, self._taken_back)

    def _taken_back(self, _: object) -> None:
        self.said.setText(tr("It is taken back: all is as it was before."))
        self.refresh()

    def _refused(self, error: SkerryError) -> None:
        self.said.setText(error_text(error, self._console))

    def _show_changes(self, rows: list[Document]) -> None:
        self.changes.show_rows(rows)
        self._offer()

    def _offer(self) -> None:
        row = self.changes.current
        self.back_button.setEnabled(row is not None and row["undone_at"] is None)

    def _show_case(self, folder: Path) -> None:
        from app.desktop.bundles.case_window import open_case

        try:
            open_case(self._console, folder).show()
        except SkerryError as error:
            self._refused(error)
        self.refresh()


def cases(root: Path) -> list[dict[str, Any]]:
    """The imported cases of a workspace; on a worker thread."""
    found, unreadable = cases_at(root)
    rows = [
        {"name": case.name, "imported_at": case.imported_at, "folder": str(case.folder)} for case in found
    ]
    return rows + [
        {"name": each.folder.name, "imported_at": None, "folder": str(each.folder)} for each in unreadable
    ]
