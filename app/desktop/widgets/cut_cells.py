"""A cell whose text is cut says all of it where the pointer rests."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
)

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
        wanted = QStyledItemDelegate.sizeHint(self, option, index).width()
        if own or wanted <= view.visualRect(index).width():
            return super().helpEvent(event, view, option, index)
        QToolTip.showText(event.globalPos(), tip_text(str(index.data())), view)
        return True


class CutItems(CutCells):
    """Items that end where their list does: what is longer is elided, nothing is scrolled sideways."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(1, super().sizeHint(option, index).height())


def cut_items(view: QListView) -> None:
    """Elide what is longer than a list is wide; its tip says all of it."""
    view.setItemDelegate(CutItems(view))
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)


def tell_cut_cells(view: QAbstractItemView) -> None:
    """Columns that have a delegate of their own keep it."""
    view.setItemDelegate(CutCells(view))
