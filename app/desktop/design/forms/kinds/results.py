"""Results: what later nodes can use, read from a file or taken from the output."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.desktop.design.forms.fields import Field, FieldKind
from app.desktop.design.forms.kinds.cards import Card, CardsEditor
from app.desktop.design.forms.kinds.specs import ValueCard, as_map
from app.desktop.design.forms.param_fields import read_spec
from app.desktop.design.forms.plain_text import plain_label
from app.desktop.design.picker.sources import FOR_RESULTS, FOR_TASK
from app.desktop.kernel.language import tr


class ResultCard(ValueCard):
    """One result."""

    def __init__(self, owner: CardsEditor, name: str, spec: Any) -> None:
        super().__init__(owner, name, spec)
        self.note = plain_label("", self)
        self.column.addWidget(self.note)
        self.show_spec(spec)

    def show_spec(self, spec: Any) -> None:
        super().show_spec(spec)
        self.note.setVisible(as_map(spec).get("value") is None)
        self.note.setText(tr("read from the file outputs/{name}", name=self.name))

    def _field(self, spec: Any) -> Field:
        field = self.owner.field
        of_task = len(field.path) == 3 and field.path[0] == "tasks"
        boolean = read_spec(spec).kind == "boolean"
        kind = FieldKind.CONDITION if boolean else FieldKind.ANY
        return replace(super()._field(spec), kind=kind, picks=FOR_TASK if of_task else FOR_RESULTS)


class ResultsEditor(CardsEditor):
    """The results of a job or task."""

    adding = "Name of a new result"

    def card(self, name: str, spec: Any) -> Card:
        return ResultCard(self, name, spec)
