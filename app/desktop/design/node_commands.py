"""Nodes and the links between them: new ones, and what is done to those there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QMenu

from app.desktop.canvas.graph import HEIGHT, WIDTH, GraphLink, Point
from app.desktop.canvas.layout import COLUMN, free_place
from app.desktop.design import canvas_extras as beside
from app.desktop.design import edits
from app.desktop.design.document import Document, Sheet
from app.desktop.design.entries import PaletteEntry
from app.desktop.design.selection_commands import SelectionCommands, command
from app.desktop.design.tree import REMOVE, Edit, Tree, put
from app.desktop.kernel.language import tr, trn
from engine.model.names import HANDLER, is_handler
from engine.planning.outline import branches_of

_OUTCOMES = {
    "succeeded": "When the run has succeeded",
    "failed": "When it has failed",
    "cancelled": "When it was cancelled",
    "always": "In any case, last",
}


class NodeCommands(SelectionCommands):
    @command
    def insert(
        self,
        document: Document,
        entry: PaletteEntry,
        after: Iterable[str] | None = None,
        at: Point | None = None,
    ) -> str:
        """Put a new node into the task, after the selected ones or after these; its id."""
        sources = self._nodes() if after is None else [each for each in after if not is_handler(each)]
        id = edits.free_id(entry.id, document.nodes)
        place = free_place(self._canvas.positions().values(), at or self._beside(sources))
        node = {**entry.node, "position": [round(place[0]), round(place[1])]}
        change = edits.joined([edits.add_node(document.task_id, id, node), *_after(document, sources, id)])
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

    @command
    def delete(self, document: Document) -> None:
        self._take_away(document, self._chosen())

    def _take_away(self, document: Document, chosen: list[str]) -> None:
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
        chosen = self._nodes()
        if len(chosen) == 1:
            [id] = chosen
            box = QRectF(*self._canvas.positions()[id], WIDTH, HEIGHT).adjusted(34, 6, -4, -24)
            self._canvas.edit_text(box, id, tr("Id of the node"), lambda new: self.rename_to(id, new.strip()))

    @command
    def rename_to(self, document: Document, old: str, new: str) -> None:
        """Another id for a node, everywhere; refused when it is not valid or taken."""
        if old == new or is_handler(old):
            return
        problem = document.id_problem(new)
        if problem:
            self._canvas.console.navigator.notify(problem, bad=True)
            return
        document.rename_node(old, new)

    @command
    def switch(self, document: Document) -> None:
        """Switch the selected nodes off, or on when all of them are off."""
        chosen = self._chosen()
        if not chosen:
            return
        on = all(document.node(id).get("enabled") is False for id in chosen)

        def change(tree: Tree) -> Tree:
            for id in chosen:
                tree = put(tree, document.node_path(id, "enabled"), REMOVE if on else False)
            return tree

        document.edit(change, tr("Switch on") if on else tr("Switch off"))

    def reason_against(self, source: str, target: str) -> str:
        """Why ``target`` cannot come after ``source``; empty when it can."""
        handlers = [each for each in (source, target) if is_handler(each)]
        if handlers:
            return tr("{id} runs at the end of the task: it cannot be linked", id=handlers[0])
        way = edits.refusal(self._canvas.graph, source, target)
        if way is None:
            return ""
        if way:
            return tr("Not possible, this would be a circle: {way}", way=" → ".join(way))
        return tr("{target} comes after {source} already", source=source, target=target)

    @command
    def link(self, document: Document, source: str, target: str) -> None:
        """Link two nodes; from a condition it is asked for which branch."""
        reason = self.reason_against(source, target)
        if reason:
            self._canvas.console.navigator.notify(reason, bad=True)
        elif document.job(source).get("type") == "condition":
            self._ask_branch(document, source, target)
        else:
            self.link_plainly(source, target)

    def _ask_branch(self, document: Document, source: str, target: str) -> None:
        known = branches_of(document.node(source), document.tree.get("jobs") or {})
        keys = list(dict.fromkeys((*known, "true", "false", "default")))
        menu = QMenu(self._canvas)
        menu.setAccessibleName(tr("Which branch?"))
        for key in keys:
            menu.addAction(tr("When it is {key}", key=key), partial(self.branch, source, key, target))
        menu.addSeparator()
        menu.addAction(tr("In any case, afterwards"), lambda: self.link_plainly(source, target))
        menu.aboutToHide.connect(menu.deleteLater)
        x, y = self._canvas.positions()[target]
        menu.popup(self._canvas.viewport().mapToGlobal(self._canvas.mapFromScene(QPointF(x, y))))

    @command
    def branch(self, document: Document, condition: str, key: str, target: str) -> None:
        owner = next(
            (each for each in self._canvas.graph.links if each.kind == "branch" and each.target == target),
            None,
        )
        if owner is not None:
            names = {"target": target, "key": owner.label, "condition": owner.source}
            message = tr("{target} belongs to branch {key} of {condition} already", **names)
            self._canvas.console.navigator.notify(message, bad=True)
            return
        text = tr("Branch {key} of {condition} → {target}", key=key, condition=condition, target=target)
        document.edit(edits.branch(document.task_id, condition, key, target), text)

    @command
    def link_plainly(self, document: Document, source: str, target: str) -> None:
        """A link that is no branch, also from a condition."""
        text = tr("Link {source} → {target}", source=source, target=target)
        document.edit(edits.link(document.task_id, source, target), text)

    def ask_outcome(self) -> None:
        """For which outcome the selected node, or a new script, is to run at the end of the task."""
        document = self._canvas.document
        if document is None:
            return
        chosen = self._nodes()
        node = chosen[0] if len(chosen) == 1 else None
        menu = QMenu(self._canvas)
        menu.setAccessibleName(tr("At the end of the task"))
        for outcome, words in _OUTCOMES.items():
            action = menu.addAction(tr(words), partial(self.make_handler, node, outcome))
            action.setEnabled(f"{HANDLER}{outcome}" not in document.parts)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._canvas.viewport().mapToGlobal(self._canvas.viewport().rect().center()))

    @command
    def make_handler(self, document: Document, node: str | None, outcome: str) -> None:
        """A node becomes the handler of an outcome; None: a new one, whose script is to be written."""
        text = tr("Run {id} at the end", id=node) if node else tr("Add {id}", id=f"{HANDLER}{outcome}")
        document.edit(edits.make_handler(document.task_id, node, outcome), text)
        self._canvas.select({f"{HANDLER}{outcome}"}, show=True)

    @command
    def link_selected(self, document: Document) -> None:
        """Link the selected nodes one after the other, in the order of the picture."""
        places = self._canvas.positions()
        chosen = sorted(self._canvas.selected(), key=lambda id: places[id])
        if len(chosen) < 2:
            return
        pairs = list(pairwise(chosen))
        refused = [reason for a, b in pairs if (reason := self.reason_against(a, b))]
        if refused:
            self._canvas.console.navigator.notify(refused[0], bad=True)
            return
        change = edits.joined(edits.link(document.task_id, a, b) for a, b in pairs)
        document.edit(change, trn(len(pairs), "{n} link", "{n} links"))


def _after(document: Document, sources: Iterable[str], id: str) -> Iterator[Edit]:
    """Links to a new node; of a condition its first branch that leads nowhere yet."""
    task, jobs = document.task_id, document.tree.get("jobs") or {}
    for source in sources:
        branches = branches_of(document.node(source), jobs).items()
        free = (key for key, each in branches if not each.get("run") and not each.get("again"))
        key = next(free, None)
        yield edits.link(task, source, id) if key is None else edits.branch(task, source, key, id)
