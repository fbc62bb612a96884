"""The earlier revisions of a definition: what changed in each, and the way to bring one back."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QListWidget,
    QPlainTextEdit,
    QSplitter,
    QWidget,
)

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import vbox
from engine.api.documents import SECTIONS, Document, Kind
from engine.definitions.writer import dump
from engine.model.errors import SkerryError
from engine.model.line_diff import whole_diff


class RevisionsDialog(QDialog):
    """``chosen`` brings the tree and the number of the revision that is wanted back."""

    chosen = Signal(object, int)

    def __init__(self, console: Console, kind: Kind, id: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Revisions of {id}", id=id))
        self.resize(820, 480)
        self._console, self._kind, self._id = console, kind, id
        self._found: list[Document] = []
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("Revisions"))
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName(tr("What this revision changed"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.back = buttons.addButton(tr("Bring it back"), QDialogButtonBox.ButtonRole.ActionRole)
        self.back.clicked.connect(self._take)
        buttons.rejected.connect(self.reject)
        splitter = QSplitter(self)
        splitter.addWidget(self.list)
        splitter.addWidget(self.text)
        splitter.setSizes([240, 580])
        vbox((splitter, 1), buttons, inside=self)
        self.list.currentRowChanged.connect(self._show)
        console.link.ask(
            lambda service: service.history(kind, id), self._listed, owner=self, failed=self._failed
        )

    def _listed(self, found: list[Document]) -> None:
        self._found = found
        for each in found:
            when = str(each.get("created_at") or "")[:16].replace("T", " ")
            gone = "  " + tr("deleted") if each.get("deleted") else ""
            self.list.addItem(f"{each['revision']}   {when}   {each.get('actor') or ''}{gone}")
        self.list.setCurrentRow(0)

    def _failed(self, error: SkerryError) -> None:
        self.text.setPlainText(f"{error.code}  {error.message}")

    def _show(self, row: int) -> None:
        tree = self._tree(row)
        self.back.setEnabled(row > 0 and tree is not None)
        lines = changes(self._text(self._tree(row + 1)), self._text(tree))
        self.text.setPlainText("\n".join(lines))
        colours = self._console.theme.colours
        for number, line in enumerate(lines):
            colour = {"+": colours.good, "-": colours.danger}.get(line[:1])
            if colour:
                self._colour(number, colour)

    def _tree(self, row: int) -> Any:
        return self._found[row]["definition"] if 0 <= row < len(self._found) else None

    def _text(self, tree: Any) -> str:
        return "" if tree is None else dump({SECTIONS[self._kind]: {self._id: tree}})

    def _colour(self, number: int, colour: str) -> None:
        cursor = QTextCursor(self.text.document().findBlockByNumber(number))
        cursor.select(QTextCursor.SelectionType.LineUnderCursor)
        format = QTextCharFormat()
        format.setForeground(QColor(colour))
        cursor.setCharFormat(format)

    def _take(self) -> None:
        row = self.list.currentRow()
        if self._tree(row) is not None:
            self.chosen.emit(self._tree(row), int(self._found[row]["revision"]))
            self.accept()


def changes(before: str, after: str) -> list[str]:
    """The whole later text, with ``+`` and ``-`` before the lines that are new and gone."""
    return list(whole_diff(before.splitlines(), after.splitlines()))
