"""Numbers that stand right keep clear of the text in the next column."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

_GAP = "\N{EN SPACE}"


class Apart(QStyledItemDelegate):
    """For a column of numbers: painted with a gap behind them; what is copied has none."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        option.text += _GAP
