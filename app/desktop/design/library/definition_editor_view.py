"""What an editor of definitions shows: the list with its tools, and the page beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.desktop.design.forms.plain_text import plain_label, tinted_label
from app.desktop.design.tree import get
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr
from app.desktop.widgets.cut_cells import cut_items
from app.desktop.widgets.empty_words import EmptyWords
from app.desktop.widgets.layouts import emptied, hbox, split, vbox
from app.desktop.widgets.pane_widgets import Tall, holder, named, tipped, worded
from app.desktop.widgets.plain_label import tip_text
from app.desktop.widgets.roomy_buttons import PushButton, ToolButton

_NONE_YET = "None yet: New… makes one."
_NO_MATCH = "Nothing fits the search."
_MOST = 8  # users that have a button


class DefinitionEditorView(QWidget):
    """The widgets; ``DefinitionEditor`` gives them their meaning."""

    NONE: ClassVar[str]  # what the list is called
    ICON: ClassVar[str]
    SIZES: ClassVar[tuple[int, int]] = (260, 520)  # pixels of the list and of the page

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.console = console
        self._users: Sequence[tuple[str, str]] | None = None
        self._build()

    def _build(self) -> None:
        self.search = named(QLineEdit(self, clearButtonEnabled=True), "Search", "Search")
        self.list = QListWidget(self)
        cut_items(self.list)
        self._empty = EmptyWords(self.list, "Reading…")
        self.adds = worded(PushButton(self.console.icons.get("add"), "", self), "New…")
        self.copies = self._tool("copy", "Copy under another id…")
        self.deletes = self._tool("delete", "Delete…")
        self.revisions = self._tool("revision", "Earlier revisions…")
        tools = hbox((self.adds, 1), self.copies, self.revisions, self.deletes)
        self.left_column = vbox(self.search, self.list, tools, margins=6)
        vbox(split(holder(self.left_column), (self._right(), 1), sizes=self.SIZES), inside=self, margins=0)

    def _right(self) -> QWidget:
        self.page = QWidget(self)
        self.title = plain_label("", self.page)
        theme = self.console.theme
        self.users = tinted_label(theme, "muted", "", self.page, wrap=False)
        self.user_links = QHBoxLayout()
        self.saves = worded(PushButton(self.console.icons.get("save"), "", self.page), "Save")
        self.reverts = worded(PushButton(self.console.icons.get("undo"), "", self.page), "Undo all")
        self.error = tinted_label(theme, "danger", "", self.page)
        self.error.hide()
        self.place = QVBoxLayout()
        head = hbox((self.title, 1), self.reverts, self.saves)
        used = hbox(self.users, self.user_links, 1)
        self.column = vbox(head, used, self.error, (self.place, 1), inside=self.page, margins=6)
        return Tall(self.page)

    def _tool(self, icon: str, words: str) -> QToolButton:
        button = ToolButton(self, 28)
        button.setIcon(self.console.icons.get(icon))
        return tipped(button, words)

    def show_definitions(
        self, definitions: Mapping[str, Any], kinds: Mapping[str, str], chosen: str
    ) -> QListWidgetItem | None:
        """List those that fit the search; the item of ``chosen``, if it is among them."""
        words, found = self.search.text().casefold().split(), None
        self._empty.say(_NO_MATCH if definitions else _NONE_YET)
        self.list.blockSignals(True)
        self.list.clear()
        for id, tree in sorted(definitions.items()):
            text = _line(id, tree, kinds)
            if all(word in text.casefold() for word in words):
                item = QListWidgetItem(self.console.icons.get(self.ICON), text)
                item.setData(Qt.ItemDataRole.UserRole, id)
                item.setToolTip(tip_text(str(get(tree, ("description",), "") or text)))
                self.list.addItem(item)
                found = item if id == chosen else found
        self.list.blockSignals(False)
        return found

    def show_users(self, users: Sequence[tuple[str, str]], unused: str) -> None:
        """A button for each user, which leads there; ``unused`` is said when there is none."""
        self.users.setText(tr("Used by:") if users else unused)
        if users == self._users:
            return
        self._users = users
        emptied(self.user_links)
        for kind, id in users[:_MOST]:
            link = ToolButton(self.page)
            link.setText(id.replace("&", "&&"))
            link.setAutoRaise(True)
            tipped(link, "Open it")
            target = Target(kind, id)
            link.clicked.connect(lambda _=False, to=target: self.console.navigator.go(to))
            self.user_links.addWidget(link)
        if len(users) > _MOST:
            self.user_links.addWidget(plain_label(tr("and {n} more", n=len(users) - _MOST), wrap=False))

    def _word(self) -> None:
        self.list.setAccessibleName(tr(self.NONE))


def _line(id: str, tree: Any, kinds: Mapping[str, str]) -> str:
    name, kind = get(tree, ("name",)), kinds.get(str(get(tree, ("type",), "")), "")
    return "  ·  ".join(filter(None, (id, str(name) if name else "", kind)))
