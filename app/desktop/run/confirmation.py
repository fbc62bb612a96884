"""A question before something is done: it names what will happen, and asks for a reason where needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QLineEdit, QSpinBox, QWidget

from app.desktop.kernel.language import tr
from app.desktop.widgets.pane_widgets import column, plain


@dataclass(frozen=True, slots=True)
class Question:
    """All texts are in the language that is on.

    ``choices`` are (text, value) of which one is chosen; ``number`` is (lowest, highest, now); ``label`` says
    what is chosen or counted. A ``reason`` must be given, a ``note`` may be.
    """

    title: str
    what: str
    do: str
    label: str = ""
    choices: Sequence[tuple[str, Any]] = ()
    number: tuple[int, int, int] | None = None
    reason: bool = False
    note: bool = False


class Confirm(QDialog):
    """Asks; ``done`` is called with (value, reason) when the person agrees."""

    def __init__(
        self, question: Question, done: Callable[[Any, str], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(question.title)
        self.setMinimumWidth(440)
        self._question = question
        self.choice, self.number, self.why = QComboBox(), QSpinBox(), QLineEdit()
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.yes = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.yes.setText(question.do)
        leave = self.buttons.button(QDialogButtonBox.StandardButton.Cancel)
        leave.setText(tr("Leave it"))
        leave.setAutoDefault(False)
        self._lay_out()
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.accepted.connect(lambda: done(self.value, self.why.text().strip()))
        self.why.textChanged.connect(lambda _: self._check())
        self._check()

    def _lay_out(self) -> None:
        question = self._question
        layout = column(plain(question.what), margin=14, spacing=10)
        for text, data in question.choices:
            self.choice.addItem(text, data)
        field = self.choice if question.choices else self.number
        if question.number is not None:
            lowest, highest, now = question.number
            self.number.setRange(lowest, highest)
            self.number.setValue(now)
        if question.label:
            field.setAccessibleName(question.label)
            layout.addWidget(plain(question.label))
            layout.addWidget(field)
        if question.reason or question.note:
            self.why.setAccessibleName(tr("Reason"))
            self.why.setPlaceholderText(tr("Why, for those who come after you"))
            layout.addWidget(plain(tr("Reason")))
            layout.addWidget(self.why)
        layout.addWidget(self.buttons)
        self.setLayout(layout)

    @property
    def value(self) -> Any:
        """What was chosen or counted."""
        return self.choice.currentData() if self._question.choices else self.number.value()

    def _check(self) -> None:
        self.yes.setEnabled(not self._question.reason or bool(self.why.text().strip()))
