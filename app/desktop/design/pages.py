"""The middle of the designer: the canvas, the library of jobs, the resources, and the tabs above them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from app.desktop.design.document import Document
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated

if TYPE_CHECKING:
    from app.desktop.design.library.definition_editor import DefinitionEditor

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
        self.blockSignals(True)
        self.setTabData(self.addTab(""), shown)
        self.blockSignals(False)
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
