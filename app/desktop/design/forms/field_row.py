"""One field of a form: its label, its value, where that comes from, its help, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from app.desktop.design.forms.fields import Field, FieldKind
from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.plain_text import plain_label, short, tinted_label
from app.desktop.design.forms.value_box import ValueBox
from app.desktop.design.picker.binding_labels import label_of
from app.desktop.design.picker.bindings import read_binding
from app.desktop.design.picker.samples import Sample, sample_words
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import failure_line
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.plain_label import PlainLabel
from app.desktop.widgets.tool_button import tool_button
from engine.model.findings import Finding

_NO_CLEARING = (
    FieldKind.CHOICE, FieldKind.BOOLEAN, FieldKind.NODES, FieldKind.RESOURCES, FieldKind.RESOURCE,
    FieldKind.TASK,
    FieldKind.SECRET, FieldKind.SPECS, FieldKind.RESULTS, FieldKind.BRANCHES, FieldKind.MEMBERS,
    FieldKind.LIST, FieldKind.MAP, FieldKind.LEVEL, FieldKind.CALENDAR, FieldKind.WEEKDAYS,
    FieldKind.UPSTREAM, FieldKind.UPSTREAMS, FieldKind.WORKERS, FieldKind.WORKER_LABELS,
    FieldKind.CONSEQUENCE,
)  # fmt: skip


class FieldRow(QWidget):
    """Shows a field and puts what a person changes into the document."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self.field = context, field
        self._change = 0  # typing that belongs together has the same number
        self.label = plain_label("", self)
        self.clear = self._clear_button()
        self.box = ValueBox(context, field, self)
        self.origin, self.sample, self.help = self._muted(), self._muted(), self._muted()
        self.finding = PlainLabel("", self)
        self._mark = QLabel(self)
        head = hbox((self.label, 1), self.clear, spacing=4)
        wrong = hbox(self._mark, (self.finding, 1), spacing=4)
        wrong.setAlignment(self._mark, Qt.AlignmentFlag.AlignTop)
        column = (head, self.box, wrong, self.origin, self.sample, self.help)
        vbox(*column, inside=self, margins=(0, 3, 0, 5), spacing=2)
        self._timer = QTimer(self, singleShot=True, interval=200)
        self._timer.timeout.connect(self._ask)
        self.box.edited.connect(self._edited)
        self.box.settled.connect(self._settled)
        context.samples.changed.connect(self._timer.start)
        self.show_field(field)
        self.show_findings(())

    def show_field(self, field: Field) -> None:
        self.field = field
        title = self._context.say(field.label)
        self.label.setText(f"{title} *" if field.required else title)
        font = self.label.font()
        font.setBold(field.given)
        self.label.setFont(font)
        self.clear.setVisible(field.given and (field.own or field.kind not in _NO_CLEARING))
        self.box.show_field(field)
        self.box.setVisible(not field.fixed)
        self._words(self.origin, self._origin_words())
        self._words(self.help, self._context.say(field.help))
        self._timer.start()

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Show what is wrong; errors before warnings."""
        found = sorted(findings, key=lambda each: each.severity)
        self._words(self.finding, "\n".join(failure_line(each.code, each.message) for each in found))
        self._mark.setVisible(bool(found))
        if not found:
            return
        colours = self._context.console.theme.colours
        bad = found[0].severity == "error"
        colour = colours.danger if bad else colours.warning
        self.finding.setStyleSheet(f"color: {colour}")
        self._mark.setPixmap(self._context.console.icons.get("problem", colour).pixmap(16, 16))
        self.finding.setAccessibleName(tr("Error") if bad else tr("Warning"))

    def _edited(self, value: Any) -> None:
        if value is REMOVE and not self.field.given:
            return
        self._context.set(self.field, value, f"{self.field.key}#{self._change}")

    def _settled(self) -> None:
        self._change += 1

    def _clear_button(self) -> QToolButton:
        own = self.field.own
        name = (
            tr("Take this parameter away") if own else tr("Take this value away; what is usual holds again")
        )
        button = tool_button(self._context.console.icons, "undo", name, self._cleared, self, 24)
        button.setAccessibleName(f"{name}: {self._context.say(self.field.label)}")
        return button

    def _cleared(self) -> None:
        self._settled()
        self._context.set(self.field, REMOVE)

    def _origin_words(self) -> str:
        field = self.field
        if not field.origin:
            return ""
        origin = self._context.say(field.origin)
        if field.default is None:
            return origin
        binding = read_binding(field.default)
        value = label_of(self._context, binding) if binding else short(field.default, 80)
        if field.given:
            return tr("instead of {value} {origin}", value=value, origin=origin)
        return tr("{value}, {origin}", value=value, origin=origin)

    def _ask(self) -> None:
        field = self.field
        bound = field.bound and field.kind is not FieldKind.CONDITION
        if not bound or not self._context.samples.runs:
            self._words(self.sample, "")
            return
        self._context.sample(field.shown, self._sampled, self)

    def _sampled(self, sample: Sample | None) -> None:
        self._words(self.sample, sample_words(sample))

    def _words(self, label: QLabel, text: str) -> None:
        label.setText(text)
        label.setVisible(bool(text))

    def _muted(self) -> QLabel:
        label = tinted_label(self._context.console.theme, "muted", "", self)
        font = label.font()
        font.setPointSizeF(font.pointSizeF() * 0.92)
        label.setFont(font)
        return label
