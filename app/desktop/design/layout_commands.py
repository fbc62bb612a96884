"""Where nodes stand: moving, nudging, pinning, the automatic layout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.desktop.canvas.graph import GRID, Point
from app.desktop.canvas.layout import arrange
from app.desktop.design import canvas_extras as beside
from app.desktop.design import edits
from app.desktop.design.document import Sheet
from app.desktop.design.selection_commands import SelectionCommands
from app.desktop.kernel.language import tr, trn


class Placing(SelectionCommands):
    """Commands about places."""

    def place(self, places: Mapping[str, Point], merge: str | None = None) -> None:
        """Move nodes."""
        document = self._document
        if document is not None and places:
            text = trn(len(places), "Move of {n} node", "Move of {n} nodes")
            document.edit(edits.place_nodes(document.task_id, places), text, merge)

    def nudge(self, dx: int, dy: int) -> None:
        """Move the selected nodes by the grid, with the keyboard."""
        places, ids = self._canvas.positions(), self._chosen()
        to = {id: (places[id][0] + dx * GRID, places[id][1] + dy * GRID) for id in ids}
        self.place(to, merge=f"nudge {','.join(ids)}")

    def layout(self) -> None:
        """Arrange everything, or the selected nodes if there are several; pinned ones stay."""
        document, chosen = self._document, frozenset(self._chosen())
        if document is None:
            return
        now = self._canvas.positions()
        graph = document.graph()
        part = graph.only(chosen) if len(chosen) > 1 else graph
        pinned = {id: now[id] for id in beside.pins(document.sheet.extras) if id in now}
        found = dict(arrange(part, {id: at for id, at in pinned.items() if id in _ids(part.nodes)}).positions)
        if len(chosen) > 1 and not pinned.keys() & chosen:
            found = _moved_to(found, now)
        places = {id: at for id, at in found.items() if id not in pinned}
        document.edit(edits.place_nodes(document.task_id, places), tr("Automatic layout"))
        self._canvas.fit()

    def pin(self) -> None:
        """Pin the selected nodes, or let them go when all of them are pinned."""
        document, chosen = self._document, self._chosen()
        if document is None or not chosen:
            return
        on = not beside.pins(document.sheet.extras) >= frozenset(chosen)
        text = trn(len(chosen), "Pin of {n} node", "Pin of {n} nodes") if on else tr("Unpin")
        places = {id: self._canvas.positions()[id] for id in chosen}
        tree = edits.place_nodes(document.task_id, places)(document.tree) if on else document.tree
        document.turn(Sheet(tree, beside.pinned(chosen, on)(document.sheet.extras)), text)


def _ids(nodes: Iterable[object]) -> set[str]:
    return {str(getattr(node, "id", "")) for node in nodes}


def _moved_to(found: Mapping[str, Point], now: Mapping[str, Point]) -> dict[str, Point]:
    """A layout whose upper left corner is where that of its nodes was."""
    left = min(now[id][0] for id in found) - min(x for x, _ in found.values())
    top = min(now[id][1] for id in found) - min(y for _, y in found.values())
    return {id: (x + left, y + top) for id, (x, y) in found.items()}
