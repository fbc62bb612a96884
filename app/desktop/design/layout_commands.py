"""What lies where on the canvas: the positions of nodes, frames around them, comments."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF

from app.desktop.canvas.graph import GRID, Point
from app.desktop.canvas.layout import arrange
from app.desktop.design import canvas_extras as beside
from app.desktop.design import edits
from app.desktop.design.document import Document, Sheet
from app.desktop.design.selection_commands import SelectionCommands, command
from app.desktop.design.tree import REMOVE, put
from app.desktop.kernel.language import tr, trn
from engine.planning.outline import map_of


class LayoutCommands(SelectionCommands):
    """Commands about positions, frames and comments."""

    @command
    def place(self, document: Document, places: Mapping[str, Point], merge: str | None = None) -> None:
        if places:
            text = trn(len(places), "Move of {n} node", "Move of {n} nodes")
            document.edit(edits.place_nodes(document.task_id, places), text, merge)

    def nudge(self, dx: int, dy: int) -> None:
        """Move the selected nodes by the grid, with the keyboard."""
        places, ids = self._canvas.positions(), self._chosen()
        to = {id: (places[id][0] + dx * GRID, places[id][1] + dy * GRID) for id in ids}
        self.place(to, merge=f"nudge {','.join(ids)}")

    @command
    def layout(self, document: Document) -> None:
        """Arrange everything, or the selected nodes if there are several; pinned ones stay."""
        now, chosen = self._canvas.positions(), frozenset(self._chosen())
        graph = document.graph()
        part = graph.only(chosen) if len(chosen) > 1 else graph
        pinned = {id: now[id] for id in beside.pins(document.sheet.extras) if id in now}
        ids = {node.id for node in part.nodes}
        found = dict(arrange(part, {id: at for id, at in pinned.items() if id in ids}).positions)
        if len(chosen) > 1 and not pinned.keys() & chosen:
            found = _moved_to(found, now)
        places = {id: at for id, at in found.items() if id not in pinned}
        document.edit(edits.place_nodes(document.task_id, places), tr("Automatic layout"))
        self._canvas.fit()

    def align(self, across: bool) -> None:
        """The left edges of the selected nodes in one line, or their upper ones."""
        now, ids = self._canvas.positions(), self._chosen()
        if len(ids) > 1:
            least = min(now[id][not across] for id in ids)
            self.place({id: (least, now[id][1]) if across else (now[id][0], least) for id in ids})

    def distribute(self, across: bool) -> None:
        """The selected nodes with equal room between them; the outermost two stay."""
        now, axis = self._canvas.positions(), int(not across)
        ids = sorted(self._chosen(), key=lambda id: now[id][axis])
        if len(ids) > 2:
            first, last = now[ids[0]][axis], now[ids[-1]][axis]
            steps = [first + (last - first) * at / (len(ids) - 1) for at in range(len(ids))]
            self.place({id: (step, now[id][1]) if across else (now[id][0], step)
                        for id, step in zip(ids, steps, strict=True)})  # fmt: skip

    @command
    def pin(self, document: Document) -> None:
        """Pin the selected nodes, or unpin them when all of them are pinned."""
        chosen = self._chosen()
        if not chosen:
            return
        on = not beside.pins(document.sheet.extras) >= frozenset(chosen)
        text = trn(len(chosen), "Pin of {n} node", "Pin of {n} nodes") if on else tr("Unpin")
        places = {id: self._canvas.positions()[id] for id in chosen}
        tree = edits.place_nodes(document.task_id, places)(document.tree) if on else document.tree
        document.turn(Sheet(tree, beside.pinned(chosen, on)(document.sheet.extras)), text)

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
        id = edits.free_id("note", map_of(document.sheet.extras.get("notes")))
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


def _moved_to(found: Mapping[str, Point], now: Mapping[str, Point]) -> dict[str, Point]:
    """A layout whose upper left corner is where that of its nodes was."""
    left = min(now[id][0] for id in found) - min(x for x, _ in found.values())
    top = min(now[id][1] for id in found) - min(y for _, y in found.values())
    return {id: (x + left, y + top) for id, (x, y) in found.items()}
