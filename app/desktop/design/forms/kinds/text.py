"""Text, and values that are typed as text: paths, durations, sizes, numbers, anything."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtWidgets import QFileDialog, QWidget

from app.desktop.design.forms.fields import Field, FieldKind
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.design.picker.chip_text import ChipText
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.dropped_files import Takes, takes_files
from app.desktop.kernel.language import tr
from engine.definitions.params import holds_expression
from engine.model.expression import compact_json
from engine.model.quantities import kind_of

_LINES = {FieldKind.LINES: 4, FieldKind.DATES: 4}


class TextEditor(Editor):
    """A line or a few of text; it may have chips."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.edit = ChipText(context, lines=_LINES.get(field.kind, 1), parent=self)
        self.row.addWidget(self.edit)
        self.edit.typed.connect(lambda text: self.edited.emit(self.read(text)))
        self.edit.left.connect(self.settled)
        self.show_field(field)

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        if not (self.edit.hasFocus() and self.read(self.edit.text()) == field.value):
            self.edit.show_text(self.write(field.value) if field.given else "")
        self.edit.show_hint("" if holds_expression(field.default) else self.write(field.default))

    def main(self) -> QWidget:
        return self.edit

    def takes_paths(self) -> bool:
        return self.field.wanted not in ("number", "boolean", "list", "map")

    def insert_path(self, path: str) -> None:
        self.edit.insert_path(path)

    def read(self, text: str) -> Any:
        return text if text else REMOVE

    def write(self, value: Any) -> str:
        return value if isinstance(value, str) else compact_json(value) if value is not None else ""


class NumberEditor(TextEditor):
    """A number; what is none stays the text that was typed, so that the check can say so."""

    def read(self, text: str) -> Any:
        found = _json(text)
        return found if kind_of(found) == "number" else text or REMOVE


class QuantityEditor(TextEditor):
    """A duration or size: ``30s``, ``10MB``, or a bare number."""

    def read(self, text: str) -> Any:
        found = _json(text.strip())
        return found if kind_of(found) == "number" else text.strip() or REMOVE


class AnyEditor(TextEditor):
    """Anything: JSON is what it says, all else is text."""

    def read(self, text: str) -> Any:
        found = _json(text)
        return text or REMOVE if found is None or isinstance(found, str) else found


class PathEditor(TextEditor):
    """Text with a button that looks for it on the disk."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        folder = field.kind is FieldKind.FOLDER
        name = tr("Choose a folder…") if folder else tr("Choose a file…")
        self.row.addWidget(self.tool("folder", name, self._choose))
        takes_files(self.edit, Takes.PATH)

    def _choose(self) -> None:
        found = self.ask()
        if found:
            self.edited.emit(found)
            self.settled.emit()

    def ask(self) -> str:
        """The path that a person chooses; empty when none."""
        start = str(self.context.console.workspace)
        if self.field.kind is FieldKind.FOLDER:
            return QFileDialog.getExistingDirectory(self, tr("Choose a folder"), start)
        return QFileDialog.getOpenFileName(self, tr("Choose a file"), start)[0]


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
