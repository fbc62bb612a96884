"""The locator (Ctrl+K): type to find tasks, jobs, nodes, instances, commands and error codes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QListWidget, QListWidgetItem, QMainWindow, QWidget
from shiboken6 import isValid

from app.desktop.kernel.console import Console
from app.desktop.kernel.error_codes import Codes
from app.desktop.shell.locator_entries import from_actions, from_codes, from_service
from app.desktop.shell.locator_search import ICONS, LocatorEntry, find
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import named, worded
from app.desktop.widgets.rows import row_height

_WIDTH = 560
_ROWS = 14
_MOVES = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: _ROWS, Qt.Key.Key_PageUp: -_ROWS}


class Locator(QFrame):
    """A line with a list under it, over the window's content; Escape closes it."""

    def __init__(self, console: Console, window: QMainWindow) -> None:
        super().__init__(window)
        self._console, self._window = console, window
        self._known: list[LocatorEntry] = []
        self._codes: list[LocatorEntry] = []
        self._modes: Sequence[str] = ()
        self._before: QWidget | None = None
        hint = "Find tasks, jobs, nodes, instances, commands, error codes"
        self.line = named(QLineEdit(self), "Find", hint)
        self.list = named(QListWidget(self), "What was found")
        signs = ">  commands      #  instances      @  tasks, jobs, nodes      !  error codes"
        self._hint = worded(QLabel(self), signs)
        self._build()
        self.hide()
        named(self, "Find")

    def open(self, modes: Sequence[str], query: str = "") -> None:
        """Show it with a query and the commands of these modes; everything is read again."""
        self._modes = modes
        self._before = self._window.focusWidget()
        self._codes = from_codes(Codes().all(self._console.language.current))
        self._console.link.ask(from_service, self._found, owner=self, failed=lambda _: None)
        self.line.setText(query)
        self.settle()
        self.show()
        self.raise_()
        self.line.setFocus()
        self._search()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow keys move in the list while the line keeps the focus."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._pressed(Qt.Key(event.key()))
        if event.type() == QEvent.Type.FocusOut and self.isVisible() and not self._inside():
            self.hide()
        return False

    def _build(self) -> None:
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setFrameShadow(QFrame.Shadow.Raised)
        self.line.installEventFilter(self)
        self.line.textChanged.connect(self._search)
        self.line.setClearButtonEnabled(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        self.list.setIconSize(QSize(16, 16))
        self.list.itemClicked.connect(lambda _item: self._choose())
        vbox(self.line, self.list, self._hint, inside=self, margins=8)

    def _pressed(self, key: Qt.Key) -> bool:
        if key in _MOVES:
            row = self.list.currentRow() + _MOVES[key]
            self.list.setCurrentRow(max(0, min(self.list.count() - 1, row)))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose()
        elif key == Qt.Key.Key_Escape:
            self._leave()
        else:
            return False
        return True

    def _inside(self) -> bool:
        focused = self._window.focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    def _leave(self) -> None:
        self.hide()
        if self._before is not None and isValid(self._before):  # what had the focus may be gone by now
            self._before.setFocus()

    def _choose(self) -> None:
        item = self.list.currentItem()
        if item is None:
            return
        entry: LocatorEntry = item.data(Qt.ItemDataRole.UserRole)
        self._leave()
        if entry.refused:
            self._console.navigator.notify(f"{entry.name.rstrip('…')}: {entry.about}", bad=True)
        elif entry.command is not None:
            self._console.actions.get(entry.command).trigger()
        elif entry.target is not None:
            self._console.navigator.go(entry.target)

    def _found(self, entries: list[LocatorEntry]) -> None:
        """What is there, often later than the first keys: what a person has moved to stays chosen."""
        moved = self.list.currentItem() if self.list.currentRow() > 0 else None
        chosen = moved.data(Qt.ItemDataRole.UserRole) if moved is not None else None
        self._known = entries
        self._search()
        for row in range(self.list.count()):
            if chosen is not None and self.list.item(row).data(Qt.ItemDataRole.UserRole) == chosen:
                self.list.setCurrentRow(row)

    def _search(self) -> None:
        everything = [*self._known, *from_actions(self._console.actions, self._modes), *self._codes]
        self.list.clear()
        for entry in find(everything, self.line.text()):
            shown = f"{entry.name}   {entry.about}" if entry.about else entry.name
            item = QListWidgetItem(self._console.icons.get(ICONS[entry.kind]), shown, self.list)
            item.setSizeHint(QSize(0, row_height(self.list)))
            item.setData(Qt.ItemDataRole.UserRole, entry)
            if entry.refused:
                item.setForeground(QColor(self._console.theme.colours.muted))
        self.list.setCurrentRow(0)

    def settle(self) -> None:
        """Take its place in the window."""
        width = min(_WIDTH, self._window.width() - 40)
        high = min(440, self._window.height() - 120)
        corner = QPoint((self._window.width() - width) // 2, self._window.menuBar().height() + 6)
        self.setGeometry(QRect(corner, QSize(width, high)))
