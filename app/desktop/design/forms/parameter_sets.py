"""Several sets of parameters: which one the form shows, one more, one less; two make a batch."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QToolButton, QWidget

from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.plain_text import plain_label
from app.desktop.design.tree import REMOVE, Path, Tree, edit, get, put
from app.desktop.kernel.language import tr, trn
from app.desktop.widgets.layouts import hbox
from app.desktop.widgets.roomy_buttons import PushButton
from app.desktop.widgets.tool_button import tool_button


@edit
def with_set(tree: Tree, path: Path) -> Tree:
    """One more set of parameters, a copy of the last: the second makes a batch. ``path`` leads to them."""
    params = get(tree, path)
    sets = list(params) if isinstance(params, list) else [dict(params or {})]
    return put(tree, path, [*sets, dict(sets[-1] if sets else {})])


@edit
def without_set(tree: Tree, path: Path, index: int) -> Tree:
    """One set less; the last one left is no batch any more."""
    params = get(tree, path)
    sets = list(params) if isinstance(params, list) else []
    kept = sets[:index] + sets[index + 1 :]
    return put(tree, path, kept if len(kept) > 1 else kept[0] if kept and kept[0] else REMOVE)


class SetBar(QWidget):
    """``turned``: another set is shown (``member``); who uses it places ``more``, a button for one more."""

    turned = Signal()

    def __init__(self, context: FormContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._node: str | None = None
        self.member = 0
        self.words = plain_label("", self, wrap=False)
        self.before = self._tool("left", "The set before", lambda: self._go(self.member - 1))
        self.next = self._tool("right", "The next set", lambda: self._go(self.member + 1))
        self.less = self._tool("remove", "Take this set away", self._remove)
        self.more = PushButton(self)
        self.more.clicked.connect(self._add)
        hbox(self.before, self.words, self.next, self.less, 1, inside=self, margins=(8, 0, 8, 0))

    def path(self, node: str, *rest: str | int) -> Path:
        """The path of the values of the set that is shown."""
        own = self._params_path(node)
        several = isinstance(get(self._context.document.tree, own), list)
        return (*own, self.member, *rest) if several else (*own, *rest)

    def count(self) -> int:
        found = get(self._context.document.tree, self._params_path(self._node or ""))
        return len(found) if isinstance(found, list) else 1

    def show_node(self, node: str | None) -> None:
        self._node = node
        raw = self._context.scope().node(node) if node else {}
        several = isinstance(raw.get("params"), list)
        count = self.count() if several else 1
        self.member = max(0, min(self.member, count - 1))
        fits = node is not None and "for_each" not in raw and bool(raw.get("params"))
        self.more.setVisible(fits)
        self.setVisible(fits and several)
        self.words.setText(tr("Set {n} of {count}", n=self.member + 1, count=count))
        self.more.setText(tr("Add a set"))
        self.more.setToolTip(tr("A second set of parameters makes this node a batch: one job for each set"))
        self.before.setEnabled(self.member > 0)
        self.next.setEnabled(self.member < count - 1)
        self.words.setAccessibleName(trn(count, "a batch of one", "a batch of {n}"))

    def _params_path(self, node: str) -> Path:
        return ("tasks", self._context.document.task_id, "nodes", node, "params")

    def _go(self, member: int) -> None:
        self.member = member
        self.show_node(self._node)
        self.turned.emit()

    def _add(self) -> None:
        if self._node is None:
            return
        path = self._params_path(self._node)
        self.member = self.count()
        self._context.document.edit(with_set(path), tr("Add a set of parameters"))
        self.turned.emit()

    def _remove(self) -> None:
        if self._node is None:
            return
        change = without_set(self._params_path(self._node), self.member)
        self._context.document.edit(change, tr("Take a set of parameters away"))
        self.turned.emit()

    def _tool(self, icon: str, text: str, do: Any) -> QToolButton:
        return tool_button(self._context.console.icons, icon, text, do, self)
