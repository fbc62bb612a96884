"""What a shelf of definitions looks like: the list with its tools, and the page beside it."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QPushButton,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.desktop.design.forms.plain_text import plain_label
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import hbox, vbox


class DefinitionEditorView(QWidget):
    """The widgets of a shelf; ``Shelf`` makes them do something."""

    NONE: ClassVar[str]  # what the list is called

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.console = console
        self._build()

    def _build(self) -> None:
        self.search = QLineEdit(self)
        self.search.setClearButtonEnabled(True)
        self.list = QListWidget(self)
        self.adds = QPushButton(self.console.icons.get("add"), "", self)
        self.copies = self._tool("copy")
        self.deletes = self._tool("delete")
        self.revisions = self._tool("revision")
        tools = hbox((self.adds, 1))
        for tool in (self.copies, self.revisions, self.deletes):
            tools.addWidget(tool)
        left = QWidget(self)
        column = vbox(inside=left, margins=6)
        for widget in (self.search, self.list):
            column.addWidget(widget)
        column.addLayout(tools)
        splitter = QSplitter(self)
        splitter.addWidget(left)
        splitter.addWidget(self._right())
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([260, 520])
        vbox(splitter, inside=self, margins=0)

    def _right(self) -> QWidget:
        self.page = QWidget(self)
        self.title = plain_label("", self.page)
        self.users = plain_label("", self.page, wrap=False)
        self.user_links = QHBoxLayout()
        self.users.setStyleSheet(f"color: {self.console.theme.colours.muted}")
        self.saves = QPushButton(self.console.icons.get("save"), "", self.page)
        self.reverts = QPushButton(self.console.icons.get("undo"), "", self.page)
        self.error = plain_label("", self.page)
        self.error.setStyleSheet(f"color: {self.console.theme.colours.danger}")
        self.error.hide()
        self.column = vbox(inside=self.page, margins=6)
        head = hbox((self.title, 1), self.reverts, self.saves)
        self.column.addLayout(head)
        used = hbox(self.users, self.user_links, 1)
        self.column.addLayout(used)
        self.column.addWidget(self.error)
        self.place = QVBoxLayout()
        self.column.addLayout(self.place, 1)
        return self.page

    def _tool(self, icon: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(self.console.icons.get(icon))
        button.setMinimumSize(28, 28)
        return button

    def _word(self) -> None:
        self.search.setPlaceholderText(tr("Search"))
        self.search.setAccessibleName(tr("Search"))
        self.list.setAccessibleName(tr(self.NONE))
        self.adds.setText(tr("New…"))
        self.saves.setText(tr("Save"))
        self.reverts.setText(tr("Undo all"))
        for tool, words in (
            (self.copies, "Copy under another id…"),
            (self.deletes, "Delete…"),
            (self.revisions, "Earlier revisions…"),
        ):
            tool.setToolTip(tr(words))
            tool.setAccessibleName(tr(words))
