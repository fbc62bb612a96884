"""What a list, tree or table without rows says, in the middle of where its rows would be."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView

from app.desktop.kernel.language import tr

_MARGIN = 8  # pixels beside the text


class EmptyWords(QObject):
    """``words`` is an English source text, which may change; an empty one leaves the view blank.

    A view without rows paints nothing, so that what is painted before it stays.
    """

    def __init__(self, view: QAbstractItemView, words: str = "") -> None:
        super().__init__(view)
        self._view, self.words = view, words
        view.viewport().installEventFilter(self)

    def say(self, words: str) -> None:
        self.words = words
        self._view.viewport().update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and self.words and not self._view.model().rowCount():
            self._paint(tr(self.words))
        return False

    def _paint(self, text: str) -> None:
        port = self._view.viewport()
        painter = QPainter(port)
        painter.setPen(self._view.palette().placeholderText().color())
        room = port.rect().adjusted(_MARGIN, 0, -_MARGIN, 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, text)
        painter.end()
