"""The bar over a log: which log, what is searched, and what to do with it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QSizePolicy, QToolButton, QWidget

from app.desktop.kernel.icons import Icons
from app.desktop.kernel.language import tr, translated
from app.desktop.log.model import Stream
from app.desktop.log.search import LEVELS, Query
from app.desktop.widgets.layouts import hbox
from app.desktop.widgets.pane_widgets import choices

_TYPING = 250  # milliseconds without a key until a search begins
_LEVEL_WORDS = {"error": "Errors", "warning": "Warnings", "info": "Information", "debug": "Debug"}
_STREAM_WORDS = {Stream.OUTPUT: "Output", Stream.ERRORS: "Error output", Stream.BOTH: "Both"}


class LogBar(QWidget):
    """``asked`` brings a Query, ``stream_chosen`` a Stream; the rest are buttons by name."""

    asked = Signal(object)
    stream_chosen = Signal(object)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self.logs = QComboBox()
        self.logs.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.streams = choices(_STREAM_WORDS)
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.setMinimumWidth(120)
        self.case = self._button("case", text="Aa")
        self.regex = self._button("regex", text=".*")
        self.levels = {name: self._button(name, text=name[0].upper()) for name in LEVELS}
        self.count = QLabel()
        self.count.setTextFormat(Qt.TextFormat.PlainText)
        self.stop = self._button("stop", icon="stop", checkable=False)
        self.previous = self._button("previous", icon="up", checkable=False)
        self.next = self._button("next", icon="down", checkable=False)
        self.only = self._button("only", icon="filter")
        self.place = QLineEdit()
        self.place.setFixedWidth(110)
        self.follow = self._button("follow", icon="live")
        self.save = self._button("save", icon="download", checkable=False)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING)
        self._lay_out()
        self._connect()
        translated(self, self._retranslate)

    @property
    def stream(self) -> Stream:
        """Which of the two logs is chosen."""
        return Stream(self.streams.currentData())  # Qt gives a plain text back

    def query(self) -> Query:
        levels = frozenset(name for name, button in self.levels.items() if button.isChecked())
        return Query(self.search.text(), self.regex.isChecked(), self.case.isChecked(), levels)

    def redress(self) -> None:
        """Icons again, after the theme changed."""
        for button in self.findChildren(QToolButton):
            if name := button.property("icon-name"):
                button.setIcon(self._icons.get(str(name)))

    def _button(self, name: str, *, text: str = "", icon: str = "", checkable: bool = True) -> QToolButton:
        button = QToolButton()
        button.setObjectName(name)
        button.setCheckable(checkable)
        button.setAutoRaise(True)
        button.setMinimumSize(QSize(26, 24))
        button.setText(text)
        if icon:
            button.setProperty("icon-name", icon)
            button.setIcon(self._icons.get(icon))
        return button

    def _lay_out(self) -> None:
        row = hbox(inside=self, margins=(4, 2, 4, 2), spacing=3)
        self.search.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        left = [self.logs, self.streams, self.search, self.case, self.regex, *self.levels.values()]
        right = [
            self.stop,
            self.previous,
            self.next,
            self.count,
            self.only,
            self.place,
            self.follow,
            self.save,
        ]
        for widget in (*left, *right):
            row.addWidget(widget)

    def _connect(self) -> None:
        self._typing.timeout.connect(self._ask)
        self.search.textChanged.connect(lambda _: self._typing.start())
        for button in (self.case, self.regex, *self.levels.values()):
            button.toggled.connect(lambda _: self._ask())
        self.streams.activated.connect(lambda _: self.stream_chosen.emit(self.stream))

    def _ask(self) -> None:
        self._typing.stop()
        self.asked.emit(self.query())

    def _retranslate(self) -> None:
        self.search.setPlaceholderText(tr("Search in this log (Ctrl+F)"))
        self.place.setPlaceholderText(tr("Line or time"))
        for widget, text in self._names().items():
            widget.setToolTip(text)
            widget.setAccessibleName(text)

    def _names(self) -> dict[QWidget, str]:
        levels: dict[QWidget, str] = {
            self.levels[name]: tr("Only lines of the level: {level}", level=tr(word))
            for name, word in _LEVEL_WORDS.items()
        }
        return {
            self.logs: tr("Job and attempt"),
            self.streams: tr("Output, error output or both"),
            self.search: tr("Search in this log (Ctrl+F)"),
            self.case: tr("Match upper and lower case"),
            self.regex: tr("Regular expression"),
            self.stop: tr("Stop searching"),
            self.previous: tr("Previous match (Shift+F3)"),
            self.next: tr("Next match (F3)"),
            self.only: tr("Show the matching lines below"),
            self.place: tr("Go to a line, a percentage or a time (Ctrl+G)"),
            self.follow: tr("Follow the end"),
            self.save: tr("Save the log as a file"),
            **levels,
        }
