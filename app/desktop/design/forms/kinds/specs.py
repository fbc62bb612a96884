"""The tables of parameters and of results: name, kind, value, and what a value must be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLineEdit, QToolButton, QWidget

from app.desktop.design.forms.fields import Field, FieldKind
from app.desktop.design.forms.kinds.cards import CardsEditor, EntryCard
from app.desktop.design.forms.kinds.choosing import Combo
from app.desktop.design.forms.param_fields import param_field, read_spec
from app.desktop.design.forms.plain_text import plain_label
from app.desktop.design.forms.value_box import ValueBox
from app.desktop.design.picker.sources import FOR_RESULTS, FOR_TASK
from app.desktop.design.tree import REMOVE, put
from app.desktop.kernel.language import tr

KINDS: tuple[tuple[str, str], ...] = (
    ("", "any kind"), ("text", "text"), ("number", "number"), ("boolean", "yes or no"), ("file", "file"),
    ("document", "document"), ("list", "list"), ("map", "map"),
)  # fmt: skip


def as_map(spec: Any) -> dict[str, Any]:
    """A specification with its keys; a bare value is short for one."""
    return dict(spec) if isinstance(spec, dict) else {"value": spec}


def as_short(spec: dict[str, Any]) -> Any:
    """The shortest way to write it."""
    bare = set(spec) == {"value"} and not isinstance(spec["value"], dict)
    return spec["value"] if bare else spec


class ValueCard(EntryCard):
    def __init__(self, owner: CardsEditor, name: str, spec: Any) -> None:
        super().__init__(owner, name, spec)
        self.kind: QComboBox = Combo(self)
        self.kind.addItems([tr(words) for _, words in KINDS])
        self.kind.setAccessibleName(tr("Kind"))
        self.kind.activated.connect(lambda index: self._set("kind", KINDS[index][0] or REMOVE))
        self.head.insertWidget(1, self.kind)
        self.box = ValueBox(owner.context, self._field(spec), self)
        self.box.edited.connect(lambda value: self._set("value", value, typing=True))
        self.box.settled.connect(owner.settled)
        self.column.addWidget(self.box)

    def show_spec(self, spec: Any) -> None:
        super().show_spec(spec)
        own = as_map(spec)
        self.kind.setCurrentIndex([kind for kind, _ in KINDS].index(own.get("kind") or ""))
        self.box.show_field(self._field(spec))

    def _field(self, spec: Any) -> Field:
        path = (*self.owner.field.path, self.name, "value")
        return param_field(self.name, read_spec(spec), as_map(spec).get("value", REMOVE), path)

    def _set(self, key: str, value: Any, *, typing: bool = False) -> None:
        spec = as_map(self.spec)
        if spec.get(key, REMOVE) == value:
            return
        if not typing:
            self.owner.settled.emit()
        self.owner.change(self.name, as_short(put(spec, (key,), value)))


class SpecCard(ValueCard):
    def __init__(self, owner: CardsEditor, name: str, spec: Any) -> None:
        super().__init__(owner, name, spec)
        self.more = QToolButton(self)
        self.more.setText(tr("More…"))
        self.more.setAutoRaise(True)
        self.more.setCheckable(True)
        self.column.addWidget(self.more)
        self.details = self._details()
        self.column.addWidget(self.details)
        self.more.toggled.connect(self.details.setVisible)
        self.details.hide()
        self.show_spec(spec)

    def show_spec(self, spec: Any) -> None:
        super().show_spec(spec)
        own = as_map(spec)
        self.required.setChecked(own.get("required") is True)
        self.dynamic.setChecked(own.get("dynamic", True) is not False)
        self.send.setChecked(own.get("send") is True)
        self.send.setVisible(own.get("kind") in ("file", "document"))
        if not self.help.hasFocus():
            self.help.setText(str(own.get("help") or ""))
        if not self.choices.hasFocus():
            self.choices.setText(", ".join(map(str, own.get("choices") or ())))
        self._show_secret(own.get("secret"))

    def _details(self) -> QWidget:
        page = QWidget(self)
        form = QFormLayout(page)
        form.setContentsMargins(0, 0, 0, 0)
        self.required = QCheckBox(tr("A value is required"), page)
        self.required.clicked.connect(lambda on: self._set("required", True if on else REMOVE))
        self.dynamic = QCheckBox(tr("Its value may be taken from elsewhere"), page)
        self.dynamic.clicked.connect(lambda on: self._set("dynamic", REMOVE if on else False))
        self.send = QCheckBox(tr("Another worker gets the file itself"), page)
        self.send.clicked.connect(lambda on: self._set("send", True if on else REMOVE))
        self.help, self.choices = QLineEdit(page), QLineEdit(page)
        self.choices.setPlaceholderText(tr("values that may be chosen, with commas"))
        self.help.editingFinished.connect(lambda: self._set("help", self.help.text().strip() or REMOVE))
        self.choices.editingFinished.connect(self._set_choices)
        self.secret: QComboBox = Combo(page)
        self.secret.activated.connect(self._set_secret)
        form.addRow(self.required)
        form.addRow(self.dynamic)
        form.addRow(self.send)
        form.addRow(tr("Help"), self.help)
        form.addRow(tr("Choices"), self.choices)
        form.addRow(tr("Secret"), self.secret)
        for widget, name in ((self.help, "Help"), (self.choices, "Choices"), (self.secret, "Secret")):
            widget.setAccessibleName(tr(name))
        return page

    def _show_secret(self, secret: Any) -> None:
        names = list(self.owner.context.standing.secrets)
        names += [secret] if isinstance(secret, str) and secret not in names else []
        self.secret.clear()
        self.secret.addItems([tr("no secret"), tr("what is typed is secret"), *names])
        chosen = names.index(secret) + 2 if isinstance(secret, str) else 1 if secret is True else 0
        self.secret.setCurrentIndex(chosen)

    def _set_secret(self, index: int) -> None:
        self._set("secret", REMOVE if index == 0 else True if index == 1 else self.secret.currentText())

    def _set_choices(self) -> None:
        kind = read_spec(self.spec).kind
        found = [each.strip() for each in self.choices.text().split(",") if each.strip()]
        self._set("choices", [_typed(each, kind) for each in found] or REMOVE)


def _typed(text: str, kind: str | None) -> Any:
    if kind != "number":
        return text
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


class SpecsEditor(CardsEditor):
    """The parameters of a task or of a job of the library."""

    adding = "Name of a new parameter"
    CARD = SpecCard


class ResultCard(ValueCard):
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
    adding = "Name of a new result"
    CARD = ResultCard
