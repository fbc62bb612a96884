"""The task's own table: all parameters of all its jobs in one place, with what each value overrides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialogButtonBox,
    QHeaderView,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.desktop.design.forms.definition_scope import DefinitionScope
from app.desktop.design.forms.field_tables import member_fields, node_fields
from app.desktop.design.forms.fields import Field, owners
from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.param_fields import param_field, read_spec
from app.desktop.design.forms.parameter_sets import with_set
from app.desktop.design.forms.plain_text import plain_label, short
from app.desktop.design.forms.value_box import ValueBox
from app.desktop.design.picker.binding_labels import label_of
from app.desktop.design.picker.bindings import read_binding
from app.desktop.design.tree import REMOVE, node_path
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.reasons import failure_line
from app.desktop.widgets.layouts import hbox, resize_within_screen, vbox
from app.desktop.widgets.pane_widgets import button, named, worded
from app.desktop.widgets.plain_label import tip_text
from app.desktop.widgets.reading_order import ReadingDialog
from engine.planning.outline import map_of

_NODE, _NAME, _VALUE, _ORIGIN = range(4)
_HEIGHT = 34
_MORE = "A second set of parameters makes the node a batch: one job for each set"


@dataclass(frozen=True, slots=True)
class ParameterRow:
    """One parameter of one node. ``member``: which set of a batch, None for a node with one set."""

    node: str
    title: str
    member: int | None
    field: Field


def rows_of(scope: DefinitionScope) -> tuple[ParameterRow, ...]:
    return tuple(row for node in scope.parts for row in _of_node(scope, node))


def _of_node(scope: DefinitionScope, node: str) -> Iterator[ParameterRow]:
    sets = scope.node(node).get("params")
    if isinstance(sets, list):
        for member in range(len(sets)):
            yield from _of_set(scope, node, f"{node} [{member + 1}]", member)
    else:
        yield from _of_set(scope, node, node, None)
    members = scope.node(node).get("jobs")
    for index in range(len(members) if isinstance(members, list) else 0):
        path = (*node_path(scope.task, node), "jobs", index)
        for field in member_fields(scope, path):
            if field.group == "params":
                yield ParameterRow(node, f"{node}.{index}", None, field)


def _of_set(scope: DefinitionScope, node: str, title: str, member: int | None) -> Iterator[ParameterRow]:
    for field in node_fields(scope, node, member or 0):
        if field.group == "params":
            yield ParameterRow(node, title, member, field)


def own_params(scope: DefinitionScope) -> tuple[ParameterRow, ...]:
    """The task's own parameters, which come first."""
    found = []
    for name, spec in map_of(scope.raw_task.get("params")).items():
        base = ("tasks", scope.task, "params", str(name))
        path = (*base, "value") if isinstance(spec, dict) else base
        value = spec.get("value", REMOVE) if isinstance(spec, dict) else spec
        found.append(ParameterRow("", "", None, param_field(str(name), read_spec(spec), value, path)))
    return tuple(found)


class TaskTable(QWidget):
    """Every value can be typed or bound here, as in the form of its node."""

    def __init__(self, context: FormContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.rows: tuple[ParameterRow, ...] = ()
        self.boxes: dict[str, ValueBox] = {}
        self._change = 0
        self._shape: object = None
        self.search = named(
            QLineEdit(self, clearButtonEnabled=True), "Search", "Search: a node, a parameter, a value"
        )
        self.search.textChanged.connect(self._filter)
        self.table = named(QTableWidget(0, 4, self), "All parameters of the task")
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.verticalHeader().hide()
        self._columns()
        self.adds = button("Add a set to this node", self.add_set, _MORE)
        self.adds.setIcon(context.console.icons.get("source-batch"))
        self.empty = worded(plain_label("", self), "No job of this task has a parameter yet.")
        vbox(hbox((self.search, 1), self.adds), self.empty, (self.table, 1), inside=self)
        context.document.changed.connect(self.follow)
        context.document.findings_changed.connect(self._mark)
        translated(self, self._word)

    def _word(self) -> None:
        """What the rows say is in the language, too."""
        self.table.setHorizontalHeaderLabels([tr("Node"), tr("Parameter"), tr("Value"), tr("Instead of")])
        self._shape = None
        self.follow()

    def follow(self) -> None:
        scope = self.context.scope()
        self.rows = (*own_params(scope), *rows_of(scope))
        shape = tuple((each.title, each.field.key, each.field.kind, each.field.choices) for each in self.rows)
        if shape != self._shape:
            self._shape = shape
            self._rebuild()
        for index, row in enumerate(self.rows):
            self.boxes[row.field.key].show_field(row.field)
            self._item(index, _ORIGIN, self._origin(row))
        self.empty.setVisible(not self.rows)
        self._mark()

    def add_set(self) -> None:
        """One more set of parameters for the node of the chosen row."""
        index = self.table.currentRow()
        node = self.rows[index].node if 0 <= index < len(self.rows) else ""
        if node:
            path = ("tasks", self.context.document.task_id, "nodes", node, "params")
            self.context.document.edit(with_set(path), tr("Add a set of parameters"))

    def _columns(self) -> None:
        header = self.table.horizontalHeader()
        for column, width in ((_NODE, 130), (_NAME, 130), (_ORIGIN, 230)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(column, width)
        header.setSectionResizeMode(_VALUE, QHeaderView.ResizeMode.Stretch)

    def _rebuild(self) -> None:
        self.table.clearContents()
        self.table.setRowCount(len(self.rows))
        self.boxes = {}
        for index, row in enumerate(self.rows):
            self._item(index, _NODE, row.title or tr("(the task)"))
            name = self.context.say(row.field.label)
            self._item(
                index, _NAME, f"{name} *" if row.field.required else name, self.context.say(row.field.help)
            )
            box = ValueBox(_at(self.context, row.node), row.field, self.table)
            box.edited.connect(lambda value, key=row.field.key: self._edited(key, value))
            box.settled.connect(self._settled)
            self.boxes[row.field.key] = box
            self.table.setCellWidget(index, _VALUE, box)
            self.table.setRowHeight(index, max(_HEIGHT, box.sizeHint().height() + 6))
        self._filter(self.search.text())

    def _item(self, row: int, column: int, text: str, tip: str = "") -> None:
        item = QTableWidgetItem(text)
        item.setToolTip(tip_text(tip or text))
        self.table.setItem(row, column, item)

    def _origin(self, row: ParameterRow) -> str:
        """What holds without the node's own value."""
        field = row.field
        if field.default in (None, ""):
            return self.context.say(field.origin) if field.default is None else ""
        binding = read_binding(field.default)
        value = label_of(self.context, binding) if binding else short(field.default, 60)
        words = " ".join(filter(None, (value, self.context.say(field.origin))))
        return words if field.given else tr("not set: {value} holds", value=words)

    def _edited(self, key: str, value: object) -> None:
        field = next(each.field for each in self.rows if each.field.key == key)
        if value is not REMOVE or field.given:
            self.context.set(field, value, f"{key}#{self._change}")

    def _settled(self) -> None:
        self._change += 1

    def _mark(self) -> None:
        """Rows with a finding say so beside their name."""
        fields = [each.field for each in self.rows]
        by_field, _ = owners(self.context.document.findings, fields)
        for index, field in enumerate(fields):
            found = by_field.get(field.key, [])
            item = self.table.item(index, _NAME)
            if item is None:
                continue
            colours = self.context.console.theme.colours
            icon = self.context.console.icons.get("problem", colours.danger)
            item.setData(Qt.ItemDataRole.DecorationRole, icon if found else None)
            tip = "\n".join(failure_line(each.code, each.message) for each in found) or self.context.say(
                field.help
            )
            item.setToolTip(tip_text(tip))

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        for index, row in enumerate(self.rows):
            letters = f"{row.title} {self.context.say(row.field.label)} {row.field.shown}".casefold()
            self.table.setRowHidden(index, not all(word in letters for word in words))


def _at(context: FormContext, node: str) -> FormContext:
    """The same context, for a value of another node."""
    return replace(context, node=lambda: node or None)


class TaskTableDialog(ReadingDialog):
    """The table in a window of its own."""

    def __init__(self, context: FormContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title = "Parameters of {task}"
        translated(self, lambda: self.setWindowTitle(tr(title, task=context.document.task_id)))
        resize_within_screen(self, 960, 560)
        context.tie(self)
        self.table = TaskTable(context, self)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.accept)
        vbox((self.table, 1), buttons, inside=self)
