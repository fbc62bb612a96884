"""The jobs of a group, in their order; each opens in a form of its own."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QWidget

from app.desktop.design.forms.field_tables import member_fields
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form import Form, NewParameter
from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.kinds.choosing import Combo
from app.desktop.design.forms.kinds.listing import OrderedEditor
from app.desktop.design.forms.plain_text import plain_label
from app.desktop.design.tree import Path
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import emptied, resize_within_screen, vbox


class MembersEditor(OrderedEditor):
    """One line for each member, and a box that adds one: of a type, or of the library."""

    removes = "Remove this job"

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self._list = vbox(spacing=2)
        self.combo: QComboBox = Combo(self)
        self.combo.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.combo.activated.connect(self._add)
        self.row.addLayout(vbox(self._list, self.combo, spacing=2), 1)
        self._new: list[Any] = []
        self.show_field(field)

    def values(self) -> list[Any]:
        return list(self.field.value) if isinstance(self.field.value, list) else []

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        emptied(self._list)
        for index, member in enumerate(self.values()):
            self._list.addWidget(self._line(index, member))
        self._offer()

    def main(self) -> QWidget:
        return self.combo

    def _offer(self) -> None:
        scope = self.context.scope()
        library = sorted(scope.section("jobs"))
        types = [each for name, each in sorted(scope.job_types.items()) if name == each.kind]
        self._new = [None, *({"job": id} for id in library), *({"type": each.kind} for each in types)]
        self.combo.clear()
        self.combo.addItem(tr("Add a job…"))
        for id in library:
            self.combo.addItem(self.context.console.icons.get("job"), id)
        for each in types:
            self.combo.addItem(self.context.console.icons.get("add"), self.context.say(each.label))

    def _line(self, index: int, member: Any) -> QWidget:
        title = plain_label(f"{index + 1}.  {self._title(member)}", self, wrap=False)
        return self.line(index, title, self.tool("edit", tr("Edit this job"), lambda: self.open(index)))

    def _title(self, member: Any) -> str:
        raw = member if isinstance(member, dict) else {}
        found = self.context.scope().type_of(raw)
        return str(
            raw.get("job") or raw.get("name") or (self.context.say(found.label) if found else raw.get("type"))
        )

    def open(self, index: int) -> None:
        MemberDialog(self.context, (*self.field.path, index), self.window()).open()

    def _add(self, index: int) -> None:
        if index > 0:
            self.settle([*self.values(), self._new[index]])
            if "type" in self._new[index]:
                self.open(len(self.values()) - 1)


class MemberDialog(QDialog):
    """The form of one member; what is changed there is in the document at once."""

    def __init__(self, context: FormContext, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        context.tie(self)
        self.setWindowTitle(tr("Job {n} of the group", n=int(path[-1]) + 1))
        resize_within_screen(self, 480, 560)
        self.form = Form(context, lambda: member_fields(context.scope(), path), self)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.accept)
        self.adds = NewParameter(self.form, lambda name: (*path, "params", name), self)
        vbox((self.form, 1), self.adds, buttons, inside=self)
        self.form.follow()
