"""The port of an editor of one kind of value."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from app.desktop.design.forms.desk import Desk
from app.desktop.design.forms.fields import Field
from app.desktop.design.tree import REMOVE


class Editor(QWidget):
    """Shows and changes one value.

    ``edited`` brings the new value (REMOVE: emptied) for each change of a person; ``settled`` says
    that what follows is another change.
    """

    edited = Signal(object)
    settled = Signal()

    def __init__(self, desk: Desk, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.desk, self.field = desk, field
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(4)

    def show_field(self, field: Field) -> None:
        """Show another state of the same field."""
        self.field = field

    def main(self) -> QWidget:
        """The widget that gets the focus and the accessible name."""
        return self

    def takes_paths(self) -> bool:
        """Whether paths can stand among other text in it."""
        return False

    def insert_path(self, path: str) -> None:
        """Put a path where the cursor is."""
        raise NotImplementedError

    def tool(self, icon: str, name: str) -> QToolButton:
        """A small button with an icon, named for those who cannot see it."""
        button = QToolButton(self)
        button.setIcon(self.desk.console.icons.get(icon))
        button.setAutoRaise(True)
        button.setMinimumSize(26, 26)
        button.setToolTip(name)
        button.setAccessibleName(name)
        return button

    def give(self, value: Any) -> None:
        """Tell a change."""
        self.edited.emit(REMOVE if value in (None, "") else value)
