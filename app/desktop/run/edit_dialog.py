"""Changing a value of the context: the old value, the new one, the reason, and what it will do."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QPlainTextEdit, QWidget

from app.desktop.kernel.language import tr
from app.desktop.run.context_rows import brief, kind_of, whole
from app.desktop.run.value_text import visible
from app.desktop.widgets.pane_widgets import column, fixed_font, plain

_LINE = 80  # characters; a longer value gets a field of several lines


class EditDialog(QDialog):
    """``text`` and ``reason`` are what was typed; accepted only with both."""

    def __init__(
        self, path: str, value: Any, readers: Collection[str] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Change a value"))
        self.setMinimumWidth(460)
        self.path = path
        old = whole(value)
        self._several = len(old) > _LINE or "\n" in old
        self._line, self._page = QLineEdit(old), QPlainTextEdit(old)
        self._page.setFont(fixed_font())
        self._page.setTabChangesFocus(True)
        self.field = self._page if self._several else self._line
        self.why = QLineEdit()
        self.why.setPlaceholderText(tr("Why, for those who come after you"))
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText(tr("Change the value"))
        cancel = self.buttons.button(QDialogButtonBox.StandardButton.Cancel)
        cancel.setText(tr("Cancel"))
        cancel.setAutoDefault(False)
        self._lay_out(value, readers)
        self._connect()
        self.field.setFocus()
        self._check()

    def _lay_out(self, value: Any, readers: Collection[str]) -> None:
        self.field.setAccessibleName(tr("New value"))
        self.why.setAccessibleName(tr("Reason"))
        self.note = plain(_note(readers))
        layout = column(
            plain(visible(self.path), bold=True),
            plain(tr("It is {kind}: {value}", kind=tr(kind_of(value)), value=visible(brief(value)))),
            plain(tr("New value")),
            self.field,
            plain(tr("Reason")),
            self.why,
            self.note,
            self.buttons,
            margin=12,
        )
        self.setLayout(layout)
        (self._line if self._several else self._page).deleteLater()

    def _connect(self) -> None:
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.why.textChanged.connect(lambda _: self._check())

    def _check(self) -> None:
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(bool(self.reason))

    @property
    def text(self) -> str:
        """The new value as typed."""
        return self._page.toPlainText() if self._several else self._line.text()

    @property
    def reason(self) -> str:
        """The reason as typed."""
        return self.why.text().strip()


def _note(readers: Collection[str]) -> str:
    message = tr("The old value stays in the log. Jobs that run after this read the new one and say so.")
    if not readers:
        return message
    return message + "\n" + tr("It was read by: {nodes}", nodes=", ".join(sorted(readers)))
