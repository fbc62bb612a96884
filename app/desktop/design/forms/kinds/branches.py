"""The branches of a condition: for which value which nodes run, and whether they lead back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QCheckBox, QComboBox

from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.kinds.cards import CardsEditor, EntryCard
from app.desktop.design.forms.kinds.choosing import Combo
from app.desktop.design.forms.kinds.several import SeveralEditor
from app.desktop.design.forms.plain_text import plain_label
from app.desktop.design.tree import REMOVE, put
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import hbox
from engine.planning.outline import ids_of


class _Run(SeveralEditor):
    """The nodes that a branch leads to."""

    def possible(self) -> Iterable[str]:
        """Every node but the condition and what comes before it: a branch never leads back there."""
        scope, node = self.context.scope(), self.context.node()
        before = {node, *scope.outline().upstream(node or "")}
        return [id for id in scope.nodes if id not in before]


class BranchCard(EntryCard):
    """One branch; its name is the value that takes it."""

    def __init__(self, owner: CardsEditor, name: str, spec: Any) -> None:
        super().__init__(owner, name, spec)
        self.title.setAccessibleName(tr("Value that takes this branch"))
        self.column.addWidget(plain_label(tr("then run"), self))
        self.run = _Run(owner.context, self._field(spec), self)
        self.run.main().setAccessibleName(tr("Nodes of the branch"))
        self.run.edited.connect(lambda ids: self._set("run", [] if ids is REMOVE else ids))
        self.column.addWidget(self.run)
        self.again = QCheckBox(tr("and decide again, from"), self)
        self.again.clicked.connect(lambda on: self._set("again", True if on else REMOVE))
        self.start: QComboBox = Combo(self)
        self.start.setAccessibleName(tr("Where the loop begins"))
        self.start.activated.connect(self._started)
        self.column.addLayout(hbox(self.again, (self.start, 1)))
        self.show_spec(spec)

    def show_spec(self, spec: Any) -> None:
        super().show_spec(spec)
        own = as_branch(spec)
        self.run.show_field(self._field(spec))
        self.again.setChecked(own.get("again") is True)
        self.start.setEnabled(own.get("again") is True)
        context = self.owner.context
        nodes = list(context.scope().outline().upstream(context.node() or ""))
        start = str(own.get("from") or "")
        nodes += [start] if start and start not in nodes else []
        self.start.clear()
        self.start.addItems([tr("this condition"), *nodes])
        self.start.setCurrentIndex(nodes.index(start) + 1 if start else 0)

    def _field(self, spec: Any) -> Field:
        path = (*self.owner.field.path, self.name, "run")
        return replace(
            self.owner.field, path=path, value=ids_of(as_branch(spec).get("run")), label="then run"
        )

    def _started(self, index: int) -> None:
        self._set("from", self.start.itemText(index) if index else REMOVE)

    def _set(self, key: str, value: Any) -> None:
        spec = as_branch(self.spec)
        changed = put(spec, (key,), value)
        if not changed.get("again"):
            changed.pop("from", None)
        self.owner.settled.emit()
        self.owner.change(self.name, changed["run"] if set(changed) == {"run"} else changed)


def as_branch(spec: Any) -> dict[str, Any]:
    """A branch with its keys; a list of nodes is short for one."""
    return dict(spec) if isinstance(spec, dict) else {"run": ids_of(spec)}


class BranchesEditor(CardsEditor):
    adding = "A value, or: default"
    CARD = BranchCard
    FRESH: Any = []
