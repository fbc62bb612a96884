"""The page of shortcuts, made from the table of actions."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.shell.modes import MODES

_SIZE = (620, 560)


class Shortcuts(QDialog):
    """Every action that has keys, by the place where they work; typing filters."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
        self._branches: list[tuple[QTreeWidgetItem, list[QTreeWidgetItem]]] = []
        self.setWindowTitle(tr("Shortcuts"))
        self.resize(*_SIZE)
        self.line = QLineEdit(self, placeholderText=tr("Filter"), clearButtonEnabled=True)
        self.line.setAccessibleName(tr("Filter"))
        self.line.textChanged.connect(self._filter)
        self.tree = QTreeWidget(self, columnCount=2)
        self.tree.setAlternatingRowColors(True)
        self.tree.setHeaderLabels([tr("Action"), tr("Shortcut")])
        self.tree.setAccessibleName(tr("Shortcuts"))
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for part in (self.line, self.tree, buttons):
            column.addWidget(part)
        self._fill()

    def _fill(self) -> None:
        titles: dict[str | None, str] = {None: "Everywhere", **{each.key: each.title for each in MODES}}
        for key, title in titles.items():
            rows = [
                (action.text().replace("&", ""), _keys(action.shortcuts()))
                for spec, action in self._console.actions.all()
                if spec.mode == key and action.shortcuts()
            ]
            if rows:
                self._add(tr(title), rows)
        self.tree.expandAll()

    def _add(self, title: str, rows: list[tuple[str, str]]) -> None:
        branch = QTreeWidgetItem(self.tree, [title])
        self._branches.append((branch, [QTreeWidgetItem(branch, [text, keys]) for text, keys in rows]))

    def _filter(self, text: str) -> None:
        wanted = text.casefold()
        for branch, rows in self._branches:
            for row in rows:
                row.setHidden(wanted not in f"{row.text(0)} {row.text(1)}".casefold())
            branch.setHidden(all(row.isHidden() for row in rows))


def _keys(sequences: list[QKeySequence]) -> str:
    return ",  ".join(each.toString(QKeySequence.SequenceFormat.NativeText) for each in sequences)
