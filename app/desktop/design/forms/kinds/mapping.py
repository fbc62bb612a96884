"""A map: names and their values; each value can be typed or bound."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.design.forms.kinds.listing import item_field
from app.desktop.design.forms.value_box import ValueBox
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.language import tr


class MapEditor(Editor):
    """The entries below each other: a name, its value, a button that takes it away."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.boxes: dict[str, ValueBox] = {}
        column = QVBoxLayout()
        column.setSpacing(3)
        self._entries = QVBoxLayout()
        self._entries.setSpacing(3)
        self.name = QLineEdit(self)
        self.name.setPlaceholderText(tr("Name of a new entry"))
        self.name.setAccessibleName(tr("Name of a new entry"))
        self.name.returnPressed.connect(self._add)
        self.adds = QPushButton(context.console.icons.get("add"), tr("Add"), self)
        self.adds.clicked.connect(self._add)
        row = QHBoxLayout()
        row.addWidget(self.name, 1)
        row.addWidget(self.adds)
        column.addLayout(self._entries)
        column.addLayout(row)
        self.row.addLayout(column, 1)
        self._shape: tuple[Any, ...] = ()
        self.show_field(field)

    def values(self) -> dict[str, Any]:
        """The entries as they are."""
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

    def main(self) -> QWidget:
        return self.name

    def _rebuild(self, values: dict[str, Any]) -> None:
        while item := self._entries.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self.boxes = {}
        for name, value in values.items():
            self._entries.addWidget(self._line(name, value))

    def _line(self, name: str, value: Any) -> QWidget:
        line = QWidget(self)
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(3)
        key = QLineEdit(name, line)
        key.setAccessibleName(tr("Name"))
        key.setMaximumWidth(110)
        key.editingFinished.connect(lambda: self._rename(name, key.text().strip()))
        box = ValueBox(self.context, item_field(self.field, name, value), line)
        box.edited.connect(lambda new: self._entry(name, new))
        box.settled.connect(self.settled)
        self.boxes[name] = box
        gone = self.tool("close", tr("Take {name} out", name=name))
        gone.clicked.connect(lambda: self._change({k: v for k, v in self.values().items() if k != name}))
        row.addWidget(key)
        row.addWidget(box, 1)
        row.addWidget(gone)
        return line

    def _add(self) -> None:
        name = self.name.text().strip()
        if name and name not in self.values():
            self.name.clear()
            self._change({**self.values(), name: ""})
            self.boxes[name].setFocus()

    def _rename(self, old: str, new: str) -> None:
        values = self.values()
        if new and new != old and new not in values and old in values:
            self._change({new if key == old else key: value for key, value in values.items()})

    def _entry(self, name: str, value: Any) -> None:
        self.edited.emit({**self.values(), name: "" if value is REMOVE else value})

    def _change(self, values: dict[str, Any]) -> None:
        self.settled.emit()
        self.edited.emit(values or REMOVE)
        self.settled.emit()
