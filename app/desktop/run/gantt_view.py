"""The Gantt chart of an instance as it is painted: one stroke per pixel at most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.contrast import on
from app.desktop.kernel.language import tr
from app.desktop.kernel.statuses import Border, look_of
from app.desktop.kernel.times import length_text
from app.desktop.run.gantt_rows import Bar, GanttRow, span, strokes
from app.desktop.widgets.plain_label import tip_text
from app.desktop.widgets.time_rows import HEAD, ROW, TimeRows, boxes_of
from app.desktop.widgets.time_scale import Scale

_NOTE = 120  # pixels: less has no room for words
_ROOM = 0.02  # of the time, free at the right

NONE = "Nothing has begun."


class GanttView(TimeRows):
    """``chosen`` brings (node, index) of the row that was clicked, ``time_chosen`` seconds (epoch)."""

    chosen = Signal(str, object)
    time_chosen = Signal(float)

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        self.rows: Sequence[GanttRow] = ()
        self.now = 0.0
        self.moment: float | None = None
        self.notes: Mapping[tuple[str, int | None], str] = {}
        self.states: Mapping[tuple[str, int | None], str] = {}
        self.current: tuple[str, int | None] | None = None
        super().__init__(console, "Gantt chart", NONE, parent)

    # -- what is shown -------------------------------------------------------------------------

    def show_rows(self, rows: Sequence[GanttRow], now: float) -> None:
        """Other rows; ``now`` is where bars end that have no end."""
        self.rows, self.now = rows, now
        self.rows_changed()

    def show_notes(
        self, notes: Mapping[tuple[str, int | None], str], states: Mapping[tuple[str, int | None], str] = {}
    ) -> None:
        """Why what has begun does not go on, by node and index: behind its last bar, and in its tip.

        ``states``: in which state each is now, which a bar that has no end shows.
        """
        if (notes, states) != (self.notes, self.states):
            self.notes, self.states = notes, states
            self.viewport().update()

    def show_cursor(self, time: float | None) -> None:
        """Draw a line at a moment and nothing that came after it; None: the present."""
        self.moment = time
        self.viewport().update()

    def select(self, node: str | None, index: int | None = None) -> None:
        """Mark a row and bring it into sight."""
        self.current = None if node is None else (node, index)
        at = self._place(node, index)
        if at is not None:
            self.show_row(at)
        self.viewport().update()

    def _place(self, node: str | None, index: int | None) -> int | None:
        own = [at for at, row in enumerate(self.rows) if row.node == node]
        exact = [at for at in own if index is not None and self.rows[at].index == index]
        return next(iter(exact or own), None)

    def count(self) -> int:
        return len(self.rows)

    def title(self, at: int) -> str:
        return self.rows[at].name

    def whole(self) -> tuple[float, float]:
        begin, end = span(self.rows, self.now)
        return begin, end + (end - begin) * _ROOM

    def is_current(self, at: int) -> bool:
        row = self.rows[at]
        return self.current in ((row.node, None), (row.node, row.index))

    # -- painting ------------------------------------------------------------------------------

    def paint_row(self, painter: QPainter, at: int, y: float, names: float, scale: Scale) -> None:
        row = self.rows[at]
        boxes = boxes_of(strokes(self._then(self._bars(row)), scale, self.now))
        self.paint_boxes(painter, boxes, names, y)
        if row.critical and row.begin <= self._until():
            left, low = names + scale.x(row.begin), y + ROW - 3
            right = names + scale.x(min(self._until(), row.end(self._until())))
            painter.setPen(QPen(QColor(self._console.theme.colours.warning), 2))
            painter.drawLine(QPointF(max(left, names), low), QPointF(max(right, left + 1), low))

        if note := self.notes.get((row.node, row.index)):
            self._paint_note(painter, note, row, y, names, scale)

    def _paint_note(
        self, painter: QPainter, note: str, row: GanttRow, y: float, names: float, scale: Scale
    ) -> None:
        """To the right of the last bar, else at its end, in the ink for its colour."""
        end = names + scale.x(min(self._until(), row.end(self._until())))
        look, theme = look_of(self._bars(row)[-1].status), self._console.theme
        right, middle = self.viewport().width() - end - 12, Qt.AlignmentFlag.AlignVCenter
        if right >= _NOTE:
            room, align, ink = QRectF(end + 8, y, right, ROW), Qt.AlignmentFlag.AlignLeft, theme.colours.text
        else:
            begin = max(names, names + scale.x(row.bars[-1].begin)) + ROW
            room, align = QRectF(begin, y, end - begin - 6, ROW), Qt.AlignmentFlag.AlignRight
            ink = on(look.colour(theme.dark))
        if room.width() >= _NOTE:
            text = self.fontMetrics().elidedText(note, Qt.TextElideMode.ElideRight, int(room.width()))
            if align is Qt.AlignmentFlag.AlignRight and look.border is Border.DASHED:  # no ground for a text
                wide = self.fontMetrics().horizontalAdvance(text) + 8
                painter.fillRect(QRectF(end - wide - 2, y + 1, wide, ROW - 3), QColor(theme.colours.base))
                ink = theme.colours.text
            painter.setPen(QColor(ink))
            painter.drawText(room, middle | align, text)

    def paint_over(self, painter: QPainter, names: float, scale: Scale) -> None:
        if self.moment is not None:
            x = names + scale.x(self.moment)
            painter.setPen(QPen(QColor(self._console.theme.colours.replay), 2))
            painter.drawLine(QPointF(x, HEAD - 4), QPointF(x, self.viewport().height()))

    def _until(self) -> float:
        return self.now if self.moment is None else self.moment

    def _bars(self, row: GanttRow) -> Sequence[Bar]:
        """The last one, while it has no end, in the state of the job: it may wait."""
        last = row.bars[-1]
        state = self.states.get((row.node, row.index)) if last.end is None else None
        return row.bars if state is None else (*row.bars[:-1], replace(last, status=state))

    def _then(self, bars: Sequence[Bar]) -> Sequence[Bar]:
        """The bars as they were at the cursor."""
        moment = self.moment
        if moment is None:
            return bars
        return [
            bar
            if bar.end is not None and bar.end <= moment
            else Bar(bar.begin, moment, "running", bar.number)
            for bar in bars
            if bar.begin <= moment
        ]

    # -- mouse and keys ------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        where = event.position()
        at = self.row_at(where.y())
        if at is not None:
            self.chosen.emit(self.rows[at].node, self.rows[at].index)
        elif where.x() > self.names():
            self.time_chosen.emit(self.scale().time(where.x() - self.names()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and event.position().y() < HEAD:
            self.time_chosen.emit(self.scale().time(event.position().x() - self.names()))

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            at = self.row_at(event.pos().y())
            text = self._tip(at) if at is not None else ""
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().viewportEvent(event)

    def _tip(self, at: int) -> str:
        row = self.rows[at]
        return _tip(row, self._bars(row), self._until(), self.notes.get((row.node, row.index), ""))

    def step(self, by: int) -> None:
        here = self._place(*self.current) if self.current else None
        at = 0 if here is None else min(max(here + by, 0), len(self.rows) - 1)
        self.chosen.emit(self.rows[at].node, self.rows[at].index)


def _tip(row: GanttRow, bars: Sequence[Bar], now: float, note: str) -> str:
    lines = [row.name]
    for bar in bars[-12:]:
        took = length_text((now if bar.end is None else bar.end) - bar.begin)
        lines.append(f"{bar.number}: {tr(look_of(bar.status).word)}, {took}")
    if note:
        lines.append(note)
    if row.critical:
        lines.append(tr("It is on the critical path: the run could not end before it."))
    return tip_text("\n".join(lines))
