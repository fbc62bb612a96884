"""Links and branches: drawing them, and why some cannot be."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QMenu

from app.desktop.design import edits
from app.desktop.design.document import Document
from app.desktop.design.selection_commands import SelectionCommands, command
from app.desktop.kernel.language import tr, trn
from engine.planning.outline import branches_of


class Linking(SelectionCommands):
    """Commands about links."""

    def reason_against(self, source: str, target: str) -> str:
        """Why ``target`` cannot come after ``source``; empty when it can."""
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
        """A node belongs to a branch of a condition."""
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
