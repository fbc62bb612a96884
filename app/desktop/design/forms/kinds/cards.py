"""Named things below each other, and a line that adds one; each on a card, or an entry of a map."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import emptied, hbox, vbox
from app.desktop.widgets.roomy_buttons import PushButton


class NamedEditor(Editor):
    """A map by name; a subclass shows its values in ``entries``."""

    adding = "Name"
    FRESH: Any = {}  # what a new one is

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.name = QLineEdit(self)
        self.name.setPlaceholderText(tr(self.adding))
        self.name.setAccessibleName(tr(self.adding))
        self.name.returnPressed.connect(self.add)
        self.adds = PushButton(context.console.icons.get("add"), tr("Add"), self)
        self.adds.clicked.connect(self.add)
        self.entries = vbox(spacing=4)
        self.row.addLayout(vbox(self.entries, hbox((self.name, 1), self.adds), spacing=4), 1)

    def values(self) -> dict[str, Any]:
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
        self.settle({key: each for key, each in self.values().items() if key != name})

    def add(self) -> None:
        """One more, under the name that was typed."""
        name = self.name.text().strip()
        if name and name not in self.values():
            self.name.clear()
            self.settle({**self.values(), name: self.FRESH})


class EntryCard(QFrame):
    """One of them; a subclass shows its own ``spec``."""

    def __init__(self, owner: CardsEditor, name: str, spec: Any) -> None:
        super().__init__(owner)
        self.owner, self.name, self.spec = owner, name, spec
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.column = vbox(inside=self, margins=(6, 4, 6, 6), spacing=3)
        self.head = QHBoxLayout()
        self.title = QLineEdit(name, self)
        self.title.setAccessibleName(tr("Name"))
        self.title.editingFinished.connect(lambda: owner.rename(self.name, self.title.text().strip()))
        self.head.addWidget(self.title, 1)
        out = tr("Take {name} out", name=name)
        self.head.addWidget(owner.tool("close", out, lambda: owner.take_out(self.name)))
        self.column.addLayout(self.head)

    def show_spec(self, spec: Any) -> None:
        self.spec = spec


class CardsEditor(NamedEditor):
    """The cards of a map by name, and a line that adds one."""

    CARD: type[EntryCard]

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.cards: dict[str, EntryCard] = {}
        self.show_field(field)

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        values = self.values()
        if list(values) != list(self.cards):
            self._rebuild(values)
        for name, card in self.cards.items():
            card.show_spec(values[name])

    def _rebuild(self, values: dict[str, Any]) -> None:
        emptied(self.entries)
        self.cards = {name: self.CARD(self, name, spec) for name, spec in values.items()}
        for card in self.cards.values():
            self.entries.addWidget(card)
