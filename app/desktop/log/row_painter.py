"""Painting the rows of a log: their own colours, what is selected of them, what was found in them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QTextCharFormat, QTextLayout, QTextOption

from app.desktop.kernel.contrast import readable
from app.desktop.kernel.theme import Colours
from app.desktop.log.ansi import Shown, Style, shown
from app.desktop.log.rows import Caret, PlacedRow
from app.desktop.log.search import Query, spans

_AIR = 4  # pixels between the margin and the text
_PALE = 0.35  # of what came later than the moment that is shown


@dataclass(frozen=True, slots=True)
class RowPainter:
    """Paints rows as one view shows them; measures in pixels.

    ``beyond``: what begins there or later is pale, for it came after the moment that is shown.
    """

    colours: Colours
    font: QFont
    query: Query
    selection: tuple[Caret, Caret]
    current: int  # the position of the current row
    beyond: int | None
    line: float  # the height of a row
    margin: float  # on the left, for the numbers
    scrolled: int
    width: int

    def paint(self, painter: QPainter, placed: PlacedRow, y: float, number: int | None) -> float:
        """Draw a row at a height with the number of its line; how wide its text is."""
        drawn, selected = shown(placed.row.text), self._selected(placed)
        margin, line = int(self.margin), int(self.line)
        if placed.at == self.current:
            painter.fillRect(QRect(0, int(y), self.width, line), QColor(self.colours.grid))
        if selected and selected[1] > len(drawn.text):
            painter.fillRect(QRect(0, int(y), margin, line), QColor(self.colours.selection))
        layout = self._layout(drawn, selected, placed.row.cut)
        painter.setPen(QColor(self.colours.text))
        painter.save()
        painter.setOpacity(_PALE if self.beyond is not None and placed.row.start >= self.beyond else 1.0)
        painter.setClipRect(QRect(margin, int(y), self.width, line + 1))
        layout.draw(painter, QPointF(self.margin + _AIR - self.scrolled, y))
        painter.restore()
        self._paint_margin(painter, placed, y, number)
        return layout.maximumWidth()

    def column_at(self, placed: PlacedRow, x: float) -> int:
        """The column of a row that is drawn at ``x``."""
        drawn = shown(placed.row.text)
        layout = self._layout(drawn, None, 0)  # its line dies with it
        found = layout.lineAt(0).xToCursor(x - self.margin - _AIR + self.scrolled)
        return min(int(found[0] if isinstance(found, tuple) else found), len(drawn.text))

    def _selected(self, placed: PlacedRow) -> tuple[int, int] | None:
        low, high = self.selection
        if low == high or not low.at <= placed.at <= high.at:
            return None
        start = low.column if placed.at == low.at else 0
        return (start, high.column if placed.at == high.at else 1 << 30)

    def _paint_margin(self, painter: QPainter, placed: PlacedRow, y: float, number: int | None) -> None:
        if placed.row.source == 1:
            edge = QRect(int(self.margin) - 3, int(y), 3, int(self.line))
            painter.fillRect(edge, QColor(self.colours.danger))
        painter.setPen(QColor(self.colours.muted))
        where = QRect(0, int(y), int(self.margin) - 8, int(self.line))
        painter.drawText(where, Qt.AlignmentFlag.AlignRight, "" if number is None else f"{number}")

    def _layout(self, drawn: Shown, selected: tuple[int, int] | None, cut: int) -> QTextLayout:
        layout = QTextLayout(drawn.text + (f" … +{cut:,} B" if cut else ""), self.font)
        option = QTextOption()
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        layout.setTextOption(option)
        layout.setFormats(self._formats(drawn, selected))
        layout.beginLayout()
        layout.createLine()
        layout.endLayout()
        return layout

    def _formats(self, drawn: Shown, selected: tuple[int, int] | None) -> list[QTextLayout.FormatRange]:
        """A later one lies over an earlier one."""
        formats = [_range(each.start, each.length, _styled(each.style, self.colours)) for each in drawn.spans]
        marked = spans(drawn.text, self.query) if self.query.text else []
        formats += [_range(start, length, _marked(self.colours)) for start, length in marked]
        if selected:
            low, high = selected
            back = QTextCharFormat()
            back.setBackground(QBrush(QColor(self.colours.selection)))
            formats.append(_range(low, max(0, min(high, len(drawn.text)) - low), back))
        return formats


def _range(start: int, length: int, look: QTextCharFormat) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start, found.length, found.format = start, length, look
    return found


def _styled(style: Style, colours: Colours) -> QTextCharFormat:
    look = QTextCharFormat()
    if style.ink:
        grounds = (style.paper,) if style.paper else (colours.base, colours.selection)
        look.setForeground(QBrush(QColor(readable(style.ink, grounds))))
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
