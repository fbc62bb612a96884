"""Small questions of the designer, each in a window that waits without stopping the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QPushButton, QWidget

from app.desktop.design.forms.plain_text import plain_label
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import vbox
from engine.definitions.notes import id_problem


class AskId(QDialog):
    """An id for something new; what is none, or taken, cannot be accepted."""

    def __init__(self, title: str, suggestion: str, taken: Collection[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._taken = taken
        self.field = QLineEdit(suggestion, self)
        self.field.setAccessibleName(tr("Id"))
        self.field.selectAll()
        self.words = plain_label("", self)
        self.words.setMinimumWidth(360)
        buttons = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(buttons.Ok | buttons.Cancel, self)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        vbox(
            plain_label(tr("Letters, digits and _ . - ; it names the task everywhere."), self),
            self.field,
            self.words,
            self.buttons,
            inside=self,
        )
        self.field.textChanged.connect(self._check)
        self._check(suggestion)

    def _check(self, text: str) -> None:
        id = text.strip()
        problem = id_problem(id) if id else tr("An id is needed")
        if id in self._taken:
            problem = tr("There is a task {id} already", id=id)
        self.words.setText(problem or "")
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(problem is None)


def ask_id(
    parent: QWidget, title: str, suggestion: str, taken: Collection[str], done: Callable[[str], object]
) -> AskId:
    """Open the question; ``done`` gets the id."""
    dialog = AskId(title, suggestion, taken, parent)
    dialog.accepted.connect(lambda: done(dialog.field.text().strip()))
    dialog.open()
    return dialog


class Ask(QDialog):
    """A question with a button for each answer; Esc is the last one, which does nothing."""

    def __init__(
        self, title: str, text: str, answers: Sequence[tuple[str, Callable[[], object]]], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        label = plain_label(text, self)
        label.setMinimumWidth(380)
        box = vbox(label, inside=self)
        self.buttons = QDialogButtonBox(self)
        for word, do in answers:
            button = QPushButton(word, self)
            button.clicked.connect(self.accept)
            button.clicked.connect(lambda _=False, do=do: do())
            self.buttons.addButton(button, QDialogButtonBox.ButtonRole.AcceptRole)
        self.cancel = self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.buttons.rejected.connect(self.reject)
        self.cancel.setDefault(True)
        box.addWidget(self.buttons)
