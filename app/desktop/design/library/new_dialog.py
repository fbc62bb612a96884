"""The id and the type of something new."""

from __future__ import annotations

from collections.abc import Container, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QWidget,
)

from app.desktop.design.forms.plain_text import plain_label
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import vbox
from engine.definitions.notes import id_problem


class NewDialog(QDialog):
    """``chosen`` brings the id and the type; without ``kinds`` only an id is asked for."""

    chosen = Signal(str, str)

    def __init__(
        self, console: Console, kinds: Sequence[tuple[str, str]], taken: Container[str],
        parent: QWidget | None = None, *, start: str = "",
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("New") if kinds else tr("Copy"))
        self._kinds, self._taken = kinds, taken
        self.id = QLineEdit(start, self)
        self.id.setPlaceholderText(tr("letters, digits, _ . -"))
        self.id.setAccessibleName(tr("Id"))
        self.id.selectAll()
        self.kind = QComboBox(self)
        self.kind.addItems([words for _, words in kinds])
        self.kind.setAccessibleName(tr("Type"))
        self.problem = plain_label("", self)
        self.problem.setStyleSheet(f"color: {console.theme.colours.danger}")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.make = buttons.addButton(tr("Make it"), QDialogButtonBox.ButtonRole.AcceptRole)
        form = QFormLayout()
        form.addRow(tr("Id"), self.id)
        if kinds:
            form.addRow(tr("Type"), self.kind)
        vbox(form, self.problem, buttons, inside=self)
        self.id.textChanged.connect(lambda _text: self._look())
        buttons.accepted.connect(self._take)
        buttons.rejected.connect(self.reject)
        self._look()
        self.id.setFocus()

    def _look(self) -> None:
        id = self.id.text().strip()
        words = (
            tr("There is {id} already.", id=id) if id in self._taken else (id_problem(id) or "") if id else ""
        )
        self.problem.setText(words)
        self.make.setEnabled(bool(id) and not words)

    def _take(self) -> None:
        if self.make.isEnabled():
            kind = self._kinds[self.kind.currentIndex()][0] if self._kinds else ""
            self.chosen.emit(self.id.text().strip(), kind)
            self.accept()
