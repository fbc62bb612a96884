"""The middle of the designer: the canvas with its search, the library of jobs, the resources, their tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QStackedWidget, QTabBar, QWidget

from app.desktop.canvas.view import GraphView
from app.desktop.design.document import Document
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated, trn
from app.desktop.widgets.pane_widgets import named

if TYPE_CHECKING:
    from app.desktop.design.library.definition_editor import DefinitionEditor

_READABLE = 0.8  # the zoom from which texts of a node are read easily
_CLEAR = 30  # pixels of the button that empties the field
TITLES = {"job": "Job library", "resource": "Resources"}


class Tabs(QTabBar):
    """A tab for each open task, with its Document, and for each shelf, with its kind."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTabsClosable(True)
        self.setDrawBase(False)
        self.setExpanding(False)
        translated(self, self.show_names)

    def add(self, shown: Document | str) -> None:
        """A further tab; what is in front stays."""
        with QSignalBlocker(self):
            self.setTabData(self.addTab(""), shown)
        self.show_names()

    def position(self, shown: Document | str) -> int:
        """Where its tab is; -1 when it has none."""
        return next((i for i in range(self.count()) if self.tabData(i) == shown), -1)

    def show_names(self) -> None:
        """Tasks by their id, with a star while they are not saved."""
        self.setAccessibleName(tr("Open tasks"))
        for i in range(self.count()):
            shown = self.tabData(i)
            if isinstance(shown, Document):
                self.setTabText(i, f"{shown.task_id}{' *' if shown.unsaved else ''}")
            else:
                self.setTabText(i, tr(TITLES[shown]))


class Pages(QStackedWidget):
    """``canvas`` is there from the beginning, a shelf is made when it is first asked for."""

    def __init__(self, console: Console, canvas: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console, self._canvas = console, canvas
        self.shelves: dict[str, DefinitionEditor] = {}
        self.addWidget(canvas)

    @property
    def drawing(self) -> bool:
        return self.currentWidget() is self._canvas

    def show_canvas(self) -> None:
        self.setCurrentWidget(self._canvas)

    def show_shelf(self, kind: str, id: str = "") -> DefinitionEditor:
        """See the jobs or the resources, and one of them."""
        if kind not in self.shelves:
            self.shelves[kind] = self._made(kind)
            self.addWidget(self.shelves[kind])
        shelf = self.shelves[kind]
        self.setCurrentWidget(shelf)
        if id:
            shelf.open(id)
        return shelf

    def _made(self, kind: str) -> DefinitionEditor:
        if kind == "job":
            from app.desktop.design.library.job_library import JobLibrary

            return JobLibrary(self._console, self)
        from app.desktop.design.resources.resource_editor import ResourceEditor

        return ResourceEditor(self._console, self)


class NodeFinder(QLineEdit):
    """A search field of a canvas; hidden until it is asked for."""

    def __init__(self, view: GraphView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._found: list[str] = []
        self._at = -1
        self.count = QLabel(self)
        self.count.setTextFormat(Qt.TextFormat.PlainText)
        self.setClearButtonEnabled(True)
        self.textChanged.connect(self._search)
        self.returnPressed.connect(self._next)
        self.hide()
        named(self, "Find nodes", "Find nodes: Enter goes to the next one")

    def open(self) -> None:
        self.show()
        self.setFocus()
        self.selectAll()

    def _search(self, text: str) -> None:
        self._found, self._at = self._view.search(text), -1
        self._say()

    def _next(self) -> None:
        """The next one, large enough to be read."""
        if self._found:
            self._at = (self._at + 1) % len(self._found)
            self._view.set_zoom(max(self._view.zoom, _READABLE))
            self._view.select({self._found[self._at]}, show=True)
            self._view.centerOn(self._view.items_by_id[self._found[self._at]].sceneBoundingRect().center())
            self._say()

    def _say(self) -> None:
        """How many there are, and which one is shown."""
        n, at = len(self._found), self._at + 1
        words = tr("{at} of {n}", at=at, n=n) if at else trn(n, "{n} node", "{n} nodes")
        self.count.setText(words if self.text().strip() else "")
        self.count.adjustSize()
        self.setTextMargins(0, 0, self.count.width() + 8 if self.count.text() else 0, 0)
        self._settle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._settle()

    def _settle(self) -> None:
        self.count.move(
            self.width() - self.count.width() - _CLEAR, (self.height() - self.count.height()) // 2
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.hide()
            self._view.setFocus()
        else:
            super().keyPressEvent(event)
