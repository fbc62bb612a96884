"""Buttons that are large enough to be hit, and never smaller than their text needs.

A minimum size would do the first, but Qt takes it for all that a button needs, also with larger text.
"""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

_LEAST = 26  # pixels


class PushButton(QPushButton):
    """At least as high as a row."""

    def sizeHint(self) -> QSize:
        return super().sizeHint().expandedTo(QSize(0, _LEAST))


class ToolButton(QToolButton):
    """``least``: pixels, of its width and height."""

    def __init__(self, parent: QWidget | None = None, least: int = _LEAST) -> None:
        super().__init__(parent)
        self._least = QSize(least, least)

    def sizeHint(self) -> QSize:
        return super().sizeHint().expandedTo(self._least)
