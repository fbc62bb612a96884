"""Named things below each other, each on a card: parameters, results, branches, members."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.kinds.named import NamedEditor
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import emptied, vbox


class Card(QFrame):
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
        gone = owner.tool("close", tr("Take {name} out", name=name))
        gone.clicked.connect(lambda: owner.take_out(self.name))
        self.head.addWidget(gone)
        self.column.addLayout(self.head)

    def show_spec(self, spec: Any) -> None:
        """Show another state of it."""
        self.spec = spec


class CardsEditor(NamedEditor):
    """The cards of a map by name, and a line that adds one."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.cards: dict[str, Card] = {}
        self.show_field(field)

    def card(self, name: str, spec: Any) -> Card:
        """The card of one of them."""
        raise NotImplementedError

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        values = self.values()
        if list(values) != list(self.cards):
            self._rebuild(values)
        for name, card in self.cards.items():
            card.show_spec(values[name])

    def _rebuild(self, values: dict[str, Any]) -> None:
        emptied(self.entries)
        self.cards = {name: self.card(name, spec) for name, spec in values.items()}
        for card in self.cards.values():
            self.entries.addWidget(card)
