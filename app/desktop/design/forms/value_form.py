"""Values that are asked for: one line for each parameter, typed by its kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtWidgets import QFrame, QLineEdit, QScrollArea, QWidget

from app.desktop.design.forms.fields import Field, FieldKind
from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.labels import as_written
from app.desktop.design.forms.param_fields import param_field
from app.desktop.design.forms.plain_text import plain_label, tinted_label
from app.desktop.design.forms.value_box import ValueBox
from app.desktop.design.picker.binding_labels import label_of
from app.desktop.design.picker.bindings import read_binding
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import error_line
from app.desktop.widgets.layouts import hbox, vbox
from engine.model.errors import SkerryError
from engine.model.job import ParamSpec
from engine.runtime.param_binding import fit, from_text


@dataclass(frozen=True, slots=True)
class Blank:
    """A field to fill in by its row of a parameter table; it is bound to nothing."""

    name: str
    spec: ParamSpec
    field: Field

    def problem(self, value: Any) -> str:
        """Why a value cannot be taken; empty when it can."""
        if value in (REMOVE, None):
            needs = self.spec.required and self.spec.value is None
            return tr("A value is needed.") if needs else ""
        try:
            self.typed(value)
        except SkerryError as error:
            return error_line(error)
        return ""

    def typed(self, value: Any) -> Any:
        """The value as its kind; SkerryError when it does not fit."""
        read = from_text(self.name, value, self.spec) if isinstance(value, str) else value
        return fit(read, self.spec)


class ValueForm(QScrollArea):
    """``values`` are those that a person gave."""

    def __init__(self, context: FormContext, asked: Sequence[Blank], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.lines: dict[str, ValueLine] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        page = QWidget(self)
        column = vbox(inside=page, margins=4, spacing=8)
        for each in asked:
            line = ValueLine(context, each, page)
            self.lines[each.name] = line
            column.addWidget(line)
        column.addStretch(1)
        self.setWidget(page)

    def fill(self, values: Mapping[str, Any]) -> None:
        """Show values that were given before; others stay as they are."""
        for name, value in values.items():
            if name in self.lines:
                self.lines[name].give(value)

    def reset(self) -> None:
        """Take every value back: what is usual holds."""
        for line in self.lines.values():
            line.give(REMOVE)

    @property
    def fits(self) -> bool:
        return not any(line.problem() for line in self.lines.values())

    def values(self) -> dict[str, Any]:
        """The values that were given, typed; SkerryError when one does not fit."""
        given = {name: line for name, line in self.lines.items() if line.value is not REMOVE}
        return {name: line.asked.typed(line.value) for name, line in given.items()}

    def show_problems(self) -> None:
        """Say what is wrong at each line, and go to the first."""
        wrong = [line for line in self.lines.values() if line.problem()]
        for line in self.lines.values():
            line.show_problem()
        if wrong:
            wrong[0].focus()


class ValueLine(QWidget):
    """One value with its name, its help and what is wrong with it."""

    def __init__(self, context: FormContext, asked: Blank, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self.asked = context, asked
        self.value: Any = REMOVE
        title = context.say(asked.field.label)
        self._name = plain_label(f"{title} *" if asked.spec.required else title, self)
        self._box = ValueBox(context, asked.field, self) if not asked.spec.secret else None
        self._secret = QLineEdit(self)
        self._secret.setEchoMode(QLineEdit.EchoMode.Password)
        self._secret.setVisible(bool(asked.spec.secret))
        self._secret.setAccessibleName(title)
        theme = context.console.theme
        self._problem = tinted_label(theme, "danger", "", self)
        self._note = tinted_label(theme, "muted", self._usual(), self)
        row = hbox((self._box or self._secret, 1))
        vbox(self._name, row, self._problem, self._note, inside=self, margins=0, spacing=2)
        self._note.setVisible(bool(self._note.text()))
        self._problem.setVisible(False)
        if self._box:
            self._box.edited.connect(self.give)
        self._secret.textEdited.connect(lambda text: self.give(text or REMOVE))

    def focus(self) -> None:
        (self._box or self._secret).setFocus()

    def problem(self) -> str:
        """Why the value cannot be taken; empty when it can."""
        return self.asked.problem(self.value)

    def show_problem(self) -> None:
        self._problem.setText(self.problem())
        self._problem.setVisible(bool(self.problem()))

    def give(self, value: Any) -> None:
        self.value = value
        if self._box:
            self._box.show_field(replace(self.asked.field, value=value))
        if value is not REMOVE or self._problem.isVisible():
            self.show_problem()

    def _usual(self) -> str:
        help, default = self._context.say(self.asked.field.help), self.asked.field.default
        binding = read_binding(default)
        usual = tr("Usual: {value}", value=label_of(self._context, binding)) if binding else ""
        return "\n".join(filter(None, (help, usual)))


def asked_for(name: str, spec: ParamSpec, label: str = "") -> Blank:
    """What is asked for a parameter; its table has what holds without a value."""
    field = param_field(name, spec, REMOVE, ("params", name))
    kind = FieldKind.ANY if field.kind is FieldKind.TEXT and spec.kind is None else field.kind
    field = replace(
        field,
        kind=kind,
        picks=None,
        default=spec.value,
        label=as_written(label or name),
        help=as_written(spec.help or ""),
    )
    return Blank(name, spec, field)
