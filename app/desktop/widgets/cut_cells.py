"""A cell whose text is cut says all of it where the pointer rests."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem, QToolTip

from app.desktop.widgets.plain_label import tip_text


class CutCells(QStyledItemDelegate):
    """Shows the text of a cell that has no tip of its own, where it is wider than the cell."""

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        own = event.type() is not QEvent.Type.ToolTip or index.data(Qt.ItemDataRole.ToolTipRole)
        wanted = self.sizeHint(option, index).width()
        if own or wanted <= view.visualRect(index).width():
            return super().helpEvent(event, view, option, index)
        QToolTip.showText(event.globalPos(), tip_text(str(index.data())), view)
        return True


def tell_cut_cells(view: QAbstractItemView) -> None:
    """Columns that have a delegate of their own keep it."""
    view.setItemDelegate(CutCells(view))
