"""What can be put into a task, with a search field: the palette, and the menu of a link's loose end."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QListWidget, QListWidgetItem, QWidget

from app.desktop.canvas.brushes import type_icon
from app.desktop.design.entries import ENTRY_MIME, PaletteEntry, search
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.widgets.empty_words import EmptyWords
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import named
from app.desktop.widgets.plain_label import tip_text

_GROUPS = {"type": "Job types", "job": "Reusable jobs", "task": "Tasks"}
_NO_TASK = "Open a task: what can be put into it is listed here."
_NO_MATCH = "Nothing fits the search."
_ENTRY = Qt.ItemDataRole.UserRole


class _List(QListWidget):
    """Items that can be dragged onto the canvas."""

    def mimeData(self, items: Sequence[QListWidgetItem]) -> QMimeData:
        data = QMimeData()
        entry = items[0].data(_ENTRY) if items else None
        if isinstance(entry, PaletteEntry):
            data.setData(ENTRY_MIME, json.dumps({"group": entry.group, "id": entry.id}).encode())
        return data


class EntryList(QWidget):
    """Search as you type; ``chosen`` brings an Entry (Enter, double-click), ``left`` that Esc was pressed."""

    chosen = Signal(object)
    left = Signal()

    def __init__(self, console: Console, parent: QWidget | None = None, *, headings: bool = True) -> None:
        super().__init__(parent)
        self._console, self._headings = console, headings
        self._entries: list[PaletteEntry] = []
        hint = "Search job types and jobs"
        self.field = named(QLineEdit(self, clearButtonEnabled=True), hint, hint)
        self.list = named(_List(self), "Job types and jobs")
        self._empty = EmptyWords(self.list)
        self.list.setDragEnabled(True)
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.list.setUniformItemSizes(True)
        vbox(self.field, self.list, inside=self, margins=6)
        self.field.textChanged.connect(lambda _: self._fill())
        self.field.returnPressed.connect(self._take)
        self.field.installEventFilter(self)
        self.list.installEventFilter(self)
        self.list.itemDoubleClicked.connect(lambda _: self._take())
        console.theme.changed.connect(self._fill)
        translated(self, self._fill)

    def show_entries(self, entries: list[PaletteEntry]) -> None:
        if entries != self._entries:
            self._entries = entries
            self._fill()

    def current(self) -> PaletteEntry | None:
        """The one that Enter would take."""
        item = self.list.currentItem()
        entry = item.data(_ENTRY) if item else None
        return entry if isinstance(entry, PaletteEntry) else None

    def _fill(self) -> None:
        self.list.clear()
        found, group = search(self._entries, self.field.text()), ""
        self._empty.say(_NO_MATCH if self._entries else _NO_TASK)
        for entry in found:
            if self._headings and entry.group != group and not self.field.text().strip():
                self._add_heading(tr(_GROUPS[entry.group]))
            group = entry.group
            self._add(entry)
        first = next((i for i in range(self.list.count()) if self.list.item(i).data(_ENTRY)), -1)
        self.list.setCurrentRow(first)

    def _add_heading(self, text: str) -> None:
        item = QListWidgetItem(text)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        font = self.font()
        font.setBold(True)
        item.setFont(font)
        self.list.addItem(item)

    def _add(self, entry: PaletteEntry) -> None:
        known = entry.title == entry.id or entry.group == "type"
        text = entry.title if known else f"{entry.title}  ({entry.id})"
        item = QListWidgetItem(self._console.icons.get(type_icon(entry.type)), text)
        item.setData(_ENTRY, entry)
        item.setToolTip(tip_text(entry.help))
        self.list.addItem(item)

    def _take(self) -> None:
        entry = self.current()
        if entry is not None:
            self.chosen.emit(entry)

    def _step(self, by: int) -> None:
        """To the next entry; headings are passed over."""
        at = self.list.currentRow() + by
        while 0 <= at < self.list.count() and not self.list.item(at).data(_ENTRY):
            at += by
        if 0 <= at < self.list.count():
            self.list.setCurrentRow(at)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.KeyPress:
            return False
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return True
        if watched is self.field and event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.list.setFocus()
            self._step(1 if event.key() == Qt.Key.Key_Down else -1)
            return True
        if watched is self.list and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take()
            return True
        return False
