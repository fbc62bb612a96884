"""The positions of nodes: moving, nudging, pinning, the automatic layout."""

from __future__ import annotations

from collections.abc import Mapping

from app.desktop.canvas.graph import GRID, Point
from app.desktop.canvas.layout import arrange
from app.desktop.design import canvas_extras as beside
from app.desktop.design import edits
from app.desktop.design.document import Document, Sheet
from app.desktop.design.selection_commands import SelectionCommands, command
from app.desktop.kernel.language import tr, trn


class Placing(SelectionCommands):
    """Commands about places."""

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


def _moved_to(found: Mapping[str, Point], now: Mapping[str, Point]) -> dict[str, Point]:
    """A layout whose upper left corner is where that of its nodes was."""
    left = min(now[id][0] for id in found) - min(x for x, _ in found.values())
    top = min(now[id][1] for id in found) - min(y for _, y in found.values())
    return {id: (x + left, y + top) for id, (x, y) in found.items()}
