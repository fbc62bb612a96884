"""The task as a table: everything that the canvas does, for the keyboard and for screen readers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from app.desktop.canvas.task_picture import graph_node
from app.desktop.design import edits
from app.desktop.design.document import Document
from app.desktop.design.forms.labels import RUN_IFS
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.language import tr
from engine.planning.outline import Outline, ids_of

Index = QModelIndex | QPersistentModelIndex
USUAL = "all_succeeded"
_ROLE = Qt.ItemDataRole
COLUMNS = (
    "Node", "Type or job", "Comes after", "Runs if", "Only when", "Name", "Switched on", "Pass failure"
)  # fmt: skip
ID, TYPE, AFTER, RUN_IF, WHEN, NAME, ENABLED, CONTINUE = range(len(COLUMNS))
_FLAGS = {ENABLED: ("enabled", True), CONTINUE: ("continue_on_failure", False)}


class OutlineModel(QAbstractTableModel):
    """A row for each node, in the order in which the task runs them.

    ``rename(old, new)``, ``say(text)`` and ``type_label(type)``, its name, are given by who shows it.
    """

    def __init__(
        self, rename: Callable[[str, str], None], say: Callable[[str], None], type_label: Callable[[str], str]
    ) -> None:
        super().__init__()
        self._rename, self._say, self._type_label = rename, say, type_label
        self.document: Document | None = None
        self.ids: list[str] = []
        self._outline = Outline()

    def show_document(self, document: Document | None) -> None:
        """Show another task; ``refresh`` is called by who shows the model, when it can be seen."""
        self.document = document
        self.refresh()

    def refresh(self) -> None:
        """Read the task again; rows stay where they are while the same nodes are there."""
        self._outline = self.document.outline() if self.document else Outline()
        ids = list(self._outline.order)
        if ids and ids == self.ids:
            self.dataChanged.emit(self.index(0, 0), self.index(len(ids) - 1, len(COLUMNS) - 1))
            return
        self.beginResetModel()
        self.ids = ids
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self.ids)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole) -> Any:
        if role == _ROLE.DisplayRole:
            return tr(COLUMNS[section]) if orientation is Qt.Orientation.Horizontal else str(section + 1)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        able = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if index.column() in _FLAGS:
            return able | Qt.ItemFlag.ItemIsUserCheckable
        return able if index.column() == TYPE else able | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> Any:
        document = self.document
        if document is None or not index.isValid() or index.row() >= len(self.ids):
            return None
        id = self.ids[index.row()]
        if index.column() in _FLAGS:
            return self._flag(id, index.column(), role)
        if role in (_ROLE.DisplayRole, _ROLE.EditRole):
            return self._text(document, id, index.column())
        if role == _ROLE.AccessibleTextRole:
            return f"{tr(COLUMNS[index.column()])}: {self._text(document, id, index.column())}"
        return None

    def _flag(self, id: str, column: int, role: int) -> Any:
        key, usual = _FLAGS[column]
        on = bool(self.document.node(id).get(key, usual)) if self.document else usual
        if role == _ROLE.CheckStateRole:
            return Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
        if role == _ROLE.AccessibleTextRole:
            return f"{tr(COLUMNS[column])}: {tr('yes') if on else tr('no')}"
        return None

    def _text(self, document: Document, id: str, column: int) -> str:
        node = document.node(id)
        match column:
            case 0:
                return id
            case 1:
                drawn = graph_node(id, node, document.tree.get("jobs") or {})
                type = self._type_label(drawn.type)
                return f"{node['job']} ({type})" if "job" in node else type
            case 2:
                return ", ".join(_sources(document, id, self._outline))
            case 3:
                found = str(node.get("run_if") or USUAL)
                return tr(RUN_IFS[found]) if found in RUN_IFS else found
            case 4:
                return "" if node.get("when") is None else str(node["when"])
        return str(node.get("name") or "")

    def setData(self, index: Index, value: Any, role: int = _ROLE.EditRole) -> bool:
        document = self.document
        if document is None or not index.isValid():
            return False
        id, column = self.ids[index.row()], index.column()
        if column in _FLAGS and role == _ROLE.CheckStateRole:
            key, usual = _FLAGS[column]
            on = Qt.CheckState(value) is Qt.CheckState.Checked
            document.set(
                document.node_path(id, key), REMOVE if on == usual else on, tr("Change of {id}", id=id)
            )
            return True
        if role != _ROLE.EditRole:
            return False
        return self._write(document, id, column, str(value).strip())

    def _write(self, document: Document, id: str, column: int, text: str) -> bool:
        if column == ID:
            self._rename(id, text)
        elif column == AFTER:
            self._relink(document, id, [part.strip() for part in text.split(",") if part.strip()])
        else:
            key = {RUN_IF: "run_if", WHEN: "when", NAME: "name"}[column]
            usual = not text or (column == RUN_IF and text == USUAL)
            document.set(document.node_path(id, key), REMOVE if usual else text, tr("Change of {id}", id=id))
        return True

    def _relink(self, document: Document, id: str, sources: list[str]) -> None:
        """The links of a node as they were typed; refused as a whole when one cannot be."""
        now = _sources(document, id, document.outline())
        unknown = [source for source in sources if source not in document.nodes]
        if unknown:
            self._say(tr("There is no node {id}", id=unknown[0]))
            return
        steps = [edits.unlink(document.task_id, source, id) for source in now if source not in sources]
        graph = edits.picture(edits.joined(steps)(document.tree), document.task_id)
        for source in [source for source in sources if source not in now]:
            way = edits.refusal(graph, source, id)
            if way:
                self._say(tr("Not possible, this would be a circle: {way}", way=" → ".join(way)))
                return
            steps.append(edits.link(document.task_id, source, id))
        document.edit(edits.joined(steps), tr("Links of {id}", id=id))


def _sources(document: Document, id: str, outline: Outline) -> list[str]:
    """What a node comes after, also what does not exist, and the conditions whose branch it belongs to."""
    named = ids_of(document.node(id).get("after"))
    return list(dict.fromkeys((*named, *outline.parents.get(id, ()))))
