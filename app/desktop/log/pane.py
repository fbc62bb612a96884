"""The log pane: logs of any size opened at once, searched, filtered, followed, copied and saved."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QLabel, QWidget

from app.desktop.kernel.actions import ActionSpec
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.worker_thread import WorkerThread
from app.desktop.log import go_to_line
from app.desktop.log.bar import LogBar
from app.desktop.log.copying import TooMuch, copied, save
from app.desktop.log.lines import LogRow
from app.desktop.log.matches import MarkStrip, Matches
from app.desktop.log.model import LogModel, LogStream
from app.desktop.log.past_sizes import SizeKnown
from app.desktop.log.search import Query
from app.desktop.log.view import LogView
from app.desktop.widgets.layouts import hbox, split, vbox
from app.desktop.widgets.pane_widgets import holder, named
from app.desktop.widgets.plain_label import PlainLabel
from engine.api.documents import LogFile
from engine.model.missing_files import missing_of
from engine.model.plain_words import wording

ACTIONS = (
    ActionSpec("log.find", "Find in the log", ("Ctrl+F",), "search", "Edit", 5, "log"),
    ActionSpec("log.next", "Next match", ("F3",), "down", "Edit", 5, "log"),
    ActionSpec("log.previous", "Previous match", ("Shift+F3",), "up", "Edit", 5, "log"),
    ActionSpec("log.go", "Go to a line or time", ("Ctrl+G",), None, "Edit", 5, "log"),
    ActionSpec("log.copy", "Copy from the log", ("Ctrl+C",), "copy", None, 5, "log"),
    ActionSpec("log.all", "Select the whole log", ("Ctrl+A",), None, None, 5, "log"),
    ActionSpec("log.save", "Save the log as…", ("Ctrl+Shift+S",), "download", None, 5, "log"),
)


class LogPane(QWidget):
    """Give it the logs of one or several jobs with ``open``; it shows the first."""

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self._files: list[LogFile] = []
        self.model = LogModel(self)
        self.bar = LogBar(console.icons)
        self.full = named(LogView(console.theme, self.model.all_rows()), "Log")
        self.found = named(LogView(console.theme, self.model.found_rows()), "Matching lines of the log")
        self.marks = MarkStrip(console.theme)
        self.matches = Matches(self.model, self.bar, self.full, self.found, self.marks)
        self._then: datetime | None = None
        self.known = PlainLabel()  # of a moment of the past: how well the log of that moment is known
        self.missing = PlainLabel()  # what a power cut took of it
        for label in (self.known, self.missing):
            label.setContentsMargins(8, 2, 8, 2)
            label.hide()
        self.empty = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self.empty.setTextFormat(Qt.TextFormat.PlainText)
        self._saving = WorkerThread(self)
        self._lay_out()
        self._connect()
        translated(self, self._retranslate)
        self._show_state()

    def open(self, files: Sequence[LogFile], stream: LogStream | None = None) -> None:
        """Show logs; the same log stays where it is, another one opens at its end."""
        before = self._current()
        self._files = list(files)
        self.bar.logs.clear()
        for file in self._files:
            self.bar.logs.addItem(_title(file, self._files))
        self.bar.logs.setVisible(len(self._files) > 1)
        wanted = stream or self.bar.stream
        self.bar.streams.setCurrentIndex(self.bar.streams.findData(wanted))
        if self._current() != before or stream:
            self._open_current()
        self._show_state()

    def seek_time(self, time: datetime | None) -> None:
        """Show how far the log was at a time, and how well that is known; None: the present."""
        self._then = time
        if time is None or self._current() is None:
            self.full.show_beyond(None)
            self.known.hide()
            return
        then, offset = self.model.then(time)
        self.bar.follow.setChecked(False)
        if then.known is not SizeKnown.UNKNOWN:
            self.full.show_at(max(0, offset - 1))
        self.full.show_beyond(None if then.known in (SizeKnown.WHOLE, SizeKnown.UNKNOWN) else offset)
        seen = then.seen.astimezone(time.tzinfo).strftime("%H:%M:%S") if then.seen else ""
        self.known.setText(tr(_KNOWN[then.known], time=seen))
        self.known.show()

    def look_for(self, query: Query) -> None:
        """Search, as if typed."""
        self.bar.search.setText(query.text)
        self.model.look_for(query)

    def stop(self) -> None:
        """End every thread and give back the files; the pane may be opened again."""
        self._saving.end()
        self.model.close()

    def _lay_out(self) -> None:
        upper = holder(hbox((self.full, 1), self.marks, margins=0, spacing=0))
        self._split = split(upper, self.found, sizes=(300, 120), across=False)
        column = (self.bar, self.known, self.missing, (self._split, 1), (self.empty, 1))
        vbox(*column, inside=self, margins=0, spacing=0)
        self.found.hide()

    def _connect(self) -> None:
        model, bar = self.model, self.bar
        model.renewed.connect(self._renew)
        model.grown.connect(self._grown)
        model.found.connect(self.matches.show)
        model.failed.connect(self._say)
        bar.asked.connect(model.look_for)
        for choice in (bar.streams, bar.logs):
            choice.activated.connect(lambda _: self._open_current())
        bar.search.returnPressed.connect(self.matches.go_next)
        bar.place.returnPressed.connect(self._go_place)
        bar.stop.clicked.connect(model.stop_search)
        bar.follow.toggled.connect(lambda on: self.full.go_end() if on else None)
        bar.save.clicked.connect(self.save_as)
        self.full.moved.connect(lambda: bar.follow.setChecked(self.full.at_end))
        self.full.opened.connect(self._open_row)
        self._saving.ended.connect(self._saved)
        self._add_actions()

    def _add_actions(self) -> None:
        self._console.actions.add_all(ACTIONS, self, {
            "log.find": self._focus_search, "log.next": self.matches.go_next,
            "log.previous": self.matches.go_previous, "log.go": self.bar.place.setFocus,
            "log.copy": self.copy, "log.all": self._view().select_all, "log.save": self.save_as,
        })  # fmt: skip

    def _retranslate(self) -> None:
        self.matches.show()
        self._show_state()
        self._tell_missing()
        self.seek_time(self._then)

    def _show_state(self) -> None:
        self.empty.setText(tr("No log to show: it has not run yet, or writes none."))
        self.empty.setVisible(not self._files)
        self._split.setVisible(bool(self._files))
        self.bar.setEnabled(bool(self._files))

    def _current(self) -> LogFile | None:
        i = self.bar.logs.currentIndex()
        return self._files[i] if 0 <= i < len(self._files) else None

    def _open_current(self) -> None:
        file = self._current()
        if file is None:
            self.model.close()
            self.missing.hide()
            return
        self.bar.follow.setChecked(True)
        self.model.open(Path(file["path"]), self.bar.stream, ended=file["ended"])
        self._tell_missing()
        if self._then is not None:
            self.seek_time(self._then)

    def _tell_missing(self) -> None:
        """What a power cut took of a log does not look like something that was never printed."""
        file = self._current()
        log = Path(file["path"]) if file is not None else None
        both = (log, log.with_name("job-error.log")) if log is not None else ()
        found = {each.name: missing_of(each) for each in both}
        lines = [f"{name}: {lacks.worded(tr)}" for name, lacks in found.items() if lacks is not None]
        self.missing.setText("\n".join(lines))
        self.missing.setVisible(bool(lines))

    def _renew(self) -> None:
        self.full.show_rows(self.model.all_rows())
        self.found.show_rows(self.model.found_rows())
        if self.bar.follow.isChecked():
            self.full.go_end()

    def _grown(self) -> None:
        self.full.renew()
        if self.bar.follow.isChecked():
            self.full.go_end()
        self.marks.show_marks(self.model.starts, self.model.text.size)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.model.look()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self.window().isHidden():
            self.model.stop_search()

    def copy(self) -> None:
        view = self._view()
        low, high = view.selected()
        if low == high:
            return
        try:
            text = copied(self.model.found_rows() if view is self.found else self.model.all_rows(), low, high)
        except TooMuch:
            self._say(tr("That is too much for the clipboard: save the log as a file instead."))
        else:
            QGuiApplication.clipboard().setText(text)

    def save_as(self) -> None:
        """Write the whole log to a file that the operator chooses."""
        file = self._current()
        if file is None:
            return
        name = f"{file['node']}-{file['attempt']}.log"
        chosen, _ = QFileDialog.getSaveFileName(self, tr("Save the log as a file"), name)
        if chosen:
            self.save_to(Path(chosen))

    def save_to(self, path: Path) -> None:
        """Write the whole log to a file, in the background."""
        text = self.model.text
        self._saving.walk(lambda: save(text, path))

    def _saved(self, problem: Exception | None) -> None:
        self._say(wording(problem) if problem else tr("The log is saved."), bad=problem is not None)

    def _go_place(self) -> None:
        typed = self.bar.place.text()
        offset = go_to_line.offset(typed, self.model.text, self.model.index)
        if offset is None:
            offset = self.model.offset_then(typed)
        if offset is None:
            self._say(tr("There is no such line or time in this log."))
            return
        self.matches.go_offset(offset)
        self.full.setFocus()

    def _open_row(self, row: LogRow) -> None:
        if row.cut:
            go_to_line.show_row(self, self._console.theme, self.model.text, row)

    def _focus_search(self) -> None:
        self.bar.search.setFocus()
        self.bar.search.selectAll()

    def _view(self) -> LogView:
        return self.found if self.found.hasFocus() else self.full

    def _say(self, text: str, bad: bool = True) -> None:
        self._console.navigator.notify(text, bad=bad)


_KNOWN = {
    SizeKnown.NOT_BEGUN: "The job had not begun, or only just: its log was empty.",
    SizeKnown.MEASURED: "The log as it was when last measured, at {time}; what is pale came later.",
    SizeKnown.WHOLE: "At this moment the log was complete.",
    SizeKnown.UNKNOWN: "The job was running at this moment; how far its log was, nobody recorded.",
}


def _title(file: LogFile, files: Sequence[LogFile]) -> str:
    several = sum(each["node"] == file["node"] for each in files) > 1
    return f"{file['node']} · {tr('attempt {n}', n=file['attempt'])}" if several else file["node"]
