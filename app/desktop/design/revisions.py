"""The revisions of the task: who saved which when, what differs, and going back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QTreeWidgetItem, QWidget

from app.desktop.canvas.graph import CanvasGraph
from app.desktop.canvas.view import GraphView
from app.desktop.design.diff import DefinitionDifference, compared, differences, differing_lines
from app.desktop.design.document import Document, follow
from app.desktop.design.forms.key_names import key_words_of
from app.desktop.design.forms.plain_text import short
from app.desktop.design.revision_list import RevisionList
from app.desktop.design.tree import Tree, shared
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.visibility import UpdatedPane, in_sight
from app.desktop.widgets.layouts import hbox, split, vbox
from app.desktop.widgets.pane_widgets import holder, tree, worded
from app.desktop.widgets.plain_label import tip_text
from app.desktop.widgets.roomy_buttons import PushButton
from engine.planning.outline import map_of

_MARKS = {"added": "Added", "removed": "Removed", "changed": "Changed"}


class RevisionsView(UpdatedPane):
    """The history of one task; the chosen revision is compared with what is on the canvas now."""

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self.document: Document | None = None
        self.list = RevisionList("Revisions of the task", self)
        columns = ("Difference", "Node", "Key", "Then", "Now")
        words = "Nothing differs from what is on the canvas."
        self.changes = tree("Differences to what is on the canvas", columns, stretch=4, empty=words)
        self.view = GraphView(console, self)
        self.view.setMinimumSize(160, 90)
        self.view.map.wanted = False
        self.restore = worded(PushButton(self), "Bring this revision back")
        self.restore.clicked.connect(self._restore)
        left = holder(vbox(self.list, self.restore, margins=4))
        hbox(split((left, 2), (self.view, 3), (self.changes, 3)), inside=self, margins=0)
        self.list.currentItemChanged.connect(lambda *_: self._compare())

    def show_document(self, document: Document | None) -> None:
        slots = {"state_changed": self.refresh, "changed": self._edited}
        self.document = follow(self.document, document, **slots)
        self.list.show_revisions(())
        self._compare()
        self.refresh()

    def sizeHint(self) -> QSize:
        return QSize(600, 170)

    def refresh(self) -> None:
        document = self.document
        if document is None or document.new or not in_sight(self):
            return
        self._compare()
        task = document.task_id
        self._console.link.ask(
            lambda service: service.history("task", task), partial(self._took, task), owner=self,
            failed=lambda _error: self.list.show_revisions(()),
        )  # fmt: skip

    def _took(self, task: str, found: list[dict[str, Any]]) -> None:
        if self.document is not None and self.document.task_id == task:
            self.list.show_revisions(found)

    def _chosen(self) -> Tree | None:
        found = self.list.definition(self.list.row)
        return found if isinstance(found, Mapping) else None

    def _edited(self) -> None:
        if in_sight(self):
            self._compare()

    def _compare(self) -> None:
        old, document = self._chosen(), self.document
        self.changes.clear()
        self.restore.setEnabled(old is not None and document is not None and old != document.task)
        if old is None or document is None:
            self.view.show_graph(CanvasGraph(name="Choose a revision"))
            return
        for each in differences(old, document.task):
            self.changes.addTopLevelItem(self._row(each, (old, document.task)))
        for column in range(3):
            self.changes.resizeColumnToContents(column)
        self.view.show_graph(compared(old, document.task, document.tree.get("jobs") or {}))
        self.view.fit()

    def _restore(self) -> None:
        """The chosen revision onto the canvas, as one step; not saved yet."""
        old, document = self._chosen(), self.document
        if old is not None and document is not None:
            text = tr("Back to revision {n}", n=self.list.number(self.list.row))
            document.set(("tasks", document.task_id), shared(document.task, old), text)

    def _row(self, each: DefinitionDifference, tasks: tuple[Tree, Tree]) -> QTreeWidgetItem:
        """In words: nodes and keys as people call them, of long texts the lines that differ."""
        old, new = each.old, each.new
        if isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
            old, new = differing_lines(old, new)
        texts = ("" if value is None else short(value) for value in (old, new))
        language = self._console.language.current
        item = QTreeWidgetItem(
            [
                tr(_MARKS[each.mark]),
                _named(each.node, tasks),
                key_words_of(each.key, language, of_task=not each.node),
                *texts,
            ]
        )
        for column, value in ((3, each.old), (4, each.new)):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
            item.setToolTip(column, tip_text(text[:2000]))
        return item


def _named(node: str, tasks: tuple[Tree, Tree]) -> str:
    """A node with its name, as the later of both tasks has it."""
    if not node:
        return tr("The task itself")
    found = (map_of(map_of(each.get("nodes")).get(node)).get("name") for each in reversed(tasks))
    name = next((each for each in found if each), None)
    return f"{name} ({node})" if name else node
