"""A value with the ways to give it: its editor, or the chip of what it is bound to, and "from…"."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from app.desktop.design.forms.fields import Field, FieldKind
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.design.picker.bindings import PathBinding, read_binding
from app.desktop.design.picker.chip import BindingChip
from app.desktop.design.picker.picker import Picker
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import dropped, hbox
from app.desktop.widgets.roomy_buttons import ToolButton


class ValueBox(QWidget):
    """``edited`` brings each new value, REMOVE when it is taken away; ``settled`` ends a change."""

    edited = Signal(object)
    settled = Signal()

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context, self.field = context, field
        self.editor: Editor | None = None
        self.chip: BindingChip | None = None
        self._row = hbox(inside=self, margins=0, spacing=3)
        self.picks = self._pick_button()
        self._row.addWidget(self.picks, 0, Qt.AlignmentFlag.AlignTop)
        self.picks.setVisible(field.picks is not None and field.kind is not FieldKind.CONDITION)
        self.show_field(field)

    def show_field(self, field: Field) -> None:
        before, self.field = self.field, field
        binding = self.binding()
        if binding is not None:
            self._show_chip(binding)
        else:
            self._show_editor(field, replace=before.kind is not field.kind)

    def binding(self) -> PathBinding | None:
        """What the value as a whole is bound to."""
        if self.field.picks is None or self.field.kind is FieldKind.CONDITION:
            return None
        value = self.field.value
        typed = self.editor is not None and self.editor.main().hasFocus()
        return None if typed and self.chip is None else read_binding(value)

    def main(self) -> QWidget:
        if self.chip is not None:
            return self.chip.body
        return self.editor.main() if self.editor else self

    def mixes(self) -> bool:
        """Whether what is picked may become a part of the text that is there."""
        text = isinstance(self.field.value, str) and bool(self.field.value)
        return text and self.chip is None and self.editor is not None and self.editor.takes_paths()

    def pick(self) -> None:
        """Open the picker; what is picked becomes the value, or a part of the text."""
        picker = Picker(self.context, self.field, self.binding(), inside=self.mixes(), parent=self.window())
        picker.picked.connect(lambda binding: self._picked(binding, picker.inside))
        picker.open()

    def _picked(self, binding: PathBinding, mixed: bool) -> None:
        plain = binding.pattern is None and binding.shift is None
        if mixed and plain and self.editor is not None:
            self.editor.insert_path(binding.path)
        else:
            self._give(binding.text)
        self.settled.emit()

    def _give(self, value: Any) -> None:
        self.settled.emit()
        self.edited.emit(value)
        self.settled.emit()
        self.setFocus()

    def _show_chip(self, binding: PathBinding) -> None:
        if self.editor is not None:
            dropped(self._row, self.editor)
            self.editor = None
        if self.chip is None:
            self.chip = BindingChip(self.context, self)
            self.chip.opened.connect(self.pick)
            self.chip.cleared.connect(lambda: self._give(REMOVE))
            self._put(self.chip)
        self.chip.show_binding(binding)

    def _show_editor(self, field: Field, *, replace: bool) -> None:
        if self.chip is not None:
            dropped(self._row, self.chip)
            self.chip = None
        if self.editor is None or replace:
            if self.editor is not None:
                dropped(self._row, self.editor)
            self.editor = self._make(field)
            self._put(self.editor)
        else:
            self.editor.show_field(field)

    def _make(self, field: Field) -> Editor:
        editor = self.context.editor(self.context, field, self)
        editor.edited.connect(self.edited)
        editor.settled.connect(self.settled)
        editor.main().setAccessibleName(self.context.say(field.label))
        return editor

    def _put(self, widget: QWidget) -> None:
        self._row.insertWidget(0, widget, 1)
        self.setFocusProxy(self.main())
        QWidget.setTabOrder(self.main(), self.picks)

    def _pick_button(self) -> QToolButton:
        button = ToolButton(self)
        button.setIcon(self.context.console.icons.get("pick"))
        button.setIconSize(QSize(16, 16))
        name = tr("From… : take {field} from an earlier result, a parameter or the run")
        button.setToolTip(name.format(field=self.context.say(self.field.label)))
        button.setAccessibleName(tr("{field} from…", field=self.context.say(self.field.label)))
        button.clicked.connect(self.pick)
        return button
