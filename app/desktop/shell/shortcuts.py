"""The page of shortcuts, made from the table of actions."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QTreeWidgetItem, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.shell.modes import MODES
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import named, tree
from app.desktop.widgets.reading_order import ReadingDialog
from app.desktop.widgets.tree_items import children, tops

_SIZE = (620, 560)


class Shortcuts(ReadingDialog):
    """Every action that has keys, by the place where they work; typing filters."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
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
                [action.text().replace("&", ""), _keys(action.shortcuts())]
                for spec, action in self._console.actions.all()
                if spec.mode == key and action.shortcuts()
            ]
            if rows:
                branch = QTreeWidgetItem(self.tree, [tr(title)])
                branch.addChildren([QTreeWidgetItem(row) for row in rows])
        self.tree.expandAll()

    def _filter(self, text: str) -> None:
        wanted = text.casefold()
        for branch in tops(self.tree):
            for row in children(branch):
                row.setHidden(wanted not in f"{row.text(0)} {row.text(1)}".casefold())
            branch.setHidden(all(row.isHidden() for row in children(branch)))


def _keys(sequences: list[QKeySequence]) -> str:
    return ",  ".join(each.toString(QKeySequence.SequenceFormat.NativeText) for each in sequences)
