"""A field that opens over the canvas: a node's id, a frame's title, a comment."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget


class InlineEditor(QObject):
    """A field on ``over``; afterwards ``back`` has the focus.

    Enter (with Ctrl in a comment) or leaving the field takes the text, Esc leaves everything as it was.
    """

    def __init__(
        self,
        over: QWidget,
        back: QWidget,
        place: QRect,
        text: str,
        name: str,
        done: Callable[[str], None],
        *,
        lines: bool,
    ) -> None:
        super().__init__(over)
        self._done, self._text, self._back = done, text, back
        self.field: QLineEdit | QPlainTextEdit = (
            QPlainTextEdit(text, over) if lines else QLineEdit(text, over)
        )
        self.field.setAccessibleName(name)
        self.field.setGeometry(place.adjusted(0, 0, max(0, 120 - place.width()), max(0, 28 - place.height())))
        self.field.installEventFilter(self)
        self.field.show()
        self.field.setFocus()
        self.field.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.FocusOut:
            self._end(take=True)
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            return self._key(event)
        return False

    def _key(self, event: QKeyEvent) -> bool:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.key() == Qt.Key.Key_Escape:
            self._end(take=False)
        elif enter and (control or isinstance(self.field, QLineEdit)):
            self._end(take=True)
        else:
            return False
        return True

    def _end(self, *, take: bool) -> None:
        field, done = self.field, self._done
        field.removeEventFilter(self)
        text = field.text() if isinstance(field, QLineEdit) else field.toPlainText()
        field.hide()
        QTimer.singleShot(0, field.deleteLater)
        self.deleteLater()
        self._back.setFocus()
        if take and text != self._text:
            done(text)
