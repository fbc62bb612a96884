"""Named things below each other, each on a card: parameters, results, branches, members."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.language import tr


class Card(QFrame):
    """One of them; a subclass shows its own ``spec``."""

    def __init__(self, owner: CardsEditor, name: str, spec: Any) -> None:
        super().__init__(owner)
        self.owner, self.name, self.spec = owner, name, spec
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(6, 4, 6, 6)
        self.column.setSpacing(3)
        self.head = QHBoxLayout()
        self.title = QLineEdit(name, self)
        self.title.setAccessibleName(tr("Name"))
        self.title.editingFinished.connect(lambda: owner.rename(self.name, self.title.text().strip()))
        self.head.addWidget(self.title, 1)
        gone = owner.tool("close", tr("Take {name} out", name=name))
        gone.clicked.connect(lambda: owner.take_out(self.name))
        self.head.addWidget(gone)
        self.column.addLayout(self.head)

    def show_spec(self, spec: Any) -> None:
        """Show another state of it."""
        self.spec = spec


class CardsEditor(Editor):
    """The cards of a map by name, and a line that adds one."""

    adding = "Name"

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.cards: dict[str, Card] = {}
        column = QVBoxLayout()
        column.setSpacing(4)
        self._list = QVBoxLayout()
        self._list.setSpacing(4)
        self.name = QLineEdit(self)
        self.name.setPlaceholderText(tr(self.adding))
        self.name.setAccessibleName(tr(self.adding))
        self.name.returnPressed.connect(self._add)
        self.adds = QPushButton(context.console.icons.get("add"), tr("Add"), self)
        self.adds.clicked.connect(self._add)
        row = QHBoxLayout()
        row.addWidget(self.name, 1)
        row.addWidget(self.adds)
        column.addLayout(self._list)
        column.addLayout(row)
        self.row.addLayout(column, 1)
        self.show_field(field)

    def card(self, name: str, spec: Any) -> Card:
        """The card of one of them."""
        raise NotImplementedError

    def fresh(self) -> Any:
        """What a new one is."""
        return {}

    def values(self) -> dict[str, Any]:
        """All of them by name."""
        value = self.field.value
        return {str(name): each for name, each in value.items()} if isinstance(value, dict) else {}

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        values = self.values()
        if list(values) != list(self.cards):
            self._rebuild(values)
        for name, card in self.cards.items():
            card.show_spec(values[name])

    def main(self) -> QWidget:
        return self.name

    def change(self, name: str, spec: Any) -> None:
        """Another state of one of them, made by a person."""
        self.edited.emit({**self.values(), name: spec})

    def rename(self, old: str, new: str) -> None:
        """Another name, at its place."""
        values = self.values()
        if new and new != old and new not in values and old in values:
            self._give({new if key == old else key: each for key, each in values.items()})

    def take_out(self, name: str) -> None:
        """One less."""
        self._give({key: each for key, each in self.values().items() if key != name})

    def _add(self) -> None:
        name = self.name.text().strip()
        if name and name not in self.values():
            self.name.clear()
            self._give({**self.values(), name: self.fresh()})

    def _give(self, values: dict[str, Any]) -> None:
        self.settled.emit()
        self.edited.emit(values or REMOVE)
        self.settled.emit()

    def _rebuild(self, values: dict[str, Any]) -> None:
        while item := self._list.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self.cards = {name: self.card(name, spec) for name, spec in values.items()}
        for card in self.cards.values():
            self._list.addWidget(card)
