"""The bar above the canvas: a conflict, or unsaved work that was found, until the operator has decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from app.desktop.design.document import Document
from app.desktop.design.forms.plain_text import plain_label
from app.desktop.design.open_tasks import OpenTasks
from app.desktop.design.recovery import Unsaved
from app.desktop.design.saving import Conflict
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import hbox
from app.desktop.widgets.roomy_buttons import PushButton

Choice = tuple[str, Callable[[], object]]


class DecisionBar(QFrame):
    """One sentence and its buttons; hidden while there is nothing to decide. ``look`` shows the revisions."""

    def __init__(
        self, console: Console, tasks: OpenTasks, look: Callable[[], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._console, self._tasks, self._look = console, tasks, look
        self._found: dict[Document, Unsaved] = {}  # undecided
        self._about: tuple[Document, object] | None = None  # what is asked now
        self.setObjectName("notice")
        self.label = plain_label("", self)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.buttons: list[QPushButton] = []
        self._row = hbox((self.label, 1), inside=self, margins=(10, 4, 10, 4))
        tasks.state_changed.connect(self._follow)
        tasks.current_changed.connect(self._follow)
        tasks.recovered.connect(self._recovered)
        tasks.closed.connect(self._decided)
        console.theme.changed.connect(self._colour)
        self._colour()
        self.hide()

    def _follow(self) -> None:
        current = self._tasks.current
        asked = None if current is None else current.conflict or self._found.get(current)
        about = None if current is None or asked is None else (current, asked)
        if about == self._about:
            return
        self._about = about
        if current is None or asked is None:
            self.hide()
        elif isinstance(asked, Conflict):
            self._show_conflict(current, asked.names())
        else:
            self._show_found(current, asked)

    def _show_conflict(self, document: Document, names: str) -> None:
        self._say(
            tr("Changed elsewhere while you were editing: {names}. Nothing was overwritten.", names=names),
            (
                (tr("Keep mine"), lambda: self._tasks.keep_mine(document)),
                (tr("Take theirs"), lambda: self._tasks.take_theirs(document)),
                (tr("Show the differences"), self._look),
            ),
        )

    def _recovered(self, document: Document, found: Unsaved) -> None:
        self._found[document] = found
        self._console.navigator.notify(_found_again(document, found))
        self._follow()

    def _show_found(self, document: Document, found: Unsaved) -> None:
        def keep() -> None:  # it is there already
            self._decided(document)

        def throw_away() -> None:
            document.undo.setIndex(0)
            self._decided(document)

        text = _found_again(document, found)
        self._say(text, ((tr("Keep the work"), keep), (tr("Throw it away"), throw_away)))

    def _decided(self, document: Document) -> None:
        self._found.pop(document, None)
        self._follow()

    def _say(self, text: str, choices: Sequence[Choice]) -> None:
        """Ask; each choice is a button."""
        self._clear()
        self.label.setText(text)
        self.setAccessibleName(text)
        for choice in choices:
            self._add(*choice)
        self.show()

    def _add(self, word: str, do: Callable[[], object]) -> None:
        button = PushButton(word, self)
        button.clicked.connect(lambda _checked=False: do())
        self._row.addWidget(button)
        self.buttons.append(button)

    def _clear(self) -> None:
        for button in self.buttons:
            self._row.removeWidget(button)
            button.deleteLater()
        self.buttons = []

    def _colour(self) -> None:
        colours = self._console.theme.colours
        self.setStyleSheet(
            f"#notice {{ background: {colours.raised}; border-bottom: 2px solid {colours.warning}; }}"
        )


def _found_again(document: Document, found: Unsaved) -> str:
    time = found.time[:16].replace("T", " ")
    return tr("Unsaved work of {time} on {id} was found again.", time=time, id=document.task_id)
