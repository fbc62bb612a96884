"""A table over rows that are at hand (some thousands at most): columns declared, sorted, filtered by text."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.visible_text import visible
from app.desktop.widgets.column_room import ColumnRoom
from app.desktop.widgets.empty_words import EmptyWords
from app.desktop.widgets.plain_label import tip_text
from app.desktop.widgets.row_steps import RowStep, row_steps
from app.desktop.widgets.rows import keep_apart, row_height, show_as_rows

Row = Mapping[str, Any]
Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
_WHOLE_ROW = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
SORT = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column: its English title, what it shows of a row, its width (0: the rest)."""

    title: str
    text: Callable[[Row], str]
    width: int = 120
    sort: Callable[[Row], Any] | None = None
    status: Callable[[Row], str] | None = None  # shown as shape, colour and word; empty: as text
    wise: bool = False  # numbers are aligned right


class RowsModel(QAbstractTableModel):
    """Rows by their columns; ``key`` says which row is the same as one before."""

    def __init__(
        self,
        console: Console,
        columns: Sequence[TableColumn],
        key: Callable[[Row], Hashable],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._console, self._columns, self._key = console, tuple(columns), key
        self.rows: list[Row] = []

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show these instead; the same ones stay where they are, under a pressed mouse button too."""
        steps = row_steps([*map(self._key, self.rows)], [*map(self._key, rows)])
        if steps is None:
            self.beginResetModel()
            self.rows = list(rows)
            self.endResetModel()
            return
        for step in steps:
            self._take(step, rows)
        self.rows = list(rows)
        self.repaint()

    def repaint(self) -> None:
        """Every row may look different now."""
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(self._columns) - 1))

    def _take(self, step: RowStep, rows: Sequence[Row]) -> None:
        nowhere, source, to = QModelIndex(), step.source, step.to
        if to is None and source is not None:
            self.beginRemoveRows(nowhere, source, source)
            del self.rows[source]
            self.endRemoveRows()
        elif source is None and to is not None:
            self.beginInsertRows(nowhere, to, to)
            self.rows.insert(to, rows[to])
            self.endInsertRows()
        elif source is not None and to is not None:
            self.beginMoveRows(nowhere, source, source, nowhere, to)
            self.rows.insert(to, self.rows.pop(source))
            self.endMoveRows()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(self._columns[section].title)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column, row = self._columns[index.column()], self.rows[index.row()]
        status = column.status(row) if column.status else ""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return tr(look_of(status).word) if status else visible(one_line(column.text(row)))
        if role == Qt.ItemDataRole.ToolTipRole and not column.width and not status:
            return tip_text(column.text(row))  # what has the rest of the room may be cut
        if role == Qt.ItemDataRole.DecorationRole and status:
            return self._console.status_icon(status)
        if role == Qt.ItemDataRole.TextAlignmentRole and column.wise:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == SORT:
            return column.sort(row) if column.sort else column.text(row).casefold()
        return row if role == ROW else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Where the view lets rows be dragged, they can be."""
        return super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled


class TableView(QTableView):
    """``chosen`` brings a row (Enter, double click), ``looked_at`` the selected one or None."""

    chosen = Signal(object)
    looked_at = Signal(object)

    def __init__(
        self,
        console: Console,
        name: str,
        columns: Sequence[TableColumn],
        key: Callable[[Row], Hashable],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._key = key
        self.empty = EmptyWords(self)
        self._rows = RowsModel(console, columns, key, self)
        self._shown = QSortFilterProxyModel(self)
        self._shown.setSourceModel(self._rows)
        self._shown.setSortRole(SORT)
        self._shown.setFilterKeyColumn(-1)
        self._shown.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setModel(self._shown)
        self._build(columns)
        keep_apart(self, (column.wise for column in columns))
        self.doubleClicked.connect(lambda _index: self._choose())
        self.selectionModel().selectionChanged.connect(lambda *_: self.looked_at.emit(self.current))
        console.theme.changed.connect(self.viewport().update)
        translated(self, lambda: self._word(name))

    @property
    def current(self) -> Row | None:
        rows = self.selected
        return rows[0] if rows else None

    @property
    def selected(self) -> list[Row]:
        return [index.data(ROW) for index in self.selectionModel().selectedRows()]

    @property
    def shown(self) -> list[Row]:
        """The rows that pass the filter, in the order in which they are shown."""
        return [self._shown.index(row, 0).data(ROW) for row in range(self._shown.rowCount())]

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show these; what was selected stays so."""
        if list(rows) == self._rows.rows:
            return self._rows.repaint()  # a length of time may have become longer
        before = self._key(self.current) if self.current is not None else None
        self._rows.show_rows(rows)
        if self.current is None:
            self.select(before)
        else:
            self.looked_at.emit(self.current)

    def select(self, key: object) -> bool:
        """Select the row of a key; the first one where there is none. Whether it was found."""
        places = [place for place, row in enumerate(self.shown) if key is not None and self._key(row) == key]
        if self._shown.rowCount():
            row = self._shown.index(places[0] if places else 0, 0)
            self.selectionModel().setCurrentIndex(row, _WHOLE_ROW)  # also while Ctrl is held
        return bool(places)

    def filter(self, text: str) -> None:
        """Only rows with this text in one of their columns."""
        self._shown.setFilterFixedString(text)
        if self.current is None:
            self.select(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter chooses."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return self._choose()
        super().keyPressEvent(event)

    def _choose(self) -> None:
        if self.current is not None:
            self.chosen.emit(self.current)

    def _build(self, columns: Sequence[TableColumn]) -> None:
        show_as_rows(self)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAlternatingRowColors(True)
        for place, column in enumerate(columns):
            if column.width:
                self.setColumnWidth(place, column.width)
            else:
                self.horizontalHeader().setSectionResizeMode(place, QHeaderView.ResizeMode.Stretch)
        widths = {place: column.width for place, column in enumerate(columns) if column.width}
        rest = next((place for place in range(len(columns)) if place not in widths), len(columns) - 1)
        self.room = ColumnRoom(self, widths, rest)
        self._shown.sort(-1)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)

    def _word(self, name: str) -> None:
        self.setAccessibleName(tr(name))
        self.verticalHeader().setDefaultSectionSize(row_height(self))
        self._rows.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self._rows.columnCount() - 1)
        self.viewport().update()


def one_line(text: str) -> str:
    """A text of data on one line.

    >>> one_line("a\\n  b")
    'a b'
    """
    return " ".join(text.split()) if "\n" in text or "\t" in text else text
