"""Data shown as plain text where Qt would guess at rich text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QTableWidget, QTableWidgetItem, QWidget

from app.desktop.widgets.plain_label import PlainLabel
from engine.model.expression import compact_json

_SHOWN = 120


def plain_label(
    text: str = "", parent: QWidget | None = None, *, wrap: bool = True, colour: str = ""
) -> QLabel:
    """A label that shows its text as it is."""
    label = PlainLabel(text, parent, wrap=wrap)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
    label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if colour:
        label.setStyleSheet(f"color: {colour}")
    return label


def short(value: object, most: int = _SHOWN) -> str:
    """A value in one line: texts as they are, others as JSON, cut when long."""
    text = value if isinstance(value, str) else compact_json(value)
    line = " ".join(text.split("\n"))
    return line if len(line) <= most else f"{line[: most - 1]}…"


def show_pairs(table: QTableWidget, pairs: Sequence[tuple[object, object]], most: int) -> None:
    """Names and their values, a row each; a value is cut after ``most`` characters."""
    table.setRowCount(len(pairs))
    for row, (name, value) in enumerate(pairs):
        table.setItem(row, 0, QTableWidgetItem(str(name)))
        table.setItem(row, 1, QTableWidgetItem(short(value, most)))
