"""Values that may be changed before a rerun: what they are, what they become, and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFont, QKeySequence, QShortcut
from PySide6.QtWidgets import QHeaderView, QLineEdit, QTreeWidgetItem, QWidget

from app.desktop.run.context_rows import brief, whole
from app.desktop.run.rerun_model import EditableValue
from app.desktop.widgets.pane_widgets import column, named, plain, row, tree, worded
from app.desktop.widgets.tree_items import tops

_NONE = "No value that may be changed."


class ValuesTable(QWidget):
    """``edited`` brings a path and its new text, None when the change is taken back."""

    edited = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: Sequence[EditableValue] = ()
        self._new: dict[str, str] = {}
        self.search = named(QLineEdit(clearButtonEnabled=True), "Find a value", "Find a value (Ctrl+F)")
        self.table = tree("Values that may be changed", ("Value", "Is", "Becomes"), stretch=0, empty=_NONE)
        self.table.header().setSectionResizeMode(
            QHeaderView.ResizeMode.Stretch
        )  # what it is, as well as its path
        self.table.setTextElideMode(
            Qt.TextElideMode.ElideMiddle
        )  # paths differ in their middle and their end
        self.field = named(QLineEdit(), "New value", "Choose a value above, then type the new one")
        self.why = named(QLineEdit(), "Reason", "Why, for those who come after you")
        titles = worded(plain(), "New value"), worded(plain(), "Reason")
        parts = (self.search, self.table, titles[0], self.field, titles[1], self.why)
        self.setLayout(column(*parts, margin=6))
        self.search.textChanged.connect(lambda _: self._fill())
        self.table.currentItemChanged.connect(lambda now, _: self._show_field(now))
        self.table.itemActivated.connect(lambda _, __: self._begin())
        self.table.itemClicked.connect(lambda _, __: self._begin())
        self.field.textEdited.connect(self._typed)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self).activated.connect(self.start_search)
        inside = Qt.ShortcutContext.WidgetShortcut  # before the dialog around takes Enter for its button
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            QShortcut(QKeySequence(key), self.search, context=inside).activated.connect(self._take_first)
        self._show_field(None)

    def show_values(
        self, values: Sequence[EditableValue], read: Collection[str], new: Mapping[str, str]
    ) -> None:
        """Other values; those in ``read`` are what the jobs that run again have read, they come first."""
        if list(values) == list(self._values) and dict(new) == self._new:
            return
        self._values, self._new, self._read = values, dict(new), frozenset(read)
        self._fill()

    _read: frozenset[str] = frozenset()

    def _fill(self) -> None:
        current = self._path(self.table.currentItem())
        wanted = self.search.text().strip().casefold()
        with QSignalBlocker(self.table):
            self.table.clear()
            for each in self._values:
                if wanted in f"{each.path} {brief(each.value)}".casefold():
                    self.table.addTopLevelItem(self._item(each))
        self._show_columns()
        self.select(current)

    def _show_columns(self) -> None:
        """Paths have its room as long as nothing becomes anything else."""
        self.table.setColumnHidden(2, not self._new)

    def _item(self, each: EditableValue) -> QTreeWidgetItem:
        item = row((each.path, brief(each.value), self._new.get(each.path, "")), each.path)
        if each.path in self._read:
            font = QFont(self.font())
            font.setBold(True)
            item.setFont(0, font)
        return item

    def select(self, path: str | None) -> None:
        found = next((item for item in tops(self.table) if self._path(item) == path), None)
        if found is not None:
            self.table.setCurrentItem(found)

    @staticmethod
    def _path(item: QTreeWidgetItem | None) -> str | None:
        return str(item.data(0, Qt.ItemDataRole.UserRole)) if item is not None else None

    def _show_field(self, item: QTreeWidgetItem | None) -> None:
        path = self._path(item)
        value = next((each for each in self._values if each.path == path), None)
        self.field.setEnabled(value is not None)
        if value is not None and not self.field.hasFocus():
            self.field.setText(self._new.get(value.path, whole(value.value)))

    def start_search(self) -> None:
        """Go to the search; Enter there goes on to the first value that was found."""
        self.search.setFocus()
        self.search.selectAll()

    def _take_first(self) -> None:
        if (first := self.table.topLevelItem(0)) is not None:
            self.table.setCurrentItem(first)
            self._begin()

    def _begin(self) -> None:
        """What is typed now takes the place of the value."""
        self.field.setFocus()
        self.field.selectAll()

    def _typed(self, text: str) -> None:
        item = self.table.currentItem()
        path = self._path(item)
        value = next((each for each in self._values if each.path == path), None)
        if item is None or value is None:
            return
        changed = text != whole(value.value)
        self._new.pop(value.path, None)
        if changed:
            self._new[value.path] = text
        item.setText(2, text if changed else "")
        self._show_columns()
        self.edited.emit(value.path, text if changed else None)
