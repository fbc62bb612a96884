"""A question before something is done to a run: it names what will happen, and asks for a reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QComboBox, QLineEdit, QSpinBox, QWidget

from app.desktop.kernel.language import tr
from app.desktop.widgets.questions import Asking


@dataclass(frozen=True, slots=True)
class Confirmation:
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


class Confirm(Asking):
    """Asks without waiting; ``done`` is called with (value, reason) when the person agrees."""

    def __init__(self, question: Confirmation, done: Callable[[Any, str], None], parent: QWidget) -> None:
        super().__init__(parent, question.title, question.what, question.do)
        self.leave.setText(tr("Leave it"))  # beside "Cancel instance 3", "Cancel" would mean the instance
        self.choice, self.number, self.why = QComboBox(), QSpinBox(), QLineEdit()
        for text, data in question.choices:
            self.choice.addItem(text, data)
        if question.number is not None:
            lowest, highest, now = question.number
            self.number.setRange(lowest, highest)
            self.number.setValue(now)
        if question.label:
            self.add(question.label, self.choice if question.choices else self.number)
        if question.reason or question.note:
            self.why = self.reason(needed=question.reason)
        self.accepted.connect(lambda: done(self.value, self.why.text().strip()))

    @property
    def value(self) -> Any:
        return self.choice.currentData() if self.choice.count() else self.number.value()
