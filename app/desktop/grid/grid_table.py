"""The grid as a table: a shape in its colour for each job, a bar for how long each run took above."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from app.desktop.grid.run_grid import RunGrid
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.times import length_text, time_text
from app.desktop.kernel.visible_text import visible
from app.desktop.widgets.plain_label import tip_text
from app.desktop.widgets.rows import row_height
from app.desktop.widgets.table import Index

_WIDE = 26  # pixels of a column: a shape that can be hit
_BARS = 30  # pixels of the longest bar
_SHAPE = 16
_NAMES = 180  # pixels of the names of nodes at most


class GridModel(QAbstractTableModel):
    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
        self.grid = RunGrid()

    def show_grid(self, grid: RunGrid) -> None:
        """Another one; where only states changed, what is selected stays."""
        before, self.grid = self.grid, grid
        if _shape(before) == _shape(grid):
            if grid.runs and grid.nodes:
                last = self.index(len(grid.nodes) - 1, len(grid.runs) - 1)
                self.dataChanged.emit(self.index(0, 0), last)
                self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(grid.runs) - 1)
            return
        self.beginResetModel()
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.grid.nodes)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.grid.runs)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        texts = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole
        if orientation is Qt.Orientation.Vertical:
            return visible(self.grid.nodes[section]) if role in texts else None
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._words(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        status = self.grid.status(index.row(), index.column())
        if status is None:
            return None
        if role == Qt.ItemDataRole.DecorationRole:
            return self._console.status_icon(status)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip_text(self._cell_words(index, status))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._cell_words(index, status)
        return None

    def _cell_words(self, index: Index, status: str) -> str:
        node = self.grid.nodes[index.row()]
        return f"{node}: {tr(look_of(status).word)}\n{self._words(index.column())}"

    def _words(self, column: int) -> str:
        """``#12 failed · 11-21 08:00:00 · 3 min``."""
        run = self.grid.runs[column]
        parts = (
            f"#{run.instance} {tr(look_of(run.status).word)}",
            time_text(run.time),
            length_text(run.seconds),
        )
        return " · ".join(part for part in parts if part)


class Bars(QHeaderView):
    """Above each run a bar, as long as it took beside the longest; below it the shape of its state."""

    def __init__(self, console: Console, model: GridModel, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._console, self._grid = console, model
        self.marked: int | None = None  # the instance that the other panes show
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(_WIDE)
        self.setDefaultSectionSize(_WIDE)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), _BARS + _SHAPE + 10)

    def paintSection(self, painter: QPainter, rect: QRect, index: int) -> None:
        runs = self._grid.grid.runs
        if index >= len(runs):
            return
        run, longest = runs[index], max((each.seconds or 0 for each in runs), default=0)
        colours = self._console.theme.colours
        painter.save()
        if run.instance == self.marked:
            painter.fillRect(rect, QColor(colours.raised))
            painter.fillRect(QRect(rect.left(), rect.bottom() - 2, rect.width(), 3), QColor(colours.accent))
        high = max(2, round(_BARS * (run.seconds or 0) / longest)) if longest else 2
        bar = QRect(rect.left() + 6, rect.top() + 4 + _BARS - high, rect.width() - 12, high)
        painter.fillRect(bar, self._console.theme.status(run.status))
        painter.setPen(QColor(colours.muted))
        painter.drawRect(bar)
        left = rect.left() + (rect.width() - _SHAPE) // 2
        shape = QRect(left, rect.top() + _BARS + 6, _SHAPE, _SHAPE)
        self._console.status_icon(run.status).paint(painter, shape)
        painter.restore()


class GridTable(QTableView):
    """``chosen`` brings an instance and a node (empty: the whole run), by a click or Enter."""

    chosen = Signal(int, str)

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self.cells = GridModel(console, self)
        self.bars = Bars(console, self.cells, self)
        self.setHorizontalHeader(self.bars)
        self.setModel(self.cells)
        self.setIconSize(QSize(_SHAPE, _SHAPE))
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        names = self.verticalHeader()
        names.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        names.setDefaultSectionSize(row_height(self))
        names.setMaximumWidth(_NAMES)
        names.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.bars.sectionClicked.connect(lambda at: self.chosen.emit(self.cells.grid.runs[at].instance, ""))
        self.clicked.connect(self._choose)

    def show_grid(self, grid: RunGrid) -> None:
        """Another one; the newest run is in sight."""
        other = _shape(grid) != _shape(self.cells.grid)
        self.cells.show_grid(grid)
        if other:
            bar = self.horizontalScrollBar()
            bar.setValue(bar.maximum())
            self.scrollTo(self.cells.index(0, len(grid.runs) - 1))

    def mark(self, instance: int | None) -> None:
        """Show which run the other panes show."""
        self.bars.marked = instance
        self.bars.viewport().update()

    def selected_cells(self) -> list[tuple[int, int]]:
        """(row, column) of each."""
        return [(index.row(), index.column()) for index in self.selectedIndexes()]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            return self._choose(self.currentIndex())
        super().keyPressEvent(event)

    def _choose(self, index: Index) -> None:
        if self.cells.grid.status(index.row(), index.column()) is not None and len(self.selected_cells()) < 2:
            grid = self.cells.grid
            self.chosen.emit(grid.runs[index.column()].instance, grid.nodes[index.row()])


def _shape(grid: RunGrid) -> object:
    return grid.task, [run.instance for run in grid.runs], grid.nodes
