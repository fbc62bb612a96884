"""The context as a tree for Qt, made as far as it is unfolded; or as the list of what a search found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.desktop.kernel.language import tr
from app.desktop.run.context_rows import ContextEntry, brief
from app.desktop.widgets.pane_widgets import one_line
from engine.model.expression import Path

_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class _Node:
    """An entry that has been looked at, with those below it once they were asked for.

    ``number``: what Qt knows it by, 0 while it has no index.
    """

    __slots__ = ("below", "entry", "number", "parent", "row")

    def __init__(self, entry: ContextEntry, parent: _Node | None, row: int) -> None:
        self.entry, self.parent, self.row, self.number = entry, parent, row, 0
        self.below: list[_Node] | None = None

    def children(self) -> list[_Node]:
        if self.below is None:
            self.below = [_Node(each, self, at) for at, each in enumerate(self.entry.children())]
        return self.below

    def fits(self, value: Any) -> bool:
        """Whether the rows that were looked at are those of another value too."""
        if value is self.entry.value:
            return True
        if self.below is None:
            return bool(self.entry.below) is (isinstance(value, (Mapping, list)) and bool(value))
        if isinstance(value, Mapping) is not isinstance(self.entry.value, Mapping):
            return False
        parts = _parts(value)
        return len(parts) == len(self.below) and all(
            name == node.entry.steps[-1] and node.fits(part)
            for (name, part), node in zip(parts, self.below, strict=True)
        )

    def take(self, value: Any) -> None:
        """Another value with the same rows."""
        if value is self.entry.value:
            return
        self.entry = ContextEntry(self.entry.steps, value)
        for (_, part), node in zip(_parts(value), self.below or (), strict=False):
            node.take(part)


def _parts(value: Any) -> Sequence[tuple[str | int, Any]]:
    """What is below a value, with its steps."""
    if isinstance(value, Mapping):
        return [(str(name), part) for name, part in value.items()]
    return list(enumerate(value)) if isinstance(value, list) else ()


class ContextModel(QAbstractItemModel):
    """Columns: name (or path, of what was found) and value.

    An index has the number of its node, never used again: Qt may hold one for longer than its node lives, and
    an index with the node itself would then lead into memory that is something else by now.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._root = _Node(ContextEntry((), {}), None, 0)
        self._flat = False
        self._numbers = count(1)
        self._numbered: dict[int, _Node] = {}

    def show_tree(self, tree: Mapping[str, Any]) -> None:
        self.beginResetModel()
        self._numbered = {}
        self._root, self._flat = _Node(ContextEntry((), tree), None, 0), False
        self.endResetModel()

    def take(self, tree: Mapping[str, Any]) -> bool:
        """Other values in the rows that are there; False when they would not be the same rows."""
        if self._flat or not self._root.fits(tree):
            return False
        self._root.take(tree)
        if rows := self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(rows - 1, 1))
        return True

    def show_found(self, found: Sequence[ContextEntry]) -> None:
        """The rows that were found, by their paths."""
        self.beginResetModel()
        self._numbered = {}
        self._root, self._flat = _Node(ContextEntry((), {}), None, 0), True
        self._root.below = [_Node(each, self._root, at) for at, each in enumerate(found)]
        self.endResetModel()

    def entry(self, index: _Index) -> ContextEntry | None:
        return self._node(index).entry if index.isValid() else None

    def find(self, steps: Path) -> QModelIndex:
        """The row of a path, or of what holds it as far as it is there."""
        node = self._root
        if self._flat:
            node = next((each for each in node.children() if each.entry.steps == steps), node)
            return self._index_of(node)
        for step in steps:
            found = next((each for each in node.children() if each.entry.steps[-1] == step), None)
            if found is None:
                break
            node = found
        return self._index_of(node)

    def _index_of(self, node: _Node) -> QModelIndex:
        return _NOWHERE if node.parent is None else self._index(0, node)

    def _index(self, column: int, node: _Node) -> QModelIndex:
        node.number = node.number or next(self._numbers)
        self._numbered[node.number] = node
        return self.createIndex(node.row, column, node.number)

    def _node(self, index: _Index) -> _Node:
        """Of an index; the root for one of rows that are no more."""
        return self._numbered.get(index.internalId(), self._root)

    # -- what Qt asks --------------------------------------------------------------------------

    def index(self, row: int, column: int, parent: _Index = _NOWHERE) -> QModelIndex:
        below = self._node(parent).children()
        return self._index(column, below[row]) if 0 <= row < len(below) else _NOWHERE

    def parent(self, child: _Index = _NOWHERE) -> QModelIndex:  # type: ignore[override]
        node = self._node(child).parent
        return self._index_of(node) if node is not None else _NOWHERE

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        if parent.isValid() and (parent.column() > 0 or self._flat):
            return 0
        return len(self._node(parent).children())

    def hasChildren(self, parent: _Index = _NOWHERE) -> bool:
        if self._flat and parent.isValid():
            return False
        node = self._node(parent)
        return bool(node.below if node.below is not None else node.entry.below)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:
        return 2

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(("Name", "Value")[section])
        return None

    def data(self, index: _Index, role: int = 0) -> Any:
        entry = self._node(index).entry
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            if index.column() == 0:
                return one_line(entry.path if self._flat else entry.name)
            return one_line(brief(entry.value))
        return None
