"""Data shown as plain text where Qt would guess at rich text."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from engine.model.expression import compact_json

_SHOWN = 120


def plain_tip(text: str) -> str:
    """A tooltip that shows ``text`` letter by letter."""
    return f"<p style='white-space:pre-wrap'>{escape(text)}</p>" if text else ""


def plain_label(text: str = "", parent: QWidget | None = None, *, wrap: bool = True) -> QLabel:
    """A label that shows its text as it is."""
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    return label


def short(value: object, most: int = _SHOWN) -> str:
    """A value in one line: texts as they are, others as JSON, cut when long."""
    text = value if isinstance(value, str) else compact_json(value)
    line = " ".join(text.split("\n"))
    return line if len(line) <= most else f"{line[: most - 1]}…"
