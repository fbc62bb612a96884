"""The bar over a log: which log, what is searched, and what to do with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QSizePolicy, QToolButton, QWidget

from app.desktop.kernel.icons import Icons
from app.desktop.log.model import LogStream
from app.desktop.log.search import LEVELS, Query
from app.desktop.widgets.layouts import hbox
from app.desktop.widgets.pane_widgets import choices, tipped
from app.desktop.widgets.roomy_buttons import ToolButton

_TYPING = 250  # milliseconds without a key until a search begins
_LEVEL_WORDS = {"error": "Errors", "warning": "Warnings", "info": "Information", "debug": "Debug"}
_STREAM_WORDS = {LogStream.OUTPUT: "Output", LogStream.ERRORS: "Error output", LogStream.BOTH: "Both"}


class LogBar(QWidget):
    """``asked`` brings a Query; the rest are boxes and buttons by name."""

    asked = Signal(object)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self.logs = tipped(QComboBox(), "Job and attempt")
        self.logs.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.streams = tipped(choices(_STREAM_WORDS), "Output, error output or both")
        search = "Search in this log (Ctrl+F)"
        self.search = tipped(QLineEdit(clearButtonEnabled=True), search, hint=search)
        self.search.setMinimumWidth(60)
        self.search.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.case = self._button("Match upper and lower case", text="Aa")
        self.regex = self._button("Regular expression", text=".*")
        level = "Only lines of the level: {level}"
        self.levels = {
            name: self._button(level, text=name[0].upper(), level=_LEVEL_WORDS[name]) for name in LEVELS
        }
        self.count = QLabel()
        self.count.setTextFormat(Qt.TextFormat.PlainText)
        self.stop = self._button("Stop searching", icon="stop", checkable=False)
        self.previous = self._button("Previous match (Shift+F3)", icon="up", checkable=False)
        self.next = self._button("Next match (F3)", icon="down", checkable=False)
        self.only = self._button("Show the matching lines below", icon="filter")
        place = "Go to a line, a percentage or a time (Ctrl+G)"
        self.place = tipped(QLineEdit(), place, hint="Line or time")
        self.place.setMinimumWidth(60)
        self.place.setMaximumWidth(110)
        self.follow = self._button("Follow the end", icon="live")
        self.save = self._button("Save the log as a file", icon="download", checkable=False)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING)
        search_row = (self.search, self.case, self.regex, *self.levels.values(), self.stop)
        found_row = (self.previous, self.next, self.count, self.only, self.place, self.follow, self.save)
        row = (self.logs, self.streams, *search_row, *found_row)
        hbox(*row, inside=self, margins=(4, 2, 4, 2), spacing=3)
        self._connect()

    @property
    def stream(self) -> LogStream:
        """Which of the two logs is chosen."""
        return LogStream(self.streams.currentData())  # Qt gives a plain text back

    def query(self) -> Query:
        levels = frozenset(name for name, button in self.levels.items() if button.isChecked())
        return Query(self.search.text(), self.regex.isChecked(), self.case.isChecked(), levels)

    def _button(
        self, tip: str, *, text: str = "", icon: str = "", checkable: bool = True, **words: str
    ) -> QToolButton:
        button = ToolButton()
        button.setAutoRaise(True)
        button.setCheckable(checkable)
        button.setText(text)
        if icon:
            button.setIcon(self._icons.get(icon))
        return tipped(button, tip, **words)

    def _connect(self) -> None:
        self._typing.timeout.connect(self._ask)
        self.search.textChanged.connect(lambda _: self._typing.start())
        for button in (self.case, self.regex, *self.levels.values()):
            button.toggled.connect(lambda _: self._ask())

    def _ask(self) -> None:
        self._typing.stop()
        self.asked.emit(self.query())
