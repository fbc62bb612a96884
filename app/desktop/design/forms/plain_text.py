"""Data shown as plain text where Qt would guess at rich text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QTableWidget, QTableWidgetItem, QWidget

from app.desktop.kernel.theme import Theme
from app.desktop.widgets.plain_label import PlainLabel
from engine.model.expression import compact_json

_SHOWN = 120


def plain_label(text: str = "", parent: QWidget | None = None, *, wrap: bool = True) -> QLabel:
    """A label that shows its text as it is."""
    return _unselectable(PlainLabel(text, parent, wrap=wrap))


def tinted_label(
    theme: Theme, role: str, text: str = "", parent: QWidget | None = None, *, wrap: bool = True
) -> QLabel:
    """The same in a colour of the theme by its role, such as ``muted``, also after the look has changed."""
    return _unselectable(_TintedLabel(theme, role, text, parent, wrap=wrap))


class _TintedLabel(PlainLabel):
    def __init__(self, theme: Theme, role: str, text: str, parent: QWidget | None, *, wrap: bool) -> None:
        super().__init__(text, parent, wrap=wrap)
        self._theme, self._role = theme, role
        self._tint()
        theme.changed.connect(self._tint)

    def _tint(self) -> None:
        self.setStyleSheet(f"color: {getattr(self._theme.colours, self._role)}")


def _unselectable(label: QLabel) -> QLabel:
    label.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
    label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
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
