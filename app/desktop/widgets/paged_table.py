"""A table over any number of rows: the ids are known, the rows are read in pages when they come in sight."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QIcon

from app.desktop.kernel.language import tr
from app.desktop.kernel.visible_text import visible
from app.desktop.kernel.worker_thread import WorkerThread
from app.desktop.widgets.plain_label import tip_text
from engine.model.plain_words import wording

PAGE = 64  # a screen or two: what is in sight comes soonest by reading little else
KEPT = 125  # pages
Row = TypeVar("Row")
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One column: ``title`` in English, ``order`` the name by which the source sorts (None: it does not)."""

    key: str
    title: str
    width: int
    text: Callable[[Row], str]
    order: str | None = None
    right: bool = False
    icon: Callable[[Row], QIcon] | None = None


class RowSource(Protocol[Row]):
    """Where the rows come from; both are called on another thread."""

    def ids(self) -> Iterator[array[int]]:
        """The ids in order, piece by piece, a small piece first."""

    def rows(self, ids: Sequence[int]) -> dict[int, Row]:
        """Rows by id; those that are gone are missing."""


class _Ids:
    """Ids in pieces as they came: joining a million of them would take their room twice."""

    def __init__(self) -> None:
        self._pieces: list[array[int]] = []
        self._starts: list[int] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def add(self, piece: array[int]) -> None:
        """Further ids behind the others."""
        self._pieces.append(piece)
        self._starts.append(self._length)
        self._length += len(piece)

    def at(self, row: int) -> int:
        place = bisect_right(self._starts, row) - 1
        return self._pieces[place][row - self._starts[place]]

    def part(self, first: int, last: int) -> list[int]:
        """The ids of some rows."""
        return [self.at(row) for row in range(first, min(last, self._length))]


class PagedModel(QAbstractTableModel, Generic[Row]):
    """Rows of a source. What is not read yet shows as ``…``; the latest page asked for is read first.

    ``counted`` tells whenever the number of rows has changed, with whether all are known.
    """

    counted = Signal(int, bool)
    failed = Signal(str)

    def __init__(self, columns: Sequence[Column[Row]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._ids = _Ids()
        self._coming: list[array[int]] = []
        self._source: RowSource[Row] | None = None
        self.highest = 0  # of the ids
        self._pages: OrderedDict[int, dict[int, Row]] = OrderedDict()
        self._wanted: list[int] = []
        self._counting = WorkerThread(self)
        self._counting.reported.connect(self._extend)
        self._counting.ended.connect(self._all_known)
        self._reading = WorkerThread(self)
        self._reading.reported.connect(self._put)
        self._reading.ended.connect(self._read_on)

    def show_source(self, source: RowSource[Row]) -> None:
        """Other rows, from the top."""
        self.stop()
        self.beginResetModel()
        self._source, self._ids, self._coming, self.highest = source, _Ids(), [], 0
        self._pages.clear()
        self._wanted.clear()
        self.endResetModel()
        self._counting.walk(source.ids)

    def refresh(self) -> None:
        """The pages that are known are read again; the rows stay where they are."""
        self._wanted = list(self._pages)[-2:]
        for page in list(self._pages)[:-2]:
            del self._pages[page]
        self._read_on()

    def stop(self) -> None:
        self._counting.end()
        self._reading.end()

    def id_at(self, row: int) -> int:
        return self._ids.at(row)

    def row_at(self, row: int) -> Row | None:
        """The contents of a row; None while it is not read yet, or gone."""
        if not 0 <= row < len(self._ids):
            return None
        page = self._pages.get(row // PAGE)
        if page is None:
            self._want(row // PAGE)
            return None
        return page.get(self._ids.at(row))

    # Qt's side

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own signature
        return 0 if parent.isValid() else len(self._ids)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(self.columns[section].title)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column = self.columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role not in (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.DecorationRole,
            Qt.ItemDataRole.ToolTipRole,
        ):
            return None
        row = self.row_at(index.row())
        if role == Qt.ItemDataRole.DecorationRole:
            return column.icon(row) if row is not None and column.icon else None
        if row is None:
            return "…"
        text = column.text(row)
        return tip_text(text) if role == Qt.ItemDataRole.ToolTipRole else visible(text)

    # threads

    def _extend(self, more: array[int]) -> None:
        """The first piece is shown at once, the others together: a table pays for each growth."""
        self._coming.append(more)
        if not len(self._ids):
            self._take()
            self.counted.emit(len(self._ids), False)

    def _take(self) -> None:
        pieces, self._coming = self._coming, []
        if not pieces:
            return
        first = len(self._ids)
        self._pages.pop(first // PAGE, None)  # it was not full
        self.beginInsertRows(QModelIndex(), first, first + sum(map(len, pieces)) - 1)
        for piece in pieces:
            self._ids.add(piece)
            self.highest = max(self.highest, max(piece))
        self.endInsertRows()

    def _all_known(self, problem: Exception | None) -> None:
        self._take()
        if problem is not None:
            self.failed.emit(wording(problem))
        self.counted.emit(len(self._ids), True)

    def _want(self, page: int) -> None:
        if page not in self._wanted:
            self._wanted.append(page)
        self._read_on()

    def _read_on(self, problem: Exception | None = None) -> None:
        if problem is not None:
            self._wanted.clear()
            self.failed.emit(wording(problem))
        if not self._wanted or self._reading.busy or self._source is None:
            return
        page, source = self._wanted.pop(), self._source
        following = page + 1  # read with it, since painting twice takes longer
        self._wanted = [each for each in self._wanted[-2:] if each != following]  # others were passed over
        known, ids = len(self._ids), self._ids.part(page * PAGE, (following + 1) * PAGE)
        self._reading.walk(lambda: iter([(page, known, source.rows(ids))]))

    def _put(self, found: tuple[int, int, dict[int, Row]]) -> None:
        page, known, rows = found
        for each in (page, page + 1):
            if (each + 1) * PAGE <= known or (each * PAGE < known == len(self._ids)):
                self._pages[each] = rows
                self._pages.move_to_end(each)
                self._wanted = [other for other in self._wanted if other != each]  # asked for again meanwhile
        while len(self._pages) > KEPT:
            self._pages.popitem(last=False)
        last = min(len(self._ids), (page + 2) * PAGE) - 1
        if last < page * PAGE:
            return  # fewer rows are left than when they were asked for
        self.dataChanged.emit(self.index(page * PAGE, 0), self.index(last, len(self.columns) - 1))
