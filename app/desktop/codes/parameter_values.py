"""The values that a rule gives to the parameters of the task that it runs: a row for each of them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QTreeWidgetItem, QVBoxLayout, QWidget

from app.desktop.codes.rule_tree import value_of, value_text
from app.desktop.widgets.pane_widgets import tree
from app.desktop.widgets.tree_items import tops
from engine.planning.outline import map_of

_ROWS = 4  # that are seen without scrolling
_ROW = 26  # pixels


class ParameterValues(QWidget):
    """``text`` is a map as JSON, empty where nothing is given; ``textChanged`` brings it."""

    textChanged = Signal(str)  # as a line of text has it

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: Sequence[tuple[str, str]] = ()
        self._task = ""
        self.rows = tree("Parameters", ("Parameter", "Value"), widths=(140,))
        self.rows.setEditTriggers(QAbstractItemView.EditTrigger.AllEditTriggers)
        self.rows.setTabKeyNavigation(True)
        self.rows.setMaximumHeight((_ROWS + 1) * _ROW)
        self.rows.itemChanged.connect(lambda *_: self.textChanged.emit(self.text()))
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.rows)
        self.setFocusProxy(self.rows)

    def text(self) -> str:
        given = {item.text(0): value_of(item.text(1)) for item in tops(self.rows) if item.text(1)}
        return json.dumps(given, ensure_ascii=False) if given else ""

    def setText(self, text: str) -> None:
        """Other values."""
        given = map_of(value_of(text)) if text else {}
        names = [name for task, name in self._known if task == self._task]
        with QSignalBlocker(self.rows):
            self.rows.clear()
            for name in dict.fromkeys([*names, *given]):
                self._add(name, value_text(given[name]) if name in given else "")

    def offer(self, known: Sequence[tuple[str, str]]) -> None:
        """The parameters that there are: (task, name)."""
        self._known = known
        self.setText(self.text())

    def show_task(self, task: str) -> None:
        """The parameters of another task; values that were given stay."""
        self._task = task
        self.setText(self.text())

    def _add(self, name: str, value: str) -> None:
        item = QTreeWidgetItem(self.rows, [name, value])
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
