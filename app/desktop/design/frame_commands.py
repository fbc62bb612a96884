"""Frames around nodes and comments on the canvas."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.desktop.canvas.graph import Point
from app.desktop.design import canvas_extras as beside
from app.desktop.design.document import Document, Sheet
from app.desktop.design.edits import free_id
from app.desktop.design.selection_commands import SelectionCommands, command
from app.desktop.design.tree import REMOVE, put
from app.desktop.kernel.language import tr, trn
from engine.planning.outline import map_of


class FrameCommands(SelectionCommands):
    """Commands about frames and comments."""

    @command
    def group(self, document: Document) -> None:
        """A frame around the selected nodes; its title is asked for at once."""
        chosen = self._chosen()
        if not chosen:
            return
        document.edit_extras(
            beside.frame(tr("Group"), chosen),
            trn(len(chosen), "Frame around {n} node", "Frame around {n} nodes"),
        )
        frame = next(
            each for each in beside.frames(document.sheet.extras) if each.members == frozenset(chosen)
        )
        self.edit_frame(frame.id)

    @command
    def ungroup(self, document: Document) -> None:
        """The frames of the selected nodes away."""
        extras, chosen = document.sheet.extras, frozenset(self._chosen())
        for frame in beside.frames(extras):
            extras = put(extras, ("frames", frame.id), REMOVE) if frame.members & chosen else extras
        document.turn(Sheet(document.tree, extras), tr("Frame away"))

    @command
    def edit_frame(self, document: Document, id: str) -> None:
        frame = next((each for each in self._canvas.frames.frames if each.id == id), None)
        if frame is None:
            return
        box = self._canvas.frames.box(frame, self._canvas.positions())
        head = QRectF(box.left() + 6, box.top() + 3, min(260.0, box.width() - 12), 24)

        def done(text: str) -> None:
            path = ("frames", id, "title")
            document.edit_extras(lambda extras: put(extras, path, text), tr("Title of a frame"))

        self._canvas.edit_text(head, frame.title, tr("Title of the frame"), done)

    @command
    def comment(self, document: Document) -> None:
        """A new comment in the middle of what is seen."""
        middle = self._canvas.mapToScene(self._canvas.viewport().rect().center())
        id = free_id("note", map_of(document.sheet.extras.get("notes")))
        self._write_note(document, id, "", (middle.x() - 100, middle.y() - 36))

    @command
    def edit_note(self, document: Document, id: str) -> None:
        note = next((each for each in self._canvas.frames.notes if each.id == id), None)
        if note is not None:
            self._write_note(document, id, note.text, note.position)

    def _write_note(self, document: Document, id: str, text: str, at: Point) -> None:
        def done(new: str) -> None:
            document.edit_extras(beside.note(id, new, at), tr("Comment"))

        self._canvas.edit_text(QRectF(*at, 208, 84), text, tr("Comment"), done, lines=True)

    @command
    def place_note(self, document: Document, id: str, at: Point) -> None:
        there = [round(at[0]), round(at[1])]
        document.edit_extras(lambda extras: put(extras, ("notes", id, "at"), there), tr("Move of a comment"))
