"""A condition as rows that are filled in: what is compared, how, with what; all or any of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QWidget

from app.desktop.design.forms.fields import Field, FieldKind
from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.kinds.choosing import Combo
from app.desktop.design.forms.value_box import ValueBox
from app.desktop.design.picker.bindings import read_binding
from app.desktop.design.picker.conditions import Comparison, Joint, Operand
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import dropped, hbox, vbox
from app.desktop.widgets.roomy_buttons import PushButton
from app.desktop.widgets.tool_button import tool_button
from engine.model.expression import compact_json

WORDS: Final = {
    "==": "equals", "!=": "differs from", "<": "is less than", "<=": "is at most", ">": "is greater than",
    ">=": "is at least", "#": "contains", "": "is true",
}  # fmt: skip
JOINS: Final = (
    "all of these hold", "at least one of these holds", "not all of these hold", "none of these holds"
)  # fmt: skip
_EMPTY, _NOTHING = "is missing", "is there"  # == null, != null


class ConditionRows(QFrame):
    """One group of rows; ``changed`` when anything in it is, ``settled`` when a change is complete."""

    changed = Signal()
    settled = Signal()

    def __init__(
        self, context: FormContext, field: Field, parent: QWidget | None = None, *, depth: int = 0
    ) -> None:
        super().__init__(parent)
        self._context, self._field, self._depth = context, field, depth
        self.parts: list[ConditionRow | ConditionRows] = []
        self.joins = Combo(self)
        self.joins.addItems([tr(each) for each in JOINS])
        self.joins.setAccessibleName(tr("How the rows belong together"))
        self.joins.activated.connect(lambda _index: self._touched())
        margins = (6, 4, 0, 4) if depth else 0
        self._column = vbox(self.joins, self._buttons(), inside=self, margins=margins, spacing=4)
        if depth:
            self.setFrameShape(QFrame.Shape.StyledPanel)

    def joint(self) -> Joint:
        parts = (each.test() if isinstance(each, ConditionRow) else each.joint() for each in self.parts)
        kept = tuple(each for each in parts if not each.empty)
        negated, any_of = divmod(self.joins.currentIndex(), 2)
        return Joint(not any_of, kept, bool(negated))

    def show_joint(self, joint: Joint) -> None:
        for part in self.parts:
            dropped(self._column, part)
        self.parts = []
        self.joins.setCurrentIndex(2 * joint.negated + (not joint.all))
        for each in joint.parts:
            self._put(each)
        self._shown()

    def add(self) -> ConditionRow:
        row = self._put(Comparison(Operand()))
        assert isinstance(row, ConditionRow)
        self._touched()
        row.left.setFocus()
        return row

    def remove(self, part: ConditionRow | ConditionRows) -> None:
        self.parts.remove(part)
        dropped(self._column, part)
        self._touched()

    def _buttons(self) -> QHBoxLayout:
        self.adds = PushButton(self._context.console.icons.get("add"), tr("Add a comparison"), self)
        self.adds.clicked.connect(self.add)
        self.groups = PushButton(tr("Add a group"), self)
        self.groups.setToolTip(tr("Rows within rows: one of them, while all others hold"))
        self.groups.clicked.connect(self._add_group)
        self.groups.setVisible(self._depth < 3)
        return hbox(self.adds, self.groups, 1)

    def _add_group(self) -> None:
        self._put(Joint(False, (Comparison(Operand()),)))
        self._touched()

    def _put(self, part: Comparison | Joint) -> ConditionRow | ConditionRows:
        made: ConditionRow | ConditionRows
        if isinstance(part, Comparison):
            made = ConditionRow(self._context, self._field, part, self)
            made.removed.connect(lambda: self.remove(made))
        else:
            made = ConditionRows(self._context, self._field, self, depth=self._depth + 1)
            made.show_joint(part)
        made.changed.connect(self._touched)
        made.settled.connect(self.settled)
        self._column.insertWidget(1 + len(self.parts), made)
        self.parts.append(made)
        return made

    def _touched(self) -> None:
        self._shown()
        self.changed.emit()

    def _shown(self) -> None:
        self.joins.setVisible(len(self.parts) > 1 or self.joins.currentIndex() > 1)
        self.groups.setVisible(bool(self.parts) and self._depth < 3)


class ConditionRow(QWidget):
    changed = Signal()
    settled = Signal()
    removed = Signal()

    def __init__(
        self, context: FormContext, field: Field, test: Comparison, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._negated = test.negated
        self.left = OperandBox(context, field, test.left, tr("What is looked at"), self)
        self.right = OperandBox(context, field, test.right, tr("What it is compared with"), self)
        self.operator: QComboBox = Combo(self)
        self._operators = [*WORDS, _EMPTY, _NOTHING]
        words = [*WORDS.values(), _EMPTY, _NOTHING]
        self.operator.addItems(
            [tr("not: {words}", words=tr(each)) if self._negated else tr(each) for each in words]
        )
        self.operator.setAccessibleName(tr("How it is compared"))
        self.operator.setCurrentIndex(self._operators.index(_shown(test)))
        self.operator.activated.connect(lambda _index: self._touched())
        away = tool_button(context.console.icons, "close", tr("Remove the comparison"), self.removed, self)
        first, second = hbox((self.left, 1), away), hbox(self.operator, (self.right, 1))
        vbox(first, second, inside=self, margins=(0, 0, 0, 2), spacing=2)
        for box in (self.left, self.right):
            box.changed.connect(self._touched)
            box.settled.connect(self.settled)
        self._show_right()

    def test(self) -> Comparison:
        operator = self._operators[self.operator.currentIndex()]
        left = self.left.operand()
        if operator in (_EMPTY, _NOTHING):
            return Comparison(left, "==" if operator == _EMPTY else "!=", Operand(None, None), self._negated)
        return Comparison(left, operator, self.right.operand(), self._negated)

    def _touched(self) -> None:
        self._show_right()
        self.changed.emit()

    def _show_right(self) -> None:
        self.right.setVisible(self._operators[self.operator.currentIndex()] not in ("", _EMPTY, _NOTHING))


def _shown(test: Comparison) -> str:
    nothing = test.right.binding is None and test.right.literal is None
    if nothing and test.operator in ("==", "!="):
        return _EMPTY if test.operator == "==" else _NOTHING
    return test.operator


class OperandBox(ValueBox):
    """One side of a comparison: a literal that is typed, or something picked."""

    changed = Signal()

    def __init__(
        self, context: FormContext, field: Field, operand: Operand, name: str, parent: QWidget
    ) -> None:
        shown = operand.binding.text if operand.binding else _written(operand.literal)
        side = Field(
            field.path,
            FieldKind.TEXT,
            (name, name),
            value=shown if shown != "" else REMOVE,
            picks=field.picks,
        )
        super().__init__(context, side, parent)
        self.edited.connect(self._took)

    def mixes(self) -> bool:
        """Never: between the quotes of a condition's text a path is only letters."""
        return False

    def operand(self) -> Operand:
        value = self.field.value if self.field.given else ""
        binding = read_binding(value)
        if binding is not None:
            return Operand(binding)
        literal: str | bool = {"true": True, "false": False}.get(str(value), str(value))
        return Operand(None, literal)

    def _took(self, value: object) -> None:
        self.show_field(replace(self.field, value=value))
        self.changed.emit()


def _written(literal: str | bool | None) -> str:
    return literal if isinstance(literal, str) else compact_json(literal)
