"""A bar above the canvas that says what somebody must decide, and stays until it is decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from app.desktop.design.forms.plain_text import plain_label
from app.desktop.kernel.console import Console
from app.desktop.widgets.layouts import hbox

Choice = tuple[str, Callable[[], object]]


class Notice(QFrame):
    """One sentence and its buttons; hidden while there is nothing to decide."""

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self.setObjectName("notice")
        self.label = plain_label("", self)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.buttons: list[QPushButton] = []
        self._row = hbox((self.label, 1), inside=self, margins=(10, 4, 10, 4))
        console.theme.changed.connect(self._colour)
        self._colour()
        self.hide()

    def say(self, text: str, choices: Sequence[Choice], look: Choice | None = None) -> None:
        """Ask; each choice is a button, and hides the bar; ``look`` is one that does not."""
        self._clear()
        self.label.setText(text)
        self.setAccessibleName(text)
        for word, do in choices:
            self._add(word, do).clicked.connect(self.hide)
        if look is not None:
            self._add(*look)
        self.show()

    def _add(self, word: str, do: Callable[[], object]) -> QPushButton:
        button = QPushButton(word, self)
        button.clicked.connect(partial(_call, do))
        self._row.addWidget(button)
        self.buttons.append(button)
        return button

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


def _call(do: Callable[[], object], _checked: bool = False) -> None:
    do()
