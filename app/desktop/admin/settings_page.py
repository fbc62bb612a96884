"""``workspace.yaml`` as a text, checked while it is typed; it holds from the engine's next start on."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.desktop.admin.settings_file import problems, read, write
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import button, named, plain
from app.desktop.widgets.questions import confirm
from engine.runtime.settings import Settings

_TYPING = 300  # milliseconds of rest before it is checked
KEYS = ", ".join(Settings.model_fields)


class SettingsPage(QWidget):
    """The file, its findings, a button to save."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
        self._file = Path(console.workspace) / "workspace.yaml"
        self._saved = read(self._file)
        self.head, self.said = plain(), plain()
        self.text = named(QPlainTextEdit(self._saved, self), "Settings")
        self.text.setFont(console.theme.mono())
        self.text.setTabChangesFocus(True)
        self.save = button("Save", self._save)
        self._rest = QTimer(self, interval=_TYPING, singleShot=True)
        self._rest.timeout.connect(self._check)
        self.text.textChanged.connect(self._rest.start)
        row = hbox((self.said, 1), self.save)
        vbox(self.head, (self.text, 1), row, inside=self)
        console.theme.changed.connect(self._dress)
        translated(self, self._word)
        self._check()

    def may_close(self) -> bool:
        """Unsaved changes may be dropped only knowingly."""
        if not self.changed:
            return True
        text = tr("The settings of the workspace were changed and not saved.")
        return confirm(self, tr("Settings"), text, tr("Drop the changes"))

    @property
    def changed(self) -> bool:
        """Whether something is typed that is not saved."""
        return self.text.toPlainText() != self._saved

    def _dress(self) -> None:
        self.text.setFont(self._console.theme.mono())

    def _check(self) -> None:
        found = problems(self.text.toPlainText())
        self.said.setText("\n".join(found) if found else tr("No findings."))
        self.save.setEnabled(self.changed and not found)

    def _save(self) -> None:
        text = self.text.toPlainText()
        if problems(text):
            return self._check()
        write(self._file, text)
        self._saved = text
        self._check()
        self._console.navigator.notify(tr("Saved. It holds from the next start of the engine on."))

    def _word(self) -> None:
        self.head.setText(tr("Settings of {path}. Keys: {keys}.", path=str(self._file), keys=KEYS))
        self._check()
