"""The filter bar of the history, and the filters that are kept under a name."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QInputDialog, QLineEdit, QMenu, QToolButton, QWidget

from app.desktop.history.filters import SPANS, Filter, kept, to_keep
from app.desktop.kernel.icons import Icons
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.settings import WindowSettings
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.theme import Theme
from app.desktop.widgets.layouts import hbox
from app.desktop.widgets.pane_widgets import named, tipped
from app.desktop.widgets.roomy_buttons import ToolButton
from engine.model.states import INSTANCE_BAD

STATUSES = (
    "failed", "timed_out", "lost", "running", "waiting", "paused", "succeeded", "cancelled", "skipped",
    "planned", "offline",
)  # fmt: skip
_TYPING = 300  # milliseconds without a key until the filter is applied
_SPAN_WORDS = {
    "": "Any time",
    "today": "Today",
    "day": "Last 24 hours",
    "week": "Last 7 days",
    "month": "Last 30 days",
    "year": "Last year",
}
_KEPT = "history/filters"


class FilterBar(QWidget):
    """``changed`` brings the Filter that is set now."""

    changed = Signal(object)

    def __init__(
        self, settings: WindowSettings, theme: Theme, icons: Icons, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._settings, self._theme, self._icons = settings, theme, icons
        self._setting = False
        self._between = ""
        self.status = tipped(ToolButton(), "Status")
        self.status.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.status.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.statuses = self._status_menu()
        self.task = tipped(QComboBox(), "Task")
        self.task.setLineEdit(named(QLineEdit(), "Task", "Task"))
        self.span = tipped(QComboBox(), "Scheduled time")
        self.code = tipped(QLineEdit(clearButtonEnabled=True), "Error code", hint="Error code")
        self.node = tipped(QLineEdit(clearButtonEnabled=True), "Failed node", hint="Failed node")
        text = "Text in task, message or reason"
        self.text = tipped(QLineEdit(clearButtonEnabled=True), text, hint=text)
        self.clear = tipped(ToolButton(), "Show everything")
        self.saved = tipped(ToolButton(), "Kept filters")
        self.saved.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.saved.setMenu(QMenu(self))
        self._typing = QTimer(self, singleShot=True, interval=_TYPING)
        self._lay_out()
        self._connect()
        theme.changed.connect(self._dress)
        self._dress()
        translated(self, self._retranslate)

    def filter(self) -> Filter:
        return Filter(
            tuple(name for name in STATUSES if self.statuses[name].isChecked()),
            self.task.currentText().strip(),
            str(self.span.currentData() or ""),
            self.code.text().strip(),
            self.node.text().strip(),
            self.text.text().strip(),
            self._between,
        )

    def set_filter(self, wanted: Filter) -> None:
        self._setting = True
        for name, action in self.statuses.items():
            action.setChecked(name in wanted.statuses)
        self.task.setCurrentText(wanted.task)
        self._between = wanted.between
        self._fill_spans()
        self.span.setCurrentIndex(len(SPANS) if wanted.between else list(SPANS).index(wanted.span))
        for line, text in ((self.code, wanted.code), (self.node, wanted.node), (self.text, wanted.text)):
            line.setText(text)
        self._setting = False
        self._apply()

    def offer_tasks(self, tasks: list[str]) -> None:
        """The tasks to choose from; what is typed stays."""
        typed = self.task.currentText()
        self._setting = True
        self.task.clear()
        self.task.addItems(["", *tasks])
        self.task.setCurrentText(typed)
        self._setting = False

    # layout

    def _status_menu(self) -> dict[str, QAction]:
        menu = QMenu(self)
        found = {}
        for name in STATUSES:
            found[name] = menu.addAction("")
            found[name].setCheckable(True)
            found[name].toggled.connect(self._apply)
        self._only_failed = menu.addAction("")
        self._only_failed.triggered.connect(lambda: self.set_filter(Filter(INSTANCE_BAD)))
        self.status.setMenu(menu)
        return found

    def _lay_out(self) -> None:
        fields = self.status, self.task, self.span, self.code, self.node
        hbox(*fields, (self.text, 1), self.clear, self.saved, inside=self, margins=(6, 4, 6, 4))
        self.task.setMinimumWidth(80)
        for field, most in ((self.code, 120), (self.node, 110)):
            field.setMinimumWidth(60)
            field.setMaximumWidth(most)
        self.text.setMinimumWidth(60)

    def _connect(self) -> None:
        self._typing.timeout.connect(self._apply)
        for line in (self.code, self.node, self.text):
            line.textChanged.connect(self._later)
        self.task.currentTextChanged.connect(self._later)
        self.span.activated.connect(self._spanned)
        self.clear.clicked.connect(lambda: self.set_filter(Filter()))

    def _later(self) -> None:
        if not self._setting:
            self._typing.start()

    def _apply(self) -> None:
        if self._setting:
            return
        self._typing.stop()
        self._name_status()
        self.changed.emit(self.filter())

    # words

    def _retranslate(self) -> None:
        self._setting = True
        chosen = max(0, self.span.currentIndex())
        self._fill_spans()
        self.span.setCurrentIndex(chosen)
        for name, action in self.statuses.items():
            action.setText(tr(look_of(name).word))
        self._only_failed.setText(tr("Only what went wrong"))
        self._setting = False
        self._name_status()
        self._fill_saved()

    def _fill_spans(self) -> None:
        self.span.clear()
        for key, word in _SPAN_WORDS.items():
            self.span.addItem(tr(word), key)
        if self._between:
            self.span.addItem(tr("A chosen interval"), "")

    def _spanned(self, index: int) -> None:
        if not self._setting and index < len(SPANS):
            self._between = ""
        self._apply()

    def _name_status(self) -> None:
        chosen = [tr(look_of(name).word) for name in STATUSES if self.statuses[name].isChecked()]
        self.status.setText(", ".join(chosen[:3]) + (" …" if len(chosen) > 3 else "") or tr("Any status"))

    def _dress(self) -> None:
        for name, action in self.statuses.items():
            action.setIcon(self._icons.get(look_of(name).icon, self._theme.status_ink(name)))
        self.clear.setIcon(self._icons.get("close"))
        self.saved.setIcon(self._icons.get("pin"))
        self.status.setIcon(self._icons.get("filter"))

    # kept filters

    def _fill_saved(self) -> None:
        menu = self.saved.menu()
        menu.clear()
        filters = kept(self._settings.text(_KEPT))
        for name, each in filters.items():
            menu.addAction(name).triggered.connect(lambda _=False, chosen=each: self.set_filter(chosen))
        if filters:
            menu.addSeparator()
        menu.addAction(tr("Keep this filter…"), self._ask_name)
        if filters:
            forget = menu.addMenu(tr("Forget a filter"))
            for name in filters:
                forget.addAction(name).triggered.connect(lambda _=False, gone=name: self.forget(gone))

    def _ask_name(self) -> None:
        name, given = QInputDialog.getText(self, tr("Keep this filter…"), tr("Name"))
        if given and name.strip():
            self.keep(name.strip())

    def keep(self, name: str) -> None:
        """Keep what is set now under a name."""
        self._store(kept(self._settings.text(_KEPT)) | {name: self.filter()})

    def forget(self, name: str) -> None:
        """Keep it no longer."""
        filters = kept(self._settings.text(_KEPT))
        filters.pop(name, None)
        self._store(filters)

    def _store(self, filters: dict[str, Filter]) -> None:
        self._settings.set(_KEPT, to_keep(filters))
        self._fill_saved()
