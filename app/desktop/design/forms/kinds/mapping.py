"""A map: names and their values; each value can be typed or bound."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QLineEdit, QWidget

from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.kinds.cards import NamedEditor
from app.desktop.design.forms.kinds.listing import item_field
from app.desktop.design.forms.value_box import ValueBox
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import emptied, hbox


class MapEditor(NamedEditor):
    """The entries below each other: a name, its value, a button that takes it away."""

    adding = "Name of a new entry"
    FRESH = ""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.boxes: dict[str, ValueBox] = {}
        self._shape: tuple[Any, ...] = ()
        self.show_field(field)

    def values(self) -> dict[str, Any]:
        return dict(self.field.value) if isinstance(self.field.value, dict) else {}

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        values = self.values()
        shape = tuple((name, item_field(field, name, each).kind) for name, each in values.items())
        if shape != self._shape:
            self._shape = shape
            self._rebuild(values)
        for name, box in self.boxes.items():
            box.show_field(item_field(field, name, values[name]))

    def _rebuild(self, values: dict[str, Any]) -> None:
        emptied(self.entries)
        self.boxes = {}
        for name, value in values.items():
            self.entries.addWidget(self._line(name, value))

    def _line(self, name: str, value: Any) -> QWidget:
        line = QWidget(self)
        key = QLineEdit(name, line)
        key.setAccessibleName(tr("Name"))
        key.setMaximumWidth(110)
        key.editingFinished.connect(lambda: self.rename(name, key.text().strip()))
        box = ValueBox(self.context, item_field(self.field, name, value), line)
        box.edited.connect(lambda new: self.change(name, new))
        box.settled.connect(self.settled)
        self.boxes[name] = box
        gone = self.tool("close", tr("Take {name} out", name=name), lambda: self.take_out(name))
        hbox(key, (box, 1), gone, inside=line, margins=0, spacing=3)
        return line

    def add(self) -> None:
        name = self.name.text().strip()
        super().add()
        if not self.name.text() and name in self.boxes:
            self.boxes[name].setFocus()

    def change(self, name: str, value: Any) -> None:
        super().change(name, "" if value is REMOVE else value)
