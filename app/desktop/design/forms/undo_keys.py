"""Undo belongs to the document, not to each text box: Ctrl+Z in a box goes past it."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QKeyEvent, QKeySequence

_PASSED = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)


def goes_past(event: QEvent) -> bool:
    """Whether a text box must leave this event to the window; it is marked so."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    if not any(event.matches(key) for key in _PASSED):
        return False
    event.ignore()
    return True
