"""The context of the instance as a tree: search, copy, the history of each value, edit with a reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QDialog, QHeaderView, QLineEdit, QPlainTextEdit, QTreeView, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.link import Request
from app.desktop.kernel.reasons import error_line
from app.desktop.kernel.times import time_text
from app.desktop.kernel.visibility import UpdatedPane, in_sight
from app.desktop.kernel.visible_text import visible
from app.desktop.run.context_model import ContextModel
from app.desktop.run.context_rows import ContextEntry, brief, history, may_edit, search, value_of, whole
from app.desktop.run.edit_dialog import EditDialog
from app.desktop.run.rerun_model import readers
from app.desktop.run.session import Session
from app.desktop.run.throttle import Throttle
from app.desktop.widgets.empty_words import EmptyWords
from app.desktop.widgets.layouts import split, vbox
from app.desktop.widgets.pane_widgets import button, column, fixed_font, holder, line, named, row, tree
from engine.context.timeline import LineCause, Moment
from engine.context.tree import MISSING
from engine.model.expression import Path, parse_path

_BROAD = 600  # pixels of width, from which on it is one of the low panes at the bottom
_NO_RUN = "Choose an instance to see its values here."
_NO_MATCH = "Nothing fits the search."
_OFTEN = 500  # milliseconds between two readings of a growing context
_SHOWN = 100_000  # characters of a value in the field below the tree
_Index = QModelIndex | QPersistentModelIndex
_OF_HISTORY = (48, 64, 64)  # pixels of its first columns while it is empty


class ContextPane(UpdatedPane):
    """``seq_wanted`` brings the line of the log that a person wants to see replayed."""

    seq_wanted = Signal(int)

    def __init__(self, console: Console, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console, self._session = console, session
        self._moment: Moment | None = None
        self._current: Path = ()
        self._open: set[Path] = {("TASK",), ("TASK", "PARAMS"), ("JOB",)}
        self.dialog: EditDialog | None = None
        self.model = ContextModel(self)
        self.text = named(QLineEdit(clearButtonEnabled=True), "Find a name or value", "Find a name or value")
        self.tree = named(QTreeView(), "Context")
        self._empty = EmptyWords(self.tree)
        self.value = named(QPlainTextEdit(readOnly=True), "Value", "The value that is selected")
        columns = ("Line", "Time", "By", "Value", "Why")
        self.history = tree("History of the value", columns, stretch=3, empty="How the value came about")
        for at, width in enumerate(_OF_HISTORY):
            self.history.setColumnWidth(at, width)
        self.copy_path = button("Copy path", lambda: self._copy(lambda entry: entry.path))
        self.copy_value = button("Copy value", lambda: self._copy(lambda entry: whole(entry.value)))
        self.edit = button("Change…", self.change, "Change this value, with a reason")
        self._again = Throttle(self._read, _OFTEN, self)
        self._history_again = Throttle(self._read_history, 150, self)
        self._lay_out()
        self._connect()
        translated(self, lambda: self.model.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, 1))
        self._clear()

    def _lay_out(self) -> None:
        self.tree.setModel(self.model)
        self.tree.setUniformRowHeights(True)
        self.tree.setAlternatingRowColors(True)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.tree.header().resizeSection(0, 170)
        self.value.setFont(fixed_font())
        self.value.setMinimumHeight(40)
        doing = holder(line(self.copy_path, self.copy_value, self.edit))
        below = holder(column(self.value, doing, self.history, margin=0))
        self._both = split(self.tree, below, sizes=(420, 220), across=False, collapsible=False)
        vbox(self.text, (self._both, 1), inside=self, margins=4, spacing=4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is broad it is low: what is selected is beside the tree then."""
        super().resizeEvent(event)
        across = self.width() > _BROAD
        self._both.setOrientation(Qt.Orientation.Horizontal if across else Qt.Orientation.Vertical)

    def _connect(self) -> None:
        session = self._session
        session.fed.connect(lambda _: self.refresh())
        session.moment.connect(self._replayed)
        session.selection.follow(
            lambda now, before: self._clear() if now.instance != before.instance else None
        )
        self.text.textChanged.connect(lambda _: self._show())
        self.tree.expanded.connect(lambda index: self._note_open(index, True))
        self.tree.collapsed.connect(lambda index: self._note_open(index, False))
        self.tree.selectionModel().currentChanged.connect(
            lambda now, _: self._show_entry(self.model.entry(now))
        )
        self.tree.doubleClicked.connect(lambda _: self.change() if self.edit.isEnabled() else None)
        self.history.itemActivated.connect(lambda item, _: self.seq_wanted.emit(int(item.text(0))))
        self._console.link.state_changed.connect(self._may)

    # -- what is shown -------------------------------------------------------------------------

    def _clear(self) -> None:
        self._moment = None
        self._empty.say(_NO_RUN)
        self.model.show_tree({})
        self._show_entry(None)

    def _replayed(self, moment: Moment | None) -> None:
        if moment is None:
            self.refresh()
        else:
            self._take(moment)

    def refresh(self) -> None:
        """Show the context as it is now, soon; not while it is not seen, nor in a replay."""
        self._again.ask()

    def _read(self) -> Request | None:
        feed = self._session.feed
        if feed is None or not in_sight(self) or self._session.replaying:
            return None

        def done(moment: Moment) -> None:
            if feed is self._session.feed and not self._session.replaying:
                self._take(moment)

        link = self._console.link
        return link.ask(lambda _: feed.moment(feed.last), done, owner=self, failed=self._console.refused)

    def _take(self, moment: Moment) -> None:
        if self._moment is None or moment.tree != self._moment.tree:
            self._moment = moment
            self._show()
        self._moment = moment

    def _show(self) -> None:
        """The tree, or what is found in it; what was unfolded and selected stays so."""
        current, tree = self._current, self._moment.tree if self._moment else {}
        self._empty.say(_NO_MATCH if tree else _NO_RUN)
        if not self.text.text().strip() and self.model.take(tree):
            self.tree.viewport().update()
            self._show_entry(self.model.entry(self.tree.currentIndex()))
            return
        if wanted := self.text.text().strip():
            self.model.show_found(search(tree, wanted))
        else:
            self.model.show_tree(tree)
            for steps in sorted(self._open, key=len):
                self._unfold(steps)
        index = self.model.find(current)
        entry = self.model.entry(index)
        if entry is not None and entry.steps == current:
            self.tree.setCurrentIndex(index)
        else:
            self._show_entry(None)

    def _unfold(self, steps: Path) -> None:
        index = self.model.find(steps)
        entry = self.model.entry(index)
        if entry is not None and entry.steps == steps:
            self.tree.expand(index)

    def _note_open(self, index: _Index, is_open: bool) -> None:
        entry = self.model.entry(index)
        if entry is not None:
            (self._open.add if is_open else self._open.discard)(entry.steps)

    def show_path(self, path: str) -> None:
        """Select a value and bring it into sight."""
        self.text.clear()
        self._current = parse_path(path)
        for length in range(1, len(self._current)):
            self._open.add(self._current[:length])
        self._show()
        index = self.model.find(self._current)
        self.tree.setCurrentIndex(index)
        self.tree.scrollTo(index)

    def _show_entry(self, entry: ContextEntry | None) -> None:
        if entry is not None:
            self._current = entry.steps
        text = "" if entry is None else visible(whole(entry.value)[:_SHOWN])
        if text != self.value.toPlainText():
            self.value.setPlainText(text)
        self._may()
        self._history_again.ask()

    def _may(self) -> None:
        entry = self.model.entry(self.tree.currentIndex())
        self.copy_path.setEnabled(entry is not None)
        self.copy_value.setEnabled(entry is not None)
        writable = self._console.link.writable and not self._session.replaying
        self.edit.setEnabled(entry is not None and writable and may_edit(entry.steps))

    # -- the history of a value ----------------------------------------------------------------

    def _read_history(self) -> None:
        feed, entry = self._session.feed, self.model.entry(self.tree.currentIndex())
        if feed is None or entry is None or not in_sight(self):
            self.history.clear()
            return
        upto = self._session.at.seq if self._session.at else None
        wanted = entry.path

        def done(found: Sequence[LineCause]) -> None:
            entry = self.model.entry(self.tree.currentIndex())
            if entry is not None and entry.path == wanted:
                self._show_history(found, wanted)

        self._console.link.ask(lambda _: history(feed.causes(upto, wanted), wanted), done, owner=self)

    def _show_history(self, found: Sequence[LineCause], path: str) -> None:
        self.history.clear()
        for cause in reversed(found[-500:]):
            value = value_of(cause, path)
            message = "–" if value is MISSING else brief(value)
            why = cause.why or cause.expression or ""
            self.history.addTopLevelItem(
                row((str(cause.seq), time_text(cause.time, day=False), cause.actor, message, why))
            )
        for at in (0, 1, 2):
            self.history.resizeColumnToContents(at)

    # -- what a person does --------------------------------------------------------------------

    def _copy(self, text_of: Callable[[ContextEntry], str]) -> None:
        if (entry := self.model.entry(self.tree.currentIndex())) is not None:
            QGuiApplication.clipboard().setText(text_of(entry))

    def offer_change(self, *, at_once: bool) -> None:
        """Begin to change the selected value; or lead to the button, where others may be meant."""
        if at_once and self.edit.isEnabled():
            self.change()
        else:
            self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def change(self) -> None:
        """Ask for another value and a reason, then change it."""
        feed, entry = self._session.feed, self.model.entry(self.tree.currentIndex())
        if feed is None or entry is None:
            return
        self._console.link.ask(
            lambda _: readers(feed.causes(), entry.path), lambda found: self._ask(entry, found), owner=self
        )

    def _ask(self, entry: ContextEntry, found: frozenset[str]) -> None:
        self.dialog = dialog = EditDialog(entry.path, entry.value, found, self)
        dialog.attempt = lambda: self._change(dialog)
        dialog.open()

    def _change(self, dialog: EditDialog) -> None:
        """Change the value; the dialog stays with what is wrong, and with what was typed."""
        instance = self._session.selection.now.instance
        if instance is None:
            return
        path, text, reason = dialog.path, dialog.new_text, dialog.why.text().strip()

        def done(_: Mapping[str, Any]) -> None:
            dialog.done(QDialog.DialogCode.Accepted)
            self._console.navigator.notify(tr("{path} is changed.", path=path))
            self._session.refresh()

        self._console.link.ask(
            lambda service: service.set_value(instance, path, text, reason),
            done,
            owner=dialog,
            failed=lambda error: dialog.refuse(error_line(error), dialog.field),
        )
