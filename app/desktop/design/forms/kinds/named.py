"""Named things below each other, and a line that adds one: what cards and the entries of a map share."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import hbox, vbox


class NamedEditor(Editor):
    """A map by name; a subclass shows its values in ``entries``."""

    adding = "Name"

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.name = QLineEdit(self)
        self.name.setPlaceholderText(tr(self.adding))
        self.name.setAccessibleName(tr(self.adding))
        self.name.returnPressed.connect(self.add)
        self.adds = QPushButton(context.console.icons.get("add"), tr("Add"), self)
        self.adds.clicked.connect(self.add)
        self.entries = vbox(spacing=4)
        self.row.addLayout(vbox(self.entries, hbox((self.name, 1), self.adds), spacing=4), 1)

    def fresh(self) -> Any:
        """What a new one is."""
        return {}

    def values(self) -> dict[str, Any]:
        """All of them by name."""
        value = self.field.value
        return {str(name): each for name, each in value.items()} if isinstance(value, dict) else {}

    def main(self) -> QWidget:
        return self.name

    def change(self, name: str, value: Any) -> None:
        """Another state of one of them, made by a person."""
        self.edited.emit({**self.values(), name: value})

    def rename(self, old: str, new: str) -> None:
        """Another name, in the same position."""
        values = self.values()
        if new and new != old and new not in values and old in values:
            self.settle({new if key == old else key: each for key, each in values.items()})

    def take_out(self, name: str) -> None:
        """One less."""
        self.settle({key: each for key, each in self.values().items() if key != name})

    def add(self) -> None:
        """One more, under the name that was typed."""
        name = self.name.text().strip()
        if name and name not in self.values():
            self.name.clear()
            self.settle({**self.values(), name: self.fresh()})
