"""A list, item by item; each item can be typed or bound."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QDate, Qt
from PySide6.QtWidgets import QDateEdit, QFileDialog, QToolButton, QWidget

from app.desktop.design.forms.fields import Field, FieldKind
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.design.forms.value_box import ValueBox
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import emptied, hbox, vbox
from app.desktop.widgets.pane_widgets import holder
from app.desktop.widgets.questions import Asking
from app.desktop.widgets.roomy_buttons import PushButton

_LEVELS = 3  # of lists and maps that are shown within each other: each takes its share of the width


def item_field(field: Field, step: str | int, value: Any) -> Field:
    """The field of one item of a list or one entry of a map; what is very deep is written as JSON."""
    kind = FieldKind.ANY
    if isinstance(value, (list, dict)) and not deeper(value, _LEVELS):
        kind = FieldKind.LIST if isinstance(value, list) else FieldKind.MAP
    elif field.language:
        kind = FieldKind.CODE
    number = step if isinstance(step, str) else str(step + 1)
    label = field.label if isinstance(field.label, tuple) else (tr(field.label), tr(field.label))
    return replace(
        field,
        path=(*field.path, step),
        kind=kind,
        value=value,
        default=None,
        wanted=None,
        required=False,
        label=(f"{label[0]} {number}", f"{label[1]} {number}"),
    )


def deeper(value: Any, levels: int) -> bool:
    """Whether lists and maps lie more than so many levels within each other.

    >>> deeper([{"a": 1}], 2), deeper([{"a": []}], 2)
    (False, True)
    """
    if not isinstance(value, (list, dict)):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(deeper(each, levels - 1) for each in inside)


class OrderedEditor(Editor):
    """Values in an order; a subclass shows each on a line of its own."""

    removes = ""  # the name of the button that removes one

    def values(self) -> list[Any]:
        raise NotImplementedError

    def line(self, index: int, what: QWidget, *more: QToolButton) -> QWidget:
        """The line of one: ``what`` shows it, buttons move and remove it."""
        values = self.values()
        buttons = (
            *more,
            self.tool("up", tr("Move up"), lambda: self._move(index, index - 1)),
            self.tool("down", tr("Move down"), lambda: self._move(index, index + 1)),
            self.tool("close", tr(self.removes), lambda: self.settle(values[:index] + values[index + 1 :])),
        )
        return holder(hbox((what, 1), *buttons, margins=0, spacing=1))

    def _move(self, index: int, to: int) -> None:
        values = self.values()
        if 0 <= to < len(values):
            values.insert(to, values.pop(index))
            self.settle(values)


class ListEditor(OrderedEditor):
    """The items below each other, with buttons to move and remove them."""

    removes = "Remove the item"

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.boxes: list[ValueBox] = []
        self._items = vbox(spacing=3)
        self.adds = PushButton(context.console.icons.get("add"), tr("Add an item"), self)
        self.adds.clicked.connect(self._add)
        self.files = self.tool("file", tr("Add files…"), self._add_files)
        self.dates = self.tool("calendar", tr("Add a date…"), self._add_date)
        for each in (self.files, self.dates):
            each.setVisible(not field.language)
        foot = hbox((self.adds, 1), self.files, self.dates, margins=0, spacing=1)
        self.row.addLayout(vbox(self._items, foot, spacing=3), 1)
        self._shape: tuple[Any, ...] = ()
        self.show_field(field)

    def values(self) -> list[Any]:
        value = self.field.value
        if isinstance(value, (list, tuple)):
            return list(value)
        return [] if value in (REMOVE, None, "") else [value]

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        values = self.values()
        shape = tuple(item_field(field, index, each).kind for index, each in enumerate(values))
        if shape != self._shape or len(self.boxes) != len(values):
            self._shape = shape
            self._rebuild(values)
        for index, (box, value) in enumerate(zip(self.boxes, values, strict=True)):
            box.show_field(item_field(field, index, value))

    def main(self) -> QWidget:
        return self.adds

    def _rebuild(self, values: list[Any]) -> None:
        emptied(self._items)
        self.boxes = []
        for index, value in enumerate(values):
            self._items.addWidget(self.line(index, self._box(index, value)))

    def _box(self, index: int, value: Any) -> ValueBox:
        box = ValueBox(self.context, item_field(self.field, index, value), self)
        box.edited.connect(lambda new: self._item(index, new))
        box.settled.connect(self.settled)
        self.boxes.append(box)
        return box

    def _item(self, index: int, value: Any) -> None:
        values = self.values()
        values[index] = "" if value is REMOVE else value
        self.edited.emit(values)

    def _add_files(self) -> None:
        """Paths that are chosen, each an item."""
        start = str(self.context.console.workspace)
        chosen, _ = QFileDialog.getOpenFileNames(self, tr("Add files…"), start)
        if chosen:
            self.settle([*self.values(), *chosen])

    def _add_date(self) -> None:
        """A date that is picked from a calendar."""
        asked = Asking(self.window(), tr("Add a date…"), "", tr("Add"))
        day = QDateEdit(QDate.currentDate(), asked)
        day.setCalendarPopup(True)
        day.setDisplayFormat("yyyy-MM-dd")
        asked.add(tr("Date"), day)
        if asked.wanted:
            self.settle([*self.values(), day.date().toString(Qt.DateFormat.ISODate)])

    def _add(self) -> None:
        self.settle([*self.values(), ""])
        if self.boxes:
            self.boxes[-1].setFocus()
