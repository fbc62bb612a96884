"""Text from elsewhere, shown letter by letter: no markup is read, and what would steer is made visible."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.desktop.run.words import visible

_LONGEST = 2000  # characters of a tool tip: never longer than a screen


def tip_text(text: str) -> str:
    """A text for a tool tip; empty for none.

    >>> tip_text("<b>")
    "<qt><pre style='white-space: pre-wrap'>&lt;b&gt;</pre></qt>"
    """
    cut = visible(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
    return f"<qt><pre style='white-space: pre-wrap'>{escape(cut, quote=False)}</pre></qt>" if cut else ""


class PlainLabel(QLabel):
    """A label for text from anywhere; what it shows can be selected and copied."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def setText(self, text: str) -> None:
        """Another text."""
        super().setText(visible(text))
