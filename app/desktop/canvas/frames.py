"""Frames around groups of nodes and notes on the canvas, painted behind the links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.desktop.canvas.brushes import Brushes
from app.desktop.canvas.graph import HEIGHT, WIDTH, GraphFrame, GraphNote, Point
from app.desktop.kernel.visible_text import visible

_AIR = 22.0
_HEAD = 26.0


class FrameLayer:
    def __init__(self, brushes: Brushes) -> None:
        self._brushes = brushes
        self.frames: tuple[GraphFrame, ...] = ()
        self.notes: tuple[GraphNote, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.frames or self.notes)

    def show(self, frames: Iterable[GraphFrame], notes: Iterable[GraphNote]) -> None:
        self.frames, self.notes = tuple(frames), tuple(notes)

    def box(self, frame: GraphFrame, positions: Mapping[str, Point]) -> QRectF:
        """The rectangle of a frame; empty when none of its nodes is there."""
        found = QRectF()
        for id in frame.members & positions.keys():
            found = found.united(QRectF(*positions[id], WIDTH, HEIGHT))
        return found if found.isEmpty() else found.adjusted(-_AIR, -_AIR - _HEAD, _AIR, _AIR)

    def head_at(self, where: QPointF, positions: Mapping[str, Point]) -> GraphFrame | None:
        for frame in self.frames:
            box = self.box(frame, positions)
            if QRectF(box.left(), box.top(), box.width(), _HEAD).contains(where):
                return frame
        return None

    def note_at(self, where: QPointF) -> GraphNote | None:
        return next((note for note in reversed(self.notes) if note_box(note).contains(where)), None)

    def bounds(self, positions: Mapping[str, Point]) -> QRectF:
        found = QRectF()
        for frame in self.frames:
            found = found.united(self.box(frame, positions))
        for note in self.notes:
            found = found.united(note_box(note))
        return found

    def paint(self, painter: QPainter, positions: Mapping[str, Point], zoom: float) -> None:
        for frame in self.frames:
            self._paint_frame(painter, frame, self.box(frame, positions), zoom)
        for note in self.notes:
            self._paint_note(painter, note, zoom)

    def _paint_frame(self, painter: QPainter, frame: GraphFrame, box: QRectF, zoom: float) -> None:
        if box.isEmpty():
            return
        brushes = self._brushes
        painter.setPen(QPen(brushes.border, 1.5))
        painter.setBrush(brushes.grid)
        painter.drawRoundedRect(box, 10, 10)
        if zoom >= 0.3:
            painter.setFont(brushes.title)
            painter.setPen(brushes.muted)
            room = box.width() - 24
            text = brushes.title_metrics.elidedText(visible(frame.title), Qt.TextElideMode.ElideRight, room)
            painter.drawText(box.topLeft() + QPointF(12, 21), text)

    def _paint_note(self, painter: QPainter, note: GraphNote, zoom: float) -> None:
        brushes, box = self._brushes, note_box(note)
        painter.setPen(QPen(brushes.warning, 1))
        painter.setBrush(brushes.raised)
        painter.drawRoundedRect(box, 3, 3)
        painter.fillRect(QRectF(box.left(), box.top(), 4, box.height()), brushes.warning)
        if zoom >= 0.5:
            painter.setFont(brushes.small)
            painter.setPen(brushes.text)
            flags = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
            painter.drawText(box.adjusted(12, 7, -8, -6), int(flags), visible(note.text))


def note_box(note: GraphNote) -> QRectF:
    return QRectF(*note.position, *note.size)
