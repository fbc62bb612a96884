"""How one row is dressed: its own colours, what is selected of it, what was found in it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QBrush, QColor, QFont, QTextCharFormat, QTextLayout

from app.desktop.kernel.theme import Colours
from app.desktop.log.ansi import Shown, Style


@dataclass(frozen=True, slots=True)
class Dress:
    """The theme, and what is selected of the row: (from, to) in columns."""

    colours: Colours
    selected: tuple[int, int] | None = None

    @property
    def selection(self) -> QColor:
        """Behind what is selected."""
        return QColor(self.colours.selection)

    @property
    def current(self) -> QColor:
        """Behind the current row."""
        return QColor(self.colours.grid)


def layout(drawn: Shown, dress: Dress, marked: list[tuple[int, int]]) -> list[QTextLayout.FormatRange]:
    """The formats of a row; a later one lies over an earlier one."""
    found = [_range(each.start, each.length, _styled(each.style)) for each in drawn.spans]
    for start, length in marked:
        found.append(_range(start, length, _marked(dress.colours)))
    if dress.selected:
        low, high = dress.selected
        back = QTextCharFormat()
        back.setBackground(QBrush(dress.selection))
        found.append(_range(low, max(0, min(high, len(drawn.text)) - low), back))
    return found


def _range(start: int, length: int, look: QTextCharFormat) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start, found.length, found.format = start, length, look
    return found


def _styled(style: Style) -> QTextCharFormat:
    look = QTextCharFormat()
    if style.ink:
        look.setForeground(QBrush(QColor(style.ink)))
    if style.paper:
        look.setBackground(QBrush(QColor(style.paper)))
    if style.bold:
        look.setFontWeight(QFont.Weight.Bold)
    look.setFontUnderline(style.underline)
    return look


def _marked(colours: Colours) -> QTextCharFormat:
    look = QTextCharFormat()
    look.setBackground(QBrush(QColor("#FFD24A" if colours.dark else "#FFE58A")))
    look.setForeground(QBrush(QColor("#1D2126")))
    return look
