"""How the rows of lists and tables look: high enough to be hit, numbers clear of the next column."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.desktop.widgets.cut_cells import CutCells, tell_cut_cells

_GAP = "\N{EN SPACE}"
_SMALLEST = 24  # pixels
_AIR = 8


def row_height(widget: QWidget) -> int:
    """Pixels for one line of the widget's font."""
    return max(_SMALLEST, widget.fontMetrics().height() + _AIR)


def show_as_rows(view: QTableView) -> None:
    """Rows of one line that are selected as a whole, without a grid."""
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setTabKeyNavigation(False)
    view.setWordWrap(False)
    view.setShowGrid(False)
    tell_cut_cells(view)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.verticalHeader().setDefaultSectionSize(row_height(view))
    view.horizontalHeader().setHighlightSections(False)
    view.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class _Apart(CutCells):
    """For a column of numbers: painted with a gap behind them; what is copied has none."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        option.text += _GAP


def keep_apart(view: QAbstractItemView, numbers: Iterable[bool]) -> None:
    """``numbers``: for each column of ``view`` whether it holds them."""
    for column, right in enumerate(numbers):
        if right:
            view.setItemDelegateForColumn(column, _Apart(view))
