"""Questions before something that cannot be taken back; they say what will happen, as plain text."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QMessageBox,
    QVBoxLayout,
    QWidget,
)

from app.desktop.kernel.language import tr


def confirm(parent: QWidget, title: str, text: str, do: str) -> bool:
    """Whether the person wants it; ``do`` is the word on the button. Nothing is the default."""
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setWindowTitle(title)
    box.setText(text)
    yes = box.addButton(do, QMessageBox.ButtonRole.AcceptRole)
    no = box.addButton(tr("Do nothing"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(no)
    box.setEscapeButton(no)
    box.exec()
    return box.clickedButton() is yes


class Asking(QDialog):
    """A small form: a text, some fields, a button that does it."""

    def __init__(self, parent: QWidget, title: str, text: str, do: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setMinimumWidth(420)
        self._said = QLabel(text, self, wordWrap=True)
        self._said.setTextFormat(Qt.TextFormat.PlainText)
        self.form = QFormLayout()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.do = self.buttons.addButton(do, QDialogButtonBox.ButtonRole.AcceptRole)
        self.do.setDefault(True)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self._said)
        column.addLayout(self.form)
        column.addWidget(self.buttons)

    def add(self, label: str, field: QWidget) -> None:
        """A field with its name."""
        field.setAccessibleName(label)
        self.form.addRow(label, field)

    def line(self, label: str, text: str = "", needed: bool = False) -> QLineEdit:
        """A field of one line; a needed one holds the button back while it is empty."""
        field = QLineEdit(text, self)
        self.add(label, field)
        if needed:
            field.textChanged.connect(lambda now: self.do.setEnabled(bool(now.strip())))
            self.do.setEnabled(bool(text.strip()))
        return field

    @property
    def wanted(self) -> bool:
        """Ask; whether the person pressed the button."""
        return self.exec() == QDialog.DialogCode.Accepted
