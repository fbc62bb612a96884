"""The question of an ``approve`` job: its choices as buttons, and the fields that it asks for."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QFrame, QLineEdit, QPushButton, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.visible_text import visible
from app.desktop.run.session import Session
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import plain
from engine.api.documents import JobDocument
from engine.model.question import Question
from engine.model.reason import Reason

_Asked = tuple[int | None, int, Question]  # the JobInstance, its attempt, what it asks


class QuestionCard(QFrame):
    """Hidden where nothing is asked; Enter in a field is the first choice, as its button says."""

    def __init__(self, console: Console, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console, self._session = console, session
        self._job: JobDocument | None = None
        self._asked: _Asked | None = None
        self.question = plain()
        self.value, self.note = QLineEdit(), QLineEdit()
        self.buttons: list[QPushButton] = []
        self._row = hbox(margins=0, spacing=6)
        vbox(self.question, self.value, self.note, self._row, inside=self, margins=0, spacing=6)
        for field in (self.value, self.note):
            field.returnPressed.connect(self._first)
        translated(self, self._word)

    def show_job(self, job: JobDocument | None, writable: bool) -> None:
        """Ask what the job asks; what was typed stays while the question is the same."""
        found = _asked(job)
        if found != self._asked:
            self._asked = found
            self._begin()
        self._job = job
        self.setVisible(found is not None)
        for each in (self.value, self.note, *self.buttons):
            each.setEnabled(writable)

    def _begin(self) -> None:
        for button in self.buttons:
            self._row.removeWidget(button)
            button.deleteLater()
        self.value.clear()
        self.note.clear()
        question = self._asked[2] if self._asked is not None else None
        self.buttons = [self._button(choice) for choice in (question.choices if question else ())]
        self._word()

    def _button(self, choice: str) -> QPushButton:
        made = QPushButton(visible(choice).replace("&", "&&"), self)
        made.setAutoDefault(True)  # Enter presses the one that has the focus
        made.clicked.connect(lambda: self._answer(choice))
        self._row.addWidget(made)
        return made

    def _word(self) -> None:
        if self._asked is None:
            return
        question = self._asked[2]
        text = visible(question.question)
        until = tr("until {time}", time=question.until) if question.until else ""
        self.question.setText(f"{text}\n{until}" if until else text)
        self.value.setVisible(question.value is not None)
        self.value.setPlaceholderText(tr("Value ({kind})", kind=question.value or ""))
        self.note.setVisible(question.note != "none")
        needed = question.note == "required"
        self.note.setPlaceholderText(tr("Note (needed)") if needed else tr("Note (optional)"))
        self.value.setAccessibleName(self.value.placeholderText())
        self.note.setAccessibleName(self.note.placeholderText())
        self.setAccessibleName(text)

    def _first(self) -> None:
        if self.buttons and self.buttons[0].isEnabled():
            self.buttons[0].click()

    def _answer(self, choice: str) -> None:
        """Give it; what does not fit is said, and what was typed stays."""
        job, look = self._job, self._session.look
        if job is None or look is None:
            return
        instance, node, index = look.run["instance"], job["node"], job["index"]
        note, value = self.note.text() or None, self.value.text() or None

        def done(_: Any) -> None:
            message = tr("Answered: {choice}", choice=visible(choice))
            self._console.navigator.notify(message)
            self._session.refresh()

        self._console.link.ask(
            lambda service: service.approve(instance, node, choice, index, note, value),
            done,
            owner=self,
            failed=self._console.refused,
        )


def _asked(job: JobDocument | None) -> _Asked | None:
    if job is None or job["status"] != "waiting":
        return None
    question = Question.of(Reason.read(job.get("why"), job.get("reason")))
    return None if question is None else (job["instance"], job["attempt"], question)
