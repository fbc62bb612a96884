"""A file or folder, typed or chosen."""

from __future__ import annotations

from PySide6.QtWidgets import QFileDialog, QWidget

from app.desktop.design.forms.fields import Field, FieldKind
from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.kinds.text import TextEditor
from app.desktop.kernel.language import tr


class PathEditor(TextEditor):
    """Text with a button that looks for it on the disk."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        folder = field.kind is FieldKind.FOLDER
        button = self.tool("folder", tr("Choose a folder…") if folder else tr("Choose a file…"))
        button.clicked.connect(self._choose)
        self.row.addWidget(button)

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
