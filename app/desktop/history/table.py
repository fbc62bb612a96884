"""The table of the history: a million rows, sorted by a click on a header, walked through by keys."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QTableView, QWidget

from app.desktop.widgets.column_room import ColumnRoom
from app.desktop.widgets.empty_words import EmptyWords
from app.desktop.widgets.paged_table import PagedModel
from app.desktop.widgets.rows import keep_apart, show_as_rows
from engine.store.rows import InstanceRow


class HistoryTable(QTableView):
    """``opened`` and ``looked_at`` bring the number of an instance, ``sorted`` the column's order and way."""

    opened = Signal(int)
    looked_at = Signal(int)
    sorted = Signal(str, bool)

    def __init__(self, rows: PagedModel[InstanceRow], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = rows
        self.setModel(rows)
        show_as_rows(self)
        self.setAlternatingRowColors(True)
        EmptyWords(self, "Reading…")
        self._set_widths()
        keep_apart(self, (column.right for column in rows.columns))
        self.doubleClicked.connect(lambda index: self.opened.emit(rows.id_at(index.row())))

    def chosen(self) -> list[int]:
        """The numbers of the selected instances, from top to bottom."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self._rows.id_at(row) for row in rows]

    def how_many_chosen(self) -> int:
        """Without a list of them, which may be long."""
        ranges = self.selectionModel().selection()
        return sum(ranges.at(number).height() for number in range(ranges.count()))

    def _set_widths(self) -> None:
        header = self.horizontalHeader()
        header.setStretchLastSection(True)
        header.setSectionsMovable(True)
        header.setSortIndicatorShown(True)
        header.setSectionsClickable(True)
        for i, column in enumerate(self._rows.columns):
            header.resizeSection(i, column.width)
        widths = {i: column.width for i, column in enumerate(self._rows.columns)}
        self._room = ColumnRoom(self, widths, len(widths) - 1)
        header.sectionClicked.connect(self._sort)
        self._order, self._ascending = "scheduled_time", False
        self._show_order()

    def _sort(self, section: int) -> None:
        order = self._rows.columns[section].order
        if order is not None:
            self._ascending = not self._ascending if order == self._order else False
            self._order = order
            self.sorted.emit(order, self._ascending)
        self._show_order()

    def _show_order(self) -> None:
        section = next(i for i, column in enumerate(self._rows.columns) if column.order == self._order)
        way = Qt.SortOrder.AscendingOrder if self._ascending else Qt.SortOrder.DescendingOrder
        self.horizontalHeader().setSortIndicator(section, way)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        here = self.currentIndex()
        if not here.isValid() or event.modifiers():
            super().keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(self._rows.id_at(here.row()))
        elif event.key() == Qt.Key.Key_Space:
            self.looked_at.emit(self._rows.id_at(here.row()))
        else:
            super().keyPressEvent(event)
