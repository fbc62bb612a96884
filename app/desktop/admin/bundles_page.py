"""Bundles: exporting runs, opening what came in, the cases that were imported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.desktop.home.lines import when
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.widgets.table import Column, Row, Table

COLUMNS = (
    Column("Case", lambda row: str(row["name"]), 260),
    Column("Imported", lambda row: when(row["imported_at"]), 160, lambda row: row["imported_at"]),
    Column("Folder", lambda row: str(row["folder"]), 0),
)


class BundlesPage(QWidget):
    """Assistants open over the window; a case opens in a window of its own."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
        self.head = QLabel(self, wordWrap=True)
        self.table = Table(console, "Cases", COLUMNS, lambda row: row["folder"], self)
        self.table.empty = "No cases: drop a bundle on the window to open it."
        self.export_button, self.open_button = QPushButton(self), QPushButton(self)
        self.export_button.clicked.connect(lambda: self.export())
        self.open_button.clicked.connect(self.choose)
        self.table.chosen.connect(self._open_case)
        row = QHBoxLayout()
        row.addWidget(self.head, 1)
        row.addWidget(self.export_button)
        row.addWidget(self.open_button)
        column = QVBoxLayout(self)
        column.addLayout(row)
        column.addWidget(self.table, 1)
        translated(self, self._word)
        self.refresh()

    def refresh(self) -> None:
        """Look for cases anew."""
        root = self._console.workspace
        self._console.link.ask(lambda _: cases(root), self.table.show_rows, owner=self)

    def export(self, chosen: Sequence[str] = ()) -> None:
        """The export assistant, for these runs if any."""
        from app.desktop.bundles.export_dialog import ExportDialog

        ExportDialog(self._console, list(chosen), self.window()).open()

    def choose(self) -> None:
        """Choose a bundle on the disk or the stick."""
        files, _ = QFileDialog.getOpenFileNames(self, tr("Open a bundle"))
        if files:
            self.open_paths([Path(each) for each in files])

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Verify what lies there, say who signed it, and go on from there."""
        from app.desktop.bundles.opening import OpeningDialog

        OpeningDialog(self._console, list(paths), self._show_case, self.window()).open()

    def _open_case(self, row: Row) -> None:
        self._show_case(Path(str(row["folder"])))

    def _show_case(self, folder: Path) -> None:
        from app.desktop.bundles.case_window import open_case

        open_case(self._console, folder).show()
        self.refresh()

    def _word(self) -> None:
        self.head.setText(
            tr(
                "A diagnostic bundle carries a run to support; a fix or a delivery comes back. "
                "What came in becomes a case that can be replayed."
            )
        )
        self.export_button.setText(tr("Export runs …"))
        self.open_button.setText(tr("Open a bundle …"))


def cases(root: Path) -> list[dict[str, Any]]:
    """The imported cases of a workspace; on a worker thread."""
    from export_import.case import cases_at

    return [
        {"name": case.name, "imported_at": case.imported_at, "folder": str(case.folder)}
        for case in cases_at(root)
    ]
