"""The earlier revisions of a definition: what changed in each, and the way to bring one back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QDialogButtonBox, QPlainTextEdit, QWidget

from app.desktop.design.revision_list import RevisionList
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import error_line
from app.desktop.widgets.layouts import resize_within_screen, split, vbox
from app.desktop.widgets.reading_order import ReadingDialog
from engine.api.documents import Kind
from engine.definitions.writer import dump
from engine.model.errors import SkerryError
from engine.model.line_diff import whole_diff
from engine.model.names import SECTIONS


class RevisionsDialog(ReadingDialog):
    """``chosen`` brings the tree and the number of the revision to bring back."""

    chosen = Signal(object, int)

    def __init__(self, console: Console, kind: Kind, id: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Revisions of {id}", id=id))
        resize_within_screen(self, 820, 480)
        self._console, self._kind, self._id = console, kind, id
        self.list = RevisionList("Revisions", self)
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName(tr("What this revision changed"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.back = buttons.addButton(tr("Bring it back"), QDialogButtonBox.ButtonRole.ActionRole)
        self.back.clicked.connect(self._take)
        buttons.rejected.connect(self.reject)
        vbox((split(self.list, self.text, sizes=(270, 550)), 1), buttons, inside=self)
        self.list.currentItemChanged.connect(self._show)
        console.link.ask(
            lambda service: service.history(kind, id), self.list.show_revisions, owner=self,
            failed=self._failed,
        )  # fmt: skip

    def _failed(self, error: SkerryError) -> None:
        self.text.setPlainText(f"{error.code}  {error_line(error)}")

    def _show(self) -> None:
        row = self.list.row
        self.back.setEnabled(row > 0 and self.list.definition(row) is not None)
        lines = list(whole_diff(self._lines(row + 1), self._lines(row)))
        self.text.setPlainText("\n".join(lines))
        colours = self._console.theme.colours
        for number, line in enumerate(lines):
            colour = {"+": colours.good, "-": colours.danger}.get(line[:1])
            if colour:
                self._colour(number, colour)

    def _lines(self, row: int) -> list[str]:
        tree = self.list.definition(row)
        return [] if tree is None else dump({SECTIONS[self._kind]: {self._id: tree}}).splitlines()

    def _colour(self, number: int, colour: str) -> None:
        cursor = QTextCursor(self.text.document().findBlockByNumber(number))
        cursor.select(QTextCursor.SelectionType.LineUnderCursor)
        format = QTextCharFormat()
        format.setForeground(QColor(colour))
        cursor.setCharFormat(format)

    def _take(self) -> None:
        tree = self.list.definition(self.list.row)
        if tree is not None:
            self.chosen.emit(tree, self.list.number(self.list.row))
            self.accept()
