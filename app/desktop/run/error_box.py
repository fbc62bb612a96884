"""What went wrong with a job: code, title, message, cause, remedy, and what helps as buttons."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QWidget

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.error_codes import Explained
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.visible_text import visible
from app.desktop.run.remedies import Remedy
from app.desktop.widgets.layouts import emptied, vbox
from app.desktop.widgets.pane_widgets import link_button, plain
from app.desktop.widgets.roomy_buttons import PushButton

_ACROSS = 2


class ErrorBox(QFrame):
    """``acted`` brings the id of an action, ``gone`` a Target."""

    acted = Signal(str)
    gone = Signal(object)

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self.setObjectName("error-box")
        self._explained: Explained | None = None
        self._message = ""
        self._remedies: Sequence[Remedy] = ()
        self._writable = True
        self.code = link_button(self._open_code)
        self.title = plain(bold=True)
        self.message = plain()
        self.cause = plain()
        self.remedy = plain()
        self._buttons = QGridLayout()
        self._buttons.setContentsMargins(0, 4, 0, 0)
        self._made: list[QPushButton] = []
        words = self.code, self.title, self.message, self.cause, self.remedy
        vbox(*words, self._buttons, inside=self, margins=8, spacing=3)
        console.theme.changed.connect(self._dress)
        translated(self, self._word)
        self._dress()
        self.hide()

    def explain(
        self, found: Explained | None, message: str | None, remedies: Sequence[Remedy], writable: bool
    ) -> None:
        """Show an error; None with no message: nothing went wrong."""
        self._explained, self._message = found, message or ""
        self._remedies, self._writable = tuple(remedies), writable
        self.setVisible(bool(found or message))
        self._word()

    @property
    def buttons(self) -> dict[str, QPushButton]:
        """The buttons by their English text."""
        return {each.property("source"): each for each in self._made}

    def _word(self) -> None:
        found = self._explained
        self.code.setText(tr("Error {code}", code=found.code) if found else "")
        self.code.setVisible(found is not None)
        self.code.setToolTip(tr("Show it in the catalogue"))
        _say(self.title, found.title if found else "")
        _say(self.message, visible(self._message))
        _say(self.cause, tr("Cause: {words}", words=found.cause) if found and found.cause else "")
        remedy = found.remedy if found else ""
        _say(self.remedy, tr("What to do: {words}", words=remedy) if remedy else "")
        self.setAccessibleName(tr("Error"))
        self.setAccessibleDescription(f"{self.title.text()}. {self._message}")
        self._fill()

    def _fill(self) -> None:
        emptied(self._buttons)
        self._made = []
        for at, remedy in enumerate(self._remedies):
            made = PushButton(visible(tr(remedy.text, **remedy.values)))
            made.setProperty("source", remedy.text)
            made.setEnabled(self._writable or not remedy.changes)
            made.clicked.connect(self._doing(remedy))
            self._buttons.addWidget(made, at // _ACROSS, at % _ACROSS)
            self._made.append(made)

    def _doing(self, remedy: Remedy) -> Callable[[], None]:
        if remedy.target is not None:
            return lambda: self.gone.emit(remedy.target)
        return lambda: self.acted.emit(remedy.action)

    def _open_code(self) -> None:
        if self._explained is not None:
            self.gone.emit(Target("code", str(self._explained.code)))

    def _dress(self) -> None:
        danger = self._console.theme.colours.danger
        raised = self._console.theme.colours.raised
        self.setStyleSheet(
            f"#error-box {{ border: 1px solid {danger}; border-left: 5px solid {danger};"
            f" border-radius: 4px; background: {raised}; }}"
        )
        self.code.setIcon(self._console.icons.get("status-failed", danger))
        self.code.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def _say(label: QLabel, text: str) -> None:
    label.setText(text)
    label.setVisible(bool(text))
