"""Numbers that stand right keep clear of the text in the next column."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem

_GAP = "\N{EN SPACE}"


class _Apart(QStyledItemDelegate):
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
