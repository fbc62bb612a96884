"""Changing a value of the context: the old value, the new one, the reason, and what it will do."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from app.desktop.kernel.language import tr
from app.desktop.kernel.visible_text import visible
from app.desktop.run.context_rows import brief, kind_of, whole
from app.desktop.widgets.pane_widgets import fixed_font, plain
from app.desktop.widgets.questions import Asking

_LINE = 80  # characters; a longer value gets a field of several lines


class EditDialog(Asking):
    """``new_text`` and ``why`` are what was typed; accepted only with a reason."""

    def __init__(self, path: str, value: Any, readers: Collection[str], parent: QWidget) -> None:
        fact = tr("It is {kind}: {value}", kind=tr(kind_of(value)), value=visible(brief(value)))
        super().__init__(parent, tr("Change a value"), f"{visible(path)}\n{fact}", tr("Change the value"))
        self.path = path
        old = whole(value)
        self.field: QLineEdit | QPlainTextEdit = QLineEdit(old)
        if len(old) > _LINE or "\n" in old:
            self.field = QPlainTextEdit(old)
            self.field.setFont(fixed_font())
            self.field.setTabChangesFocus(True)
        self.add(tr("New value"), self.field)
        self.why = self.reason(needed=True)
        self.note = plain(_note(readers))
        self.form.addRow(self.note)

    @property
    def new_text(self) -> str:
        return self.field.text() if isinstance(self.field, QLineEdit) else self.field.toPlainText()


def _note(readers: Collection[str]) -> str:
    message = tr("The old value stays in the log. Jobs that run after this read the new one and say so.")
    if not readers:
        return message
    return message + "\n" + tr("It was read by: {nodes}", nodes=", ".join(sorted(readers)))
