"""Small questions of the designer, each in a window that waits without stopping the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QLineEdit, QWidget

from app.desktop.design.edits import free_id
from app.desktop.design.forms.plain_text import plain_label, tinted_label
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import form, named
from app.desktop.widgets.questions import do_or_cancel
from app.desktop.widgets.reading_order import ReadingDialog
from engine.definitions.notes import id_problem


class AskId(ReadingDialog):
    """The id of something new; one that is not valid, or taken, cannot be accepted.

    ``kinds`` are the types that it may have, with their words. With ``naming`` its name is asked for first,
    and makes the id until that is typed. ``chosen`` brings the id and the type.
    """

    chosen = Signal(str, str)

    def __init__(
        self, console: Console, title: str, start: str, taken: Collection[str], parent: QWidget, *,
        text: str = "", kinds: Sequence[tuple[str, str]] = (), naming: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._kinds, self._taken = kinds, taken
        self.field = named(QLineEdit(start, self), "Id", "letters, digits, _ . -")
        self.field.setMinimumWidth(300)
        self._start, self._typed = start, False
        self.name = named(QLineEdit(self), "Name", "As people call it, in any script")
        self.name.setVisible(naming)
        self.name.textEdited.connect(self._make_id)
        self.field.textEdited.connect(self._keep_id)
        self.field.selectAll()
        self.kind = QComboBox(self)
        self.kind.addItems([words for _, words in kinds])
        self.kind.setVisible(bool(kinds))
        fields = form(
            *([("Name", self.name)] if naming else []),
            ("Id", self.field),
            *([("Type", self.kind)] if kinds else []),
        )
        self.problem = tinted_label(console.theme, "danger", "", self)
        buttons, self.make = do_or_cancel(self, tr("Make it"), self.accept)
        self.make.setDefault(True)
        words = plain_label(text, self)
        words.setVisible(bool(text))
        vbox(words, fields, self.problem, buttons, inside=self)
        self.field.textChanged.connect(self._check)
        self._check()
        (self.name if naming else self.field).setFocus()

    def _keep_id(self) -> None:
        self._typed = True

    def _make_id(self, name: str) -> None:
        """An id from the name; letters that an id cannot have give the one that was suggested."""
        if self._typed:
            return
        readable = any(each.isascii() and each.isalnum() for each in name)
        self.field.setText(free_id(name.casefold() if readable else self._start, self._taken))

    def _check(self) -> None:
        id = self.field.text().strip()
        problem = tr("There is {id} already.", id=id) if id in self._taken else id_problem(id) if id else None
        self.problem.setText(problem or "")
        self.make.setEnabled(bool(id) and not problem)

    def accept(self) -> None:
        """Take the id, if it can be taken."""
        if self.make.isEnabled():
            super().accept()
            kind = self._kinds[self.kind.currentIndex()][0] if self._kinds else ""
            self.chosen.emit(self.field.text().strip(), kind)


class QuestionDialog(ReadingDialog):
    """A question with a button for each answer; Esc is the last one, which does nothing."""

    def __init__(
        self, title: str, text: str, answers: Sequence[tuple[str, Callable[[], object]]], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        label = plain_label(text, self)
        label.setMinimumWidth(380)
        self.buttons = QDialogButtonBox(self)
        for word, do in answers:
            button = self.buttons.addButton(word, QDialogButtonBox.ButtonRole.AcceptRole)
            button.clicked.connect(self.accept)
            button.clicked.connect(lambda _=False, do=do: do())
        self.buttons.rejected.connect(self.reject)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel).setDefault(True)
        vbox(label, self.buttons, inside=self)
