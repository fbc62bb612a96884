"""A condition, built from rows, with what it gave in the latest run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QComboBox, QWidget

from app.desktop.design.forms.fields import Field, FieldKind
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.design.forms.kinds.choosing import Combo
from app.desktop.design.forms.plain_text import plain_label
from app.desktop.design.forms.value_box import ValueBox
from app.desktop.design.picker.bindings import read_binding
from app.desktop.design.picker.condition_rows import ConditionRows
from app.desktop.design.picker.conditions import Joint, read, write
from app.desktop.design.picker.samples import Sample, sample_words
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import vbox
from engine.model.expression import compact_json, looks_like_condition

_ROWS, _VALUE, _RESOURCE = range(3)
_BLANK = (REMOVE, "", None)


class ConditionEditor(Editor):
    """A condition of rows, whether a resource is in order, or (for a branch) a bare value."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.way: QComboBox = Combo(self)
        self.way.addItems([tr("a condition"), tr("a value"), tr("a resource in order")])
        self.way.setAccessibleName(tr("Decided by"))
        self.way.activated.connect(self._turned)
        self.rows = ConditionRows(context, field, self)
        self.value: ValueBox | None = None
        self.resource: QComboBox = Combo(self)
        self.resource.setAccessibleName(tr("Resource"))
        self.resource.activated.connect(lambda _index: self._took_resource())
        self.result = plain_label("", self)
        self._column = vbox(self.way, self.rows, self.resource, self.result, spacing=4)
        self.row.addLayout(self._column, 1)
        self._timer = QTimer(self, singleShot=True, interval=150)
        self._timer.timeout.connect(self._try)
        self.rows.changed.connect(self._rows_changed)
        self.rows.settled.connect(self.settled)
        context.samples.changed.connect(self._timer.start)
        self._own: Any = REMOVE
        self._chosen: int | None = None
        self.show_field(field)

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        way = self._way_of(field.value)
        self.way.setCurrentIndex(way)
        self.way.setVisible(self._choosable())
        self.rows.setVisible(way == _ROWS)
        self.resource.setVisible(way == _RESOURCE)
        self._show_value(way == _VALUE)
        if way == _ROWS and not _same(field.value, self._own):  # rows not filled in yet stay
            self.rows.show_joint(self._read(field.value) or Joint(True, ()))
        if way == _RESOURCE:
            self._show_resource()
        self._own = field.value
        self._timer.start()

    def main(self) -> QWidget:
        return self.way if self._choosable() else self.rows.adds

    def _choosable(self) -> bool:
        """Whether a resource is possible too: a node's ``when`` is a condition and nothing else."""
        return self.field.path[-1] != "when"

    def _way_of(self, value: Any) -> int:
        if isinstance(value, dict) and self._choosable():
            return _RESOURCE
        if value not in _BLANK and not _readable(value):
            return _VALUE  # rows cannot show it: it stays the text that it is
        if self._chosen is not None and value in _BLANK:
            return self._chosen
        bare = isinstance(value, str) and value and not looks_like_condition(value)
        return _VALUE if bare and self._decides() else _ROWS

    def _decides(self) -> bool:
        """Whether it chooses a branch: then a bare value decides by what it is, not whether it holds."""
        return self.field.path[-1] == "value"

    def _turned(self, way: int) -> None:
        self._chosen = way
        self.settled.emit()
        if self.field.given:
            self.edited.emit(REMOVE)
        self.show_field(Field(self.field.path, self.field.kind, self.field.label, picks=self.field.picks))
        self.settled.emit()

    def _show_value(self, shown: bool) -> None:
        if self.value is not None:
            self.value.setVisible(shown)
        if not shown:
            return
        several = isinstance(self.field.value, list)
        field = replace(self.field, kind=FieldKind.LIST if several else FieldKind.ANY)
        if self.value is None:
            self.value = ValueBox(self.context, field, self)
            self.value.edited.connect(self.edited)
            self.value.settled.connect(self.settled)
            self._column.insertWidget(1, self.value)
        self.value.show_field(field)

    def _read(self, value: Any) -> Joint | None:
        texts = [compact_json(each) if isinstance(each, bool) else each for each in _several(value)]
        found = [read(each) for each in texts if isinstance(each, str)]
        known = [each for each in found if each is not None]
        return known[0] if len(known) == 1 else Joint(True, tuple(known)) if known else None

    def _show_resource(self) -> None:
        found = sorted(self.context.scope().section("resources"))
        self.resource.clear()
        self.resource.addItems([tr("not set"), *found])
        id = str(self.field.value.get("resource", "")) if isinstance(self.field.value, dict) else ""
        self.resource.setCurrentIndex(found.index(id) + 1 if id in found else 0)

    def _took_resource(self) -> None:
        id = self.resource.currentText()
        self.edited.emit({"resource": id} if self.resource.currentIndex() > 0 else REMOVE)
        self.settled.emit()

    def _rows_changed(self) -> None:
        text = write(self.rows.joint())
        self._own = text or REMOVE
        self.edited.emit(self._own)

    def _try(self) -> None:
        value = self.field.value
        if not isinstance(value, str) or not value or not self.context.samples.runs:
            self.result.setVisible(False)
        elif read_binding(value) is not None and self._decides():
            self.context.sample(value, self._tried, self)
        else:
            self.context.samples.truth(value, self._tried, owner=self, items=self.context.items())

    def _tried(self, sample: Sample | None) -> None:
        self.result.setVisible(sample is not None)
        self.result.setText(
            truth_words(sample) if sample and isinstance(sample.value, bool) else sample_words(sample)
        )


def _readable(value: Any) -> bool:
    """Whether rows can show all of it."""
    return all(
        isinstance(each, bool) or (isinstance(each, str) and read(each) is not None)
        for each in _several(value)
    )


def _same(value: Any, other: Any) -> bool:
    return value == other or (value in _BLANK and other in _BLANK)


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def truth_words(sample: Sample) -> str:
    """``With run #12 it holds``."""
    words = tr("With run #{n} it holds") if sample.value else tr("With run #{n} it does not hold")
    return words.format(n=sample.instance)
