"""The page of calendars, whose editor is made when it is first seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.desktop.kernel.console import Console
from app.desktop.widgets.layouts import vbox
from engine.model.clock import Clock

if TYPE_CHECKING:
    from app.desktop.plan.calendars.calendar_library import CalendarLibrary


class CalendarPage(QWidget):
    """Empty until then: forms bring every editor of the designer along."""

    def __init__(self, console: Console, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console, self._clock = console, clock
        self._column = vbox(inside=self, margins=0)
        self._editor: CalendarLibrary | None = None

    @property
    def editor(self) -> CalendarLibrary:
        """Made now, if there is none yet."""
        if self._editor is None:
            from app.desktop.plan.calendars.calendar_library import CalendarLibrary

            self._editor = CalendarLibrary(self._console, self._clock, self)
            self._column.addWidget(self._editor)
        return self._editor

    def open(self, id: str) -> None:
        """Show a calendar; none by an empty id."""
        self.editor.open(id)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.editor.show()
