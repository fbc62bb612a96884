"""Frames around nodes and comments on the canvas."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.desktop.canvas.graph import Point
from app.desktop.design import canvas_extras as beside
from app.desktop.design.document import Sheet
from app.desktop.design.edits import free_id
from app.desktop.design.selection_commands import SelectionCommands
from app.desktop.kernel.language import tr, trn
from engine.planning.outline import map_of


class FrameCommands(SelectionCommands):
    """Commands about frames and comments."""

    def group(self) -> None:
        """A frame around the selected nodes; its title is asked for at once."""
        document, chosen = self._document, self._chosen()
        if document is None or not chosen:
            return
        document.edit_extras(
            beside.frame(tr("Group"), chosen),
            trn(len(chosen), "Frame around {n} node", "Frame around {n} nodes"),
        )
        frame = next(
            each for each in beside.frames(document.sheet.extras) if each.members == frozenset(chosen)
        )
        self.edit_frame(frame.id)

    def ungroup(self) -> None:
        """The frames of the selected nodes away."""
        document, chosen = self._document, frozenset(self._chosen())
        if document is None:
            return
        extras = document.sheet.extras
        for frame in beside.frames(extras):
            extras = beside.unframed(frame.id)(extras) if frame.members & chosen else extras
        document.turn(Sheet(document.tree, extras), tr("Frame away"))

    def edit_frame(self, id: str) -> None:
        """Open the field for a frame's title."""
        document = self._document
        frame = next((each for each in self._canvas.frames.frames if each.id == id), None)
        if document is None or frame is None:
            return
        box = self._canvas.frames.box(frame, self._canvas.positions())
        head = QRectF(box.left() + 6, box.top() + 3, min(260.0, box.width() - 12), 24)
        self._canvas.edit_text(
            head, frame.title, tr("Title of the frame"), lambda text: self._retitle(id, text)
        )

    def _retitle(self, id: str, text: str) -> None:
        if self._document is not None:
            self._document.edit_extras(beside.retitled(id, text), tr("Title of a frame"))

    def comment(self) -> None:
        """A new comment in the middle of what is seen."""
        document = self._document
        if document is None:
            return
        middle = self._canvas.mapToScene(self._canvas.viewport().rect().center())
        id = free_id("note", map_of(document.sheet.extras.get("notes")))
        self._write_note(id, "", (middle.x() - 100, middle.y() - 36))

    def edit_note(self, id: str) -> None:
        """Open a comment for writing."""
        note = next((each for each in self._canvas.frames.notes if each.id == id), None)
        if note is not None:
            self._write_note(id, note.text, note.position)

    def _write_note(self, id: str, text: str, at: Point) -> None:
        def done(new: str) -> None:
            if self._document is not None:
                self._document.edit_extras(beside.note(id, new, at), tr("Comment"))

        self._canvas.edit_text(QRectF(*at, 208, 84), text, tr("Comment"), done, lines=True)

    def place_note(self, id: str, at: Point) -> None:
        """Move a comment."""
        if self._document is not None:
            self._document.edit_extras(beside.moved_note(id, at), tr("Move of a comment"))
