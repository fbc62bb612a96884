"""Where the keyboard is in a widget that is about to be made again, and the same place in the new one."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget

from app.desktop.widgets.reading_order import parts


@dataclass(frozen=True, slots=True)
class KeyboardPlace:
    """``part`` counts what is in the widget; ``anchor`` and ``cursor`` places in its text."""

    part: int
    anchor: int
    cursor: int


def keyboard_in(widget: QWidget) -> KeyboardPlace | None:
    """Where in it the keyboard is; None: not in it."""
    here, all_ = QApplication.focusWidget(), [widget, *parts(widget)]
    return KeyboardPlace(all_.index(here), *_selection(here)) if here in all_ else None


def put_keyboard(place: KeyboardPlace, widget: QWidget) -> None:
    """Put it there: what is typed goes on where it was, and replaces what was selected."""
    part = [widget, *parts(widget)][place.part]
    part.setFocus()
    if isinstance(part, QLineEdit):
        part.setCursorPosition(place.anchor)
        part.cursorForward(True, place.cursor - place.anchor)
    elif isinstance(part, QPlainTextEdit):
        cursor = part.textCursor()
        cursor.setPosition(min(place.anchor, _length(part)))
        cursor.setPosition(min(place.cursor, _length(part)), QTextCursor.MoveMode.KeepAnchor)
        part.setTextCursor(cursor)


def _selection(part: QWidget | None) -> tuple[int, int]:
    """Where what is selected begins, and where the cursor is."""
    if isinstance(part, QLineEdit):
        cursor, start = part.cursorPosition(), part.selectionStart()
        return (cursor if start < 0 else part.selectionEnd() if start == cursor else start), cursor
    if isinstance(part, QPlainTextEdit):
        return part.textCursor().anchor(), part.textCursor().position()
    return 0, 0


def _length(part: QPlainTextEdit) -> int:
    return part.document().characterCount() - 1
