"""The page of shortcuts, made from the table of actions."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QTreeWidgetItem, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.shell.modes import MODES
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import named, tree

_SIZE = (620, 560)


class Shortcuts(QDialog):
    """Every action that has keys, by the place where they work; typing filters."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
        self._branches: list[tuple[QTreeWidgetItem, list[QTreeWidgetItem]]] = []
        self.setWindowTitle(tr("Shortcuts"))
        self.resize(*_SIZE)
        self.line = named(QLineEdit(clearButtonEnabled=True), "Filter", "Filter")
        self.line.textChanged.connect(self._filter)
        self.tree = tree("Shortcuts", ("Action", "Shortcut"), stretch=0)
        self.tree.setRootIsDecorated(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        vbox(self.line, self.tree, buttons, inside=self)
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
