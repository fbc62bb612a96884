"""Results: what later nodes can use, read from a file or taken from the output."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.desktop.design.forms.fields import Field, FieldKind
from app.desktop.design.forms.kinds.cards import Card, CardsEditor
from app.desktop.design.forms.kinds.specs import KINDS, as_map, as_short, kind_box
from app.desktop.design.forms.param_fields import param_field, read_spec
from app.desktop.design.forms.plain import plain_label
from app.desktop.design.forms.value_box import ValueBox
from app.desktop.design.picker.sources import FOR_RESULTS, FOR_TASK
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.language import tr


class ResultCard(Card):
    """One result."""

    def __init__(self, owner: CardsEditor, name: str, spec: Any) -> None:
        super().__init__(owner, name, spec)
        self.kind = kind_box(self)
        self.kind.activated.connect(lambda index: self._set("kind", KINDS[index][0] or REMOVE))
        self.head.insertWidget(1, self.kind)
        self.box = ValueBox(owner.desk, self._field(spec), self)
        self.box.edited.connect(lambda value: self._set("value", value, typing=True))
        self.box.settled.connect(owner.settled)
        self.column.addWidget(self.box)
        self.note = plain_label("", self)
        self.column.addWidget(self.note)
        self.show_spec(spec)

    def show_spec(self, spec: Any) -> None:
        super().show_spec(spec)
        own = as_map(spec)
        self.kind.setCurrentIndex([kind for kind, _ in KINDS].index(own.get("kind") or ""))
        self.box.show_field(self._field(spec))
        self.note.setVisible(own.get("value") is None)
        self.note.setText(tr("read from the file outputs/{name}", name=self.name))

    def _field(self, spec: Any) -> Field:
        field = self.owner.field
        path = (*field.path, self.name, "value")
        of_task = len(field.path) == 3 and field.path[0] == "tasks"
        made = param_field(self.name, read_spec(spec), as_map(spec).get("value", REMOVE), path)
        boolean = read_spec(spec).kind == "boolean"
        kind = FieldKind.CONDITION if boolean else FieldKind.ANY
        return replace(made, kind=kind, picks=FOR_TASK if of_task else FOR_RESULTS)

    def _set(self, key: str, value: Any, *, typing: bool = False) -> None:
        spec = as_map(self.spec)
        if spec.get(key, REMOVE) == value:
            return
        if not typing:
            self.owner.settled.emit()
        changed = {**spec, key: value} if value is not REMOVE else {k: v for k, v in spec.items() if k != key}
        self.owner.change(self.name, as_short(changed))


class ResultsEditor(CardsEditor):
    """The results of a job or task."""

    adding = "Name of a new result"

    def card(self, name: str, spec: Any) -> Card:
        return ResultCard(self, name, spec)
