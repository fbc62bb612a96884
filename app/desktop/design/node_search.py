"""Searching nodes on the canvas: what fits is ringed, Enter goes from one to the next, Esc ends it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app.desktop.canvas.view import GraphView
from app.desktop.kernel.language import tr, translated


class Finder(QLineEdit):
    """A search field of a canvas; hidden until it is asked for."""

    def __init__(self, view: GraphView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._found: list[str] = []
        self._at = -1
        self.setClearButtonEnabled(True)
        self.textChanged.connect(self._search)
        self.returnPressed.connect(self._next)
        self.hide()
        translated(self, self._word)

    def open(self) -> None:
        self.show()
        self.setFocus()
        self.selectAll()

    def _search(self, text: str) -> None:
        self._found, self._at = self._view.search(text), -1

    def _next(self) -> None:
        if self._found:
            self._at = (self._at + 1) % len(self._found)
            self._view.select({self._found[self._at]}, show=True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.hide()
            self._view.setFocus()
        else:
            super().keyPressEvent(event)

    def _word(self) -> None:
        self.setPlaceholderText(tr("Find nodes: Enter goes to the next one"))
        self.setAccessibleName(tr("Find nodes"))
