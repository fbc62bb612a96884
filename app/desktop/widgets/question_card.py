"""The question of an ``approve`` job: its choices as buttons, and the fields that it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QPushButton, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.reasons import choice_word
from app.desktop.kernel.times import when
from app.desktop.kernel.visible_text import visible
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import plain
from app.desktop.widgets.roomy_buttons import PushButton
from engine.model.question import Question
from engine.model.reason import Reason

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, which an attempt asks once, and where the answer goes: instance, node and index."""

    instance: int
    node: str
    index: int | None
    job_instance: int | None
    attempt: int
    question: Question

    @classmethod
    def of_job(cls, run: int, job: Mapping[str, Any] | None) -> Asked | None:
        """What a job of the instance ``run`` asks; None when it asks nothing."""
        if job is None or job["status"] != "waiting":
            return None
        question = Question.of(Reason.read(job.get("why"), job.get("reason")))
        where = run, job["node"], job["index"], job["instance"], job["attempt"]
        return None if question is None else cls(*where, question)

    @classmethod
    def of_list(cls, row: Mapping[str, Any]) -> Asked:
        """From an entry of the operation ``questions``."""
        choices, fails_on = tuple(row["choices"]), tuple(row["fails_on"])
        question = Question(row["question"], choices, fails_on, row["note"], row["value"], row["until"])
        return cls(row["instance"], row["node"], row["index"], row["job_instance"], row["attempt"], question)


class QuestionCard(QFrame):
    """Hidden where nothing is asked; Enter in a field is the first choice, as its button says.

    ``answered`` comes when an answer was taken.
    """

    answered = Signal()

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self._asked: Asked | None = None
        self.question = plain()
        self.value, self.note = QLineEdit(), QLineEdit()
        self.buttons: list[QPushButton] = []
        self._row = hbox(margins=0, spacing=6)
        vbox(self.question, self.value, self.note, self._row, inside=self, margins=0, spacing=6)
        for field in (self.value, self.note):
            field.returnPressed.connect(self._first)
            field.installEventFilter(self)
        translated(self, self._word)

    def ask(self, asked: Asked | None, writable: bool) -> None:
        """Show a question; what was typed stays while it is the same."""
        if asked != self._asked:
            self._asked = asked
            self._begin()
        self.setVisible(asked is not None)
        for each in (self.value, self.note, *self.buttons):
            each.setEnabled(writable)

    def _begin(self) -> None:
        for button in self.buttons:
            self._row.removeWidget(button)
            button.deleteLater()
        self.value.clear()
        self.note.clear()
        question = self._asked.question if self._asked is not None else None
        self.buttons = [self._button(choice) for choice in (question.choices if question else ())]
        self._word()

    def _button(self, choice: str) -> QPushButton:
        made = PushButton(self)
        made.setAutoDefault(True)  # Enter presses the one that has the focus
        made.installEventFilter(self)
        made.clicked.connect(lambda: self._answer(choice))
        self._row.addWidget(made)
        return made

    def _word(self) -> None:
        if self._asked is None:
            return
        question = self._asked.question
        for choice, button in zip(question.choices, self.buttons, strict=True):
            button.setText(visible(choice_word(choice)).replace("&", "&&"))
        text = visible(question.question)
        until = tr("To be answered by {time}", time=when(question.until)) if question.until else ""
        self.question.setText(f"{text}\n{until}" if until else text)
        self.value.setVisible(question.value is not None)
        self.value.setPlaceholderText(tr("Value ({kind})", kind=tr(question.value or "")))
        self.note.setVisible(question.note != "none")
        needed = question.note == "required"
        self.note.setPlaceholderText(tr("Note (needed)") if needed else tr("Note (optional)"))
        self.value.setAccessibleName(self.value.placeholderText())
        self.note.setAccessibleName(self.note.placeholderText())
        self.setAccessibleName(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter belongs to the field or button that has the focus, not to an action of the mode."""
        match event:
            case QKeyEvent() if event.type() == QEvent.Type.ShortcutOverride and event.key() in _ENTER:
                event.accept()
                return True
        return super().eventFilter(watched, event)

    def _first(self) -> None:
        if self.buttons and self.buttons[0].isEnabled():
            self.buttons[0].click()

    def _answer(self, choice: str) -> None:
        """Give it; what does not fit is said, and what was typed stays."""
        if (asked := self._asked) is None:
            return
        instance, node, index = asked.instance, asked.node, asked.index
        note, value = self.note.text() or None, self.value.text() or None

        def done(_: Any) -> None:
            message = tr("Answered: {choice}", choice=visible(choice))
            self._console.navigator.notify(message)
            self.answered.emit()

        self._console.link.ask(
            lambda service: service.approve(instance, node, choice, index, note, value),
            done,
            owner=self,
            failed=self._console.refused,
        )
