"""New nodes, and what is done to those there are."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QRectF

from app.desktop.canvas.graph import HEIGHT, WIDTH, GraphLink, Point
from app.desktop.canvas.layout import COLUMN, free_place
from app.desktop.design import canvas_extras as beside
from app.desktop.design import edits
from app.desktop.design.document import Document, Sheet
from app.desktop.design.entries import PaletteEntry
from app.desktop.design.selection_commands import SelectionCommands
from app.desktop.design.tree import REMOVE, Edit, Path, Tree, edit, put
from app.desktop.kernel.language import tr, trn
from engine.planning.outline import branches_of


class NodeCommands(SelectionCommands):
    """Commands about nodes."""

    def insert(
        self, entry: PaletteEntry, after: Iterable[str] | None = None, at: Point | None = None
    ) -> str | None:
        """Put a new node into the task, after the selected ones or after these; its id."""
        document = self._document
        if document is None:
            return None
        sources = self._chosen() if after is None else list(after)
        id = edits.free_id(entry.id, document.nodes)
        place = free_place(self._canvas.positions().values(), at or self._beside(sources))
        node = {**entry.node, "position": [round(place[0]), round(place[1])]}
        change = edits.joined([edits.add_node(document.task_id, id, node), *self._after(sources, id)])
        document.edit(change, tr("Add {id}", id=id))
        self._canvas.select({id}, show=True)
        return id

    def _beside(self, sources: list[str]) -> Point:
        """Right of these nodes, else in the middle of what is seen, where there is room."""
        places = self._canvas.positions()
        if sources:
            x, y = max(places[id] for id in sources)
            return x + COLUMN, y
        if not places:
            return 0.0, 0.0
        middle = self._canvas.mapToScene(self._canvas.viewport().rect().center())
        return middle.x() - WIDTH / 2, middle.y() - HEIGHT / 2

    def _after(self, sources: Iterable[str], id: str) -> list[Edit]:
        """Links to a new node; of a condition its first branch that leads nowhere yet."""
        document = self._document
        found = []
        for source in sources if document else ():
            branches = branches_of(document.node(source), document.tree.get("jobs") or {}) if document else {}
            free = next(
                (key for key, each in branches.items() if not each.get("run") and not each.get("again")), None
            )
            task = document.task_id if document else ""
            found.append(
                edits.link(task, source, id) if free is None else edits.branch(task, source, free, id)
            )
        return found

    def delete(self) -> None:
        """Delete what is selected: nodes, or a link."""
        document, chosen = self._document, self._chosen()
        if document is None:
            return
        if chosen:
            text = trn(len(chosen), "Delete of {n} node", "Delete of {n} nodes")
            tree = edits.remove_nodes(document.task_id, chosen)(document.tree)
            extras = beside.pinned(chosen, False)(beside.left_alone(chosen)(document.sheet.extras))
            document.turn(Sheet(tree, extras), text)
        elif self._canvas.links.chosen in self._canvas.links.links:
            self._delete_link(document, self._canvas.links.links[self._canvas.links.chosen])

    def _delete_link(self, document: Document, link: GraphLink) -> None:
        task = document.task_id
        edit = (
            edits.unloop(task, link.source, link.label)
            if link.kind == "loop"
            else edits.unlink(task, *link.key)
        )
        document.edit(
            edit, tr("Delete of the link {source} → {target}", source=link.source, target=link.target)
        )

    def rename(self) -> None:
        """Open the field for a node's id."""
        chosen = self._chosen()
        if self._document is not None and len(chosen) == 1:
            [id] = chosen
            box = QRectF(*self._canvas.positions()[id], WIDTH, HEIGHT).adjusted(34, 6, -4, -24)
            self._canvas.edit_text(box, id, tr("Id of the node"), lambda new: self.rename_to(id, new.strip()))

    def rename_to(self, old: str, new: str) -> None:
        """Another id for a node, everywhere; refused when it is none or taken."""
        document = self._document
        if document is None or old == new:
            return
        problem = document.id_problem(new)
        if problem:
            self._canvas.console.navigator.notify(problem, bad=True)
            return
        self._canvas.moved_id(old, new)
        document.rename_node(old, new)
        self._canvas.select({new})

    def switch(self) -> None:
        """Switch the selected nodes off, or on when all of them are off."""
        document, chosen = self._document, self._chosen()
        if document is None or not chosen:
            return
        on = all(document.node(id).get("enabled") is False for id in chosen)
        steps = [_enabled(document.node_path(id, "enabled"), on) for id in chosen]
        document.edit(edits.joined(steps), tr("Switch on") if on else tr("Switch off"))


@edit
def _enabled(tree: Tree, path: Path, on: bool) -> Tree:
    return put(tree, path, REMOVE if on else False)
