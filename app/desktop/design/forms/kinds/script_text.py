"""The text of a script: a file that is dropped on it becomes its path, quoted for the script's language."""

from __future__ import annotations

from PySide6.QtCore import QMimeData
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.desktop.kernel.dropped_files import Takes, files_of, quoted, takes_files


class ScriptText(QPlainTextEdit):
    """``language`` is the name by which its words are coloured; empty: a command line."""

    def __init__(self, language: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        takes_files(self, Takes.PLAIN)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if files := files_of(source):
            self.insertPlainText(quoted(files, self._language))
        else:
            super().insertFromMimeData(source)
