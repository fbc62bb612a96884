"""The middle of the designer: the canvas, the library of jobs, the resources; one is seen, each has a tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget, QWidget

from app.desktop.kernel.console import Console

if TYPE_CHECKING:
    from app.desktop.design.library.definition_editor import DefinitionEditor

TITLES = {"job": "Job library", "resource": "Resources"}


class Pages(QStackedWidget):
    """``canvas`` is there from the beginning, a shelf is made when it is first asked for."""

    def __init__(self, console: Console, canvas: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console, self._canvas = console, canvas
        self.shelves: dict[str, DefinitionEditor] = {}
        self.addWidget(canvas)

    @property
    def drawing(self) -> bool:
        """Whether the canvas is seen."""
        return self.currentWidget() is self._canvas

    def show_canvas(self) -> None:
        """See the canvas."""
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
