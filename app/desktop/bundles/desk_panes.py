"""The panes beside a case's runs: findings, search over everything, notes, and the check of its record."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from app import wiring
from app.desktop.bundles.bundle_dialog import add_row, error_text
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated, trn
from app.desktop.kernel.times import local
from app.desktop.kernel.worker_thread import Cancelled, Report, WorkerThread
from app.desktop.widgets.layouts import filled, hbox
from app.desktop.widgets.pane_widgets import Tall, button, named, plain, tree
from app.failure_words import finding_words
from engine.model.catalogue import codes_of
from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from export_import.desk.evidence import Evidence
from export_import.desk.findings import Bilingual, Study, findings
from export_import.desk.notes import add_note, notes_of
from export_import.desk.reevaluation import reevaluate
from export_import.desk.searching import search

_DATA = Qt.ItemDataRole.UserRole
_HITS = 1000
_ICONS = {"error": "status-failed", "warning": "warning", "info": "info"}


class Pane(QWidget):
    """A column of widgets and one piece of work at a time; ``gone`` brings a Target."""

    gone = Signal(object)

    def __init__(self, console: Console, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.console, self.folder = console, folder
        self.task = WorkerThread(self)
        self.said = plain()
        self.column = QVBoxLayout(self)
        self.task.failed.connect(lambda error: self.said.setText(error_text(error, console)))

    def evidence(self, read: Callable[[Any], Any]) -> None:
        """Read what the case holds, on a thread."""

        def work(report: Report, cancelled: Cancelled) -> Any:
            with Evidence.open(self.folder) as evidence:
                return read(evidence)

        self.task.start(work)


class RowsPane(Pane):
    """What is computed of a run only when asked for: rows, and a sentence about them."""

    rows: QTreeWidget
    instance = 0

    def show_instance(self, instance: int) -> None:
        self.instance = instance
        self.rows.clear()
        self.said.clear()


class FindingsPane(Pane):
    """What stands out in a run; Enter goes to the place that it is about."""

    def __init__(self, console: Console, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(console, folder, parent)
        self._found: list[Any] = []
        self.list = tree("Findings", ("",), empty="Nothing stands out.")
        self.list.setHeaderHidden(True)
        filled(self.column, (self.list, 2), (Tall(self.said), 1))
        self.said.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.list.currentItemChanged.connect(lambda item, _: self._explain(item))
        self.list.itemActivated.connect(lambda item: self._go(item))
        self.task.done.connect(self._show)
        translated(self, self._fill)

    def show_instance(self, instance: int) -> None:
        """Study another run."""
        types = wiring.installed_types()
        codes = (*codes_of(types.job_types.values()), *codes_of(set(types.resource_types.values())))
        self.evidence(lambda evidence: findings(Study(evidence, instance, codes)))

    def _show(self, found: list[Any]) -> None:
        self._found = found
        self._fill()

    def _fill(self) -> None:
        self.list.clear()
        for each in self._found:
            item = add_row(self.list, _in_language(self.console, each.title), data=each)
            item.setIcon(0, self.console.icons.get(_ICONS[each.severity]))
        first = self.list.topLevelItem(0)
        if first is not None:
            self.list.setCurrentItem(first)
        else:
            self.said.setText(tr("Nothing stands out."))

    def _explain(self, item: QTreeWidgetItem | None) -> None:
        if item is not None:
            self.said.setText(_in_language(self.console, item.data(0, _DATA).detail))

    def _go(self, item: QTreeWidgetItem) -> None:
        where = item.data(0, _DATA).where
        self.gone.emit(Target("instance", str(where.instance), node=where.node, detail="error"))


class SearchPane(Pane):
    """A search over everything in the case: logs, contexts, code, results, definitions; Enter goes there."""

    def __init__(self, console: Console, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(console, folder, parent)
        hint = "Search in everything, then Enter"
        self.text = named(QLineEdit(clearButtonEnabled=True), hint, hint)
        columns = ("File", "Line", "Text")
        self.hits = tree("Places", columns, widths=(260, 60, 400), empty="Nothing was searched yet.")
        filled(self.column, self.text, self.hits, self.said)
        self.text.returnPressed.connect(self.search)
        self.hits.itemActivated.connect(lambda item: self.gone.emit(item.data(0, _DATA)))
        self.task.done.connect(self._show)

    def search(self) -> None:
        text = self.text.text()

        def found(evidence: Any) -> list[Any]:
            hits = list(search(evidence, text, limit=_HITS))
            instances = {hit.instance for hit in hits if hit.instance is not None}
            nodes = {job.id: job.node for instance in instances for job in evidence.store.jobs(instance)}
            return [(hit, _place(hit, nodes.get(hit.job_instance))) for hit in hits]

        if text:
            self.evidence(found)

    def _show(self, found: list[Any]) -> None:
        self.hits.clear()
        for hit, place in found:
            add_row(self.hits, hit.file, hit.line, hit.excerpt, data=place)
        more = " …" if len(found) == _HITS else ""
        self.said.setText(trn(len(found), "{n} place", "{n} places") + more)


def _place(hit: Any, node: str | None) -> Target:
    """Where a hit is shown; what belongs to no run is a file."""
    details = {"job.log": "log", "job-error.log": "log", "ctx.log": "context", "ctx.json": "context"}
    if hit.instance is None:
        return Target("file", hit.file)
    return Target("instance", str(hit.instance), node, details.get(Path(hit.file).name))


class NotesPane(Pane):
    """Notes of the supporters; they stay beside the record."""

    def __init__(self, console: Console, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(console, folder, parent)
        self.notes = tree("Notes", ("Time", "Author", "Note"), widths=(150, 80, 400), empty="No notes yet.")
        self.text = named(QPlainTextEdit(), "A new note", "A new note")
        self.text.setMaximumHeight(80)
        self.text.setTabChangesFocus(True)
        self.add = button("Add", self.write)
        self.notes.currentItemChanged.connect(lambda item, _: self.said.setText(item.text(2) if item else ""))
        filled(self.column, (self.notes, 1), self.said, hbox((self.text, 1), self.add))
        translated(self, self._fill)

    def write(self) -> None:
        try:
            add_note(self.folder, self.text.toPlainText(), getpass.getuser(), SystemClock())
        except (SkerryError, OSError) as error:
            self.said.setText(error_text(error, self.console))
            return
        self.text.clear()
        self._fill()

    def _fill(self) -> None:
        self.notes.clear()
        for each in notes_of(self.folder):
            add_row(self.notes, local(each.time), each.author, each.text)
        last = self.notes.topLevelItem(self.notes.topLevelItemCount() - 1)
        if last is not None:
            self.notes.setCurrentItem(last)


class CheckPane(RowsPane):
    """Every recorded expression computed again, and compared with what it gave at the site."""

    def __init__(self, console: Console, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(console, folder, parent)
        self.again = button("Compute every expression again", self.compute)
        columns = ("Line", "Path", "Expression", "Recorded", "Here")
        self.rows = tree("Differences", columns, widths=(60, 220, 260, 200, 200))
        filled(self.column, self.again, self.said, self.rows)
        self.task.done.connect(self._show)

    def compute(self) -> None:
        instance = self.instance
        if instance:
            self.evidence(lambda evidence: reevaluate(evidence, instance))

    def _show(self, done: Any) -> None:
        self.rows.clear()
        for each in done.differences:
            here = each.error or each.computed
            add_row(self.rows, each.seq, each.path, each.expression, each.recorded, here)
        counts = {"n": done.expressions, "d": len(done.differences), "r": done.redacted}
        self.said.setText(tr("Expressions: {n}, differences: {d}, with redacted inputs: {r}", **counts))


def _in_language(console: Console, words: Bilingual) -> str:
    return finding_words(words, console.language.current)
