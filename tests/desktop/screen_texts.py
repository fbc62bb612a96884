"""Every text of a window that a person can see, point at or have read to them."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QDockWidget,
    QGroupBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QTabWidget,
    QWidget,
)

_DEEP = 4  # levels of a tree


def screen_texts(window: QWidget) -> Iterator[tuple[str, str]]:
    """Where and what, of everything in it, panes behind others included."""
    for each in (window, *window.findChildren(QWidget)):
        if isinstance(each, QAbstractButton) and isinstance(each.parent(), QDockWidget | QTabBar):
            continue  # Qt's own, which it words when it makes them
        if isinstance(each, QLabel) and each.isHidden():
            continue  # worded when it is shown
        where = f"{type(each).__name__} in {type(each.parent()).__name__}"
        yield from ((where, text) for text in _texts(each) if text)


def _texts(widget: QWidget) -> Iterator[str]:
    yield from (widget.toolTip(), widget.statusTip(), widget.whatsThis())
    yield from (widget.accessibleName(), widget.accessibleDescription())
    for action in widget.actions():
        yield from (action.text(), action.toolTip())
    match widget:
        case QDockWidget() | QMainWindow():
            yield widget.windowTitle()
        case QLabel() | QAbstractButton():
            yield widget.text()
        case QGroupBox() | QMenu():
            yield widget.title()
        case QLineEdit() | QPlainTextEdit():
            yield widget.placeholderText()
        case QTabBar() | QTabWidget():
            yield from (widget.tabText(at) for at in range(widget.count()))
            yield from (widget.tabToolTip(at) for at in range(widget.count()))
        case QComboBox():
            yield from (widget.itemText(at) for at in range(widget.count()))
        case QHeaderView():
            model, way = widget.model(), widget.orientation()
            yield from (str(model.headerData(at, way) or "") for at in range(widget.count()) if model)
        case QAbstractItemView() if widget.model():
            yield from _cells(widget.model(), QModelIndex())


def _cells(model: QAbstractItemModel, parent: QModelIndex, deep: int = _DEEP) -> Iterator[str]:
    # a list's own columnCount is private
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
    for row in range(model.rowCount(parent) if deep else 0):
        for column in range(columns):
            index = model.index(row, column, parent)
            for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
                yield str(index.data(role) or "")
        yield from _cells(model, model.index(row, 0, parent), deep - 1)
