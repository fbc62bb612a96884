"""The tasks of the workspace in folders, with their states; what is not saved has a star."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QLineEdit, QMenu, QTreeWidget, QTreeWidgetItem, QWidget

from app.desktop.design.open_tasks import OpenTasks
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.subjects.menu import add_subject
from app.desktop.widgets.empty_words import EmptyWords
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import named
from app.desktop.widgets.tree_items import children, tops

_ID = Qt.ItemDataRole.UserRole
_OF_A_TASK = (
    ("Open", "open"), ("Start…", "start"), ("Copy…", "copy"), ("", ""), ("Put online…", "online"),
    ("Take offline…", "offline"), ("", ""), ("Delete…", "deleted"),
)  # fmt: skip
_STATES = {"init": "draft", "online": "online", "offline": "offline", "deleted": "deleted"}


class TaskList(QWidget):
    """``wanted`` brings (what, task id): open, new, copy, online, offline, deleted."""

    wanted = Signal(str, str)
    looked_at = Signal(str)  # the task that a person has selected here

    def __init__(self, console: Console, tasks: OpenTasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console, self._tasks = console, tasks
        self.field = named(QLineEdit(self, clearButtonEnabled=True), "Search tasks", "Search tasks")
        self.tree = named(QTreeWidget(self), "Tasks")
        EmptyWords(self.tree, "No tasks.")
        self.tree.setColumnCount(2)
        self.tree.setUniformRowHeights(True)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.setIndentation(14)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        vbox(self.field, self.tree, inside=self, margins=6)
        self.field.textChanged.connect(lambda _: self._fill())
        self.field.returnPressed.connect(self._open_first)
        self.tree.itemActivated.connect(self._activated)
        self.tree.customContextMenuRequested.connect(self._menu)
        self.tree.currentItemChanged.connect(lambda *_: self._looked_at())
        self.tree.itemClicked.connect(lambda *_: self._looked_at())
        for signal in (tasks.listed, tasks.opened, tasks.closed, tasks.current_changed):
            signal.connect(self._fill)
        tasks.state_changed.connect(self._restar)
        console.theme.changed.connect(self._fill)
        translated(self, self._word)

    def sizeHint(self) -> QSize:
        return QSize(250, 230)

    def items(self) -> dict[str, QTreeWidgetItem]:
        shown = [item for top in tops(self.tree) for item in (top, *children(top))]
        return {str(item.data(0, _ID)): item for item in shown if item.data(0, _ID)}

    def _restar(self) -> None:
        """Only the stars of open tasks: an edit must not fill the whole list again."""
        items, shown = self.items(), self._shown()
        for id in self._tasks.documents:
            if id in items and id in shown:
                name, _, state, star = shown[id]
                self._dress(items[id], id, name, state, star)

    def _fill(self, *_: object) -> None:
        shown = self._shown()
        now = self._tasks.current.task_id if self._tasks.current else self._selected()
        self.tree.clear()
        folders: dict[str, QTreeWidgetItem] = {}
        for id, (name, project, state, star) in shown.items():
            place: QTreeWidget | QTreeWidgetItem = self.tree
            if project:
                place = folders.get(project) or folders.setdefault(project, self._folder(project))
            item = QTreeWidgetItem(place)
            self._dress(item, id, name, state, star)
            if id == now:
                self.tree.setCurrentItem(item)
        self.tree.expandAll()

    def _shown(self) -> dict[str, tuple[str, str, str, bool]]:
        """Name, folder, state and star of the tasks that fit the search, by id, folders first."""
        found = {}
        for each in self._tasks.library.tasks():
            if each.get("state") != "deleted":
                columns = (
                    str(each.get("name") or ""),
                    str(each.get("project") or ""),
                    str(each.get("state") or "init"),
                )
                found[str(each["id"])] = (*columns, False)
        for id, document in self._tasks.documents.items():
            name = str(document.task.get("name") or "")
            old = found.get(id, ("", "", "new", False))
            found[id] = (name, str(document.task.get("project") or ""), old[2], document.unsaved)
        wanted = self.field.text().strip().casefold()
        fitting = {
            id: columns
            for id, columns in found.items()
            if wanted in f"{id} {columns[0]} {columns[1]}".casefold()
        }
        return dict(sorted(fitting.items(), key=lambda item: (not item[1][1], item[1][1], item[0])))

    def _folder(self, name: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem(self.tree, [name, ""])
        item.setIcon(0, self._console.icons.get("folder"))
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        return item

    def _dress(self, item: QTreeWidgetItem, id: str, name: str, state: str, star: bool) -> None:
        item.setData(0, _ID, id)
        item.setText(0, f"{'* ' if star else ''}{id}{f' – {name}' if name and name != id else ''}")
        item.setText(1, tr(_STATES.get(state, state)))
        item.setIcon(0, self._console.icons.get("task"))
        if id in self._tasks.documents:
            font = item.font(0)
            font.setBold(True)
            item.setFont(0, font)
        document = self._tasks.documents.get(id)
        if document is not None and document.conflict:
            item.setIcon(0, self._console.icons.get("warning", self._console.theme.colours.warning))

    def _selected(self) -> str:
        item = self.tree.currentItem()
        return str(item.data(0, _ID) or "") if item else ""

    def _looked_at(self) -> None:
        if self.tree.hasFocus():
            self.looked_at.emit(self._selected())

    def _activated(self, item: QTreeWidgetItem) -> None:
        if item.data(0, _ID):
            self.wanted.emit("open", str(item.data(0, _ID)))

    def _open_first(self) -> None:
        first = next(iter(self.items()), None)
        if first:
            self.wanted.emit("open", first)

    def _menu(self, at: QPoint) -> None:
        id = self._selected()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, what in (("New task…", "new"), *(_OF_A_TASK if id else ())):
            action = menu.addAction(tr(text)) if text else menu.addSeparator()
            action.triggered.connect(lambda _on=False, what=what: self.wanted.emit(what, id))
        add_subject(menu, self._console.actions, (None,))
        menu.popup(self.tree.viewport().mapToGlobal(at))

    def _word(self) -> None:
        self.tree.setHeaderLabels([tr("Task"), tr("State")])
        self._fill()
