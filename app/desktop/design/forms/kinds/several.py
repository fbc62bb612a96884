"""Some of what there is: the nodes that come before, the resources that must be in order."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.design.forms.kinds.choosing import Combo
from app.desktop.design.forms.plain_text import plain_label
from app.desktop.design.resources.new_resource_dialog import adding_tool
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import emptied, hbox, vbox
from app.desktop.widgets.pane_widgets import holder


class SeveralEditor(Editor):
    """The chosen ones below each other, each with a button that takes it out; one box adds."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self._chosen = vbox(spacing=2)
        self.combo = Combo(self)
        self.combo.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.combo.addItem(tr("Add…"))
        self.combo.opening.connect(self._offer)
        self.combo.activated.connect(self._add)
        self.row.addLayout(vbox(self._chosen, self.combo, spacing=2), 1)
        self._ids: list[str] = []
        self._shown: list[str] | None = None
        self.show_field(field)

    def possible(self) -> Iterable[str]:
        raise NotImplementedError

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        chosen = self.chosen()
        if chosen == self._shown:
            return
        self._shown = chosen
        emptied(self._chosen)
        for id in chosen:
            self._chosen.addWidget(self._tag(id))

    def _offer(self) -> None:
        """What can be added, found when the list is opened."""
        chosen = self.chosen()
        self._ids = [id for id in self.possible() if id not in chosen]
        self.combo.clear()
        self.combo.addItems([tr("Add…"), *self._ids])

    def chosen(self) -> list[str]:
        value = self.field.value
        return [str(each) for each in value] if isinstance(value, (list, tuple)) else []

    def main(self) -> QWidget:
        return self.combo

    def _tag(self, id: str) -> QWidget:
        def take_out() -> None:
            self.settle([each for each in self.chosen() if each != id])

        out = self.tool("close", tr("Take {name} out", name=id), take_out)
        return holder(hbox((plain_label(id), 1), out, margins=(6, 0, 0, 0)))

    def _add(self, index: int) -> None:
        if index > 0:
            self.settle([*self.chosen(), self._ids[index - 1]])


class NodesEditor(SeveralEditor):
    """The nodes that one runs after; those that come after it would make a circle and are not offered."""

    def possible(self) -> Iterable[str]:
        scope, own = self.context.scope(), self.context.node()
        after = {own, *scope.outline().downstream(own)} if own else set()
        return [id for id in scope.nodes if id not in after]


class ResourcesEditor(SeveralEditor):
    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.adds = adding_tool(self, lambda id: self.settle([*self.chosen(), id]))

    def possible(self) -> Iterable[str]:
        return sorted(self.context.scope().section("resources"))
