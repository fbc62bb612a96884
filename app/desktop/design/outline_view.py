"""The outline dock: the task as a tree and as an editable table, with one selection for all views."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import (
    QAbstractItemModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QStyleOptionViewItem,
    QTableView,
    QTabWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)  # fmt: skip

from app.desktop.canvas.graph import CanvasGraph
from app.desktop.design import canvas_extras as beside
from app.desktop.design.document import Document, follow
from app.desktop.design.forms.labels import RUN_IFS
from app.desktop.design.outline_table import AFTER, COLUMNS, ID, RUN_IF, OutlineModel
from app.desktop.kernel.language import tr, translated
from app.desktop.widgets.cut_cells import CutCells
from app.desktop.widgets.empty_words import EmptyWords
from app.desktop.widgets.pane_widgets import named
from app.desktop.widgets.tree_items import children, tops

_ID = Qt.ItemDataRole.UserRole
_NO_TASK = "Open a task to see its nodes here."
_NO_NODE = "No nodes yet: the pane Jobs has what can be put into the task."
_EXPANDED = 200  # nodes up to which everything is unfolded
_Model = QItemSelectionModel.SelectionFlag


class _RunIf(CutCells):
    """A choice instead of a text field."""

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        box = QComboBox(parent)
        for value, words in RUN_IFS.items():
            box.addItem(tr(words), value)
        return box

    def setEditorData(self, editor: QWidget, index: QModelIndex | QPersistentModelIndex) -> None:
        if isinstance(editor, QComboBox):
            editor.setCurrentText(str(index.data()))

    def setModelData(
        self, editor: QWidget, model: QAbstractItemModel, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        if isinstance(editor, QComboBox):
            model.setData(index, editor.currentData())


class OutlineView(QTabWidget):
    """``rename``, ``say`` and ``type_label`` as in OutlineModel.

    ``entered`` brings the node whose form is to be shown.
    """

    entered = Signal(str)

    def __init__(
        self, rename: Callable[[str, str], None], say: Callable[[str], None],
        type_label: Callable[[str], str], parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._type_label = type_label
        self.model = OutlineModel(rename, say, type_label)
        self.model.setParent(self)
        self.document: Document | None = None
        self._following = False
        self._seen = self._stale = False
        self.tree = named(QTreeWidget(self), "Outline of the task as a tree")
        self.tree.setHeaderHidden(True)
        self.tree.setUniformRowHeights(True)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table = named(QTableView(self), "Outline of the task as a table")
        self.table.setModel(self.model)
        self.table.setItemDelegateForColumn(RUN_IF, _RunIf(self))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.verticalHeader().hide()
        self.table.horizontalHeader().setStretchLastSection(True)
        for column, width in ((ID, 130), (AFTER, 150)):
            self.table.setColumnWidth(column, width)
        self._empty = EmptyWords(self.tree, _NO_TASK), EmptyWords(self.table, _NO_TASK)
        self.addTab(self.tree, "")
        self.addTab(self.table, "")
        self.tree.itemSelectionChanged.connect(self._tree_selected)
        self.tree.itemActivated.connect(lambda item: self.entered.emit(str(item.data(0, _ID) or "")))
        self.table.selectionModel().selectionChanged.connect(self._table_selected)
        translated(self, self._word)

    def show_document(self, document: Document | None) -> None:
        self.document = follow(self.document, document, changed=self._fill, selection_changed=self._follow)
        self.model.show_document(document)
        self._fill()

    def seen(self, on: bool) -> None:
        """The dock has come to the front, or gone behind another."""
        self._seen = on
        if on and self._stale:
            self._fill()

    def _fill(self, _change: object = None) -> None:
        self._stale = not self._seen  # a hidden outline is filled when it is shown
        if self._stale:
            return
        self.model.refresh()
        for words in self._empty:
            words.say(_NO_TASK if self.document is None else _NO_NODE)
        self._following = True
        self.tree.clear()
        if self.document is not None:
            self._fill_tree(self.document)
        self._following = False
        self._follow(self.document.selection if self.document else frozenset())

    def _fill_tree(self, document: Document) -> None:
        graph = document.graph()
        frames = {id: frame for frame in beside.frames(document.sheet.extras) for id in frame.members}
        groups: dict[str, QTreeWidgetItem] = {}
        links = _links(graph)
        titles = {node.id: (node.title, self._type_label(node.type)) for node in graph.nodes}
        for id in self.model.ids:
            frame = frames.get(id)
            if frame is not None and frame.id not in groups:
                groups[frame.id] = QTreeWidgetItem(self.tree, [tr("Group: {title}", title=frame.title)])
            top = QTreeWidgetItem(groups[frame.id] if frame else self.tree, [_line(id, *titles[id])])
            top.setData(0, _ID, id)
            for text, other in links.get(id, ()):
                child = QTreeWidgetItem(top, [text])
                child.setData(0, _ID, other)
        if len(self.model.ids) < _EXPANDED:
            self.tree.expandAll()

    def _follow(self, ids: frozenset[str]) -> None:
        """Select in the tree and in the table what is selected in the document."""
        if self._stale:
            return
        self._following = True
        rows = QItemSelection()
        for row, id in enumerate(self.model.ids):
            if id in ids:
                rows.select(self.model.index(row, 0), self.model.index(row, len(COLUMNS) - 1))
        self.table.selectionModel().select(rows, _Model.ClearAndSelect)
        for item in self._node_items():
            item.setSelected(str(item.data(0, _ID)) in ids)
        first = next((row for row, id in enumerate(self.model.ids) if id in ids), None)
        if first is not None:
            self.table.scrollTo(self.model.index(first, 0))
        self._following = False

    def _node_items(self) -> list[QTreeWidgetItem]:
        items = tops(self.tree)
        inner = [child for group in items if not group.data(0, _ID) for child in children(group)]
        return [item for item in items if item.data(0, _ID)] + inner

    def _tree_selected(self) -> None:
        if self.document is not None and not self._following:
            self.document.select(frozenset(str(item.data(0, _ID)) for item in self.tree.selectedItems()))

    def _table_selected(self, *_: object) -> None:
        if self.document is not None and not self._following:
            rows = self.table.selectionModel().selectedRows()
            self.document.select(frozenset(self.model.ids[index.row()] for index in rows))

    def _word(self) -> None:
        self.setAccessibleName(tr("Outline"))
        self.setTabText(0, tr("Tree"))
        self.setTabText(1, tr("Table"))
        self._fill()


def _line(id: str, title: str, type: str) -> str:
    return f"{id} – {type}" if title == id else f"{id} – {title} – {type}"


def _links(graph: CanvasGraph) -> dict[str, list[tuple[str, str]]]:
    """By node: a line for each of its links, and the node at the other end."""
    found: dict[str, list[tuple[str, str]]] = {}
    for link in graph.links:
        if link.kind == "loop":
            entry = (tr("if {key}: again from {id}", key=link.label, id=link.target), link.target)
            found.setdefault(link.source, []).append(entry)
        elif link.kind == "branch":
            entry = (tr("if {id} is {key}", id=link.source, key=link.label), link.source)
            found.setdefault(link.target, []).append(entry)
        else:
            found.setdefault(link.target, []).append((tr("after {id}", id=link.source), link.source))
    return found
