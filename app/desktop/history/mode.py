"""History mode: everything that ran; filtered, sorted, looked at, compared, rerun in batches, exported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFileDialog, QLabel, QMessageBox, QStackedLayout, QWidget

from app import wiring
from app.desktop.grid.grid_pane import GridPane
from app.desktop.history.columns import columns
from app.desktop.history.filter_bar import FilterBar
from app.desktop.history.filters import Filter
from app.desktop.history.history_rows import HistoryRows, Instances
from app.desktop.history.run_preview import RunPreview
from app.desktop.history.statistics import Statistics, newest, statistics
from app.desktop.history.statistics_panel import StatisticsPanel
from app.desktop.history.table import HistoryTable
from app.desktop.kernel.actions import ActionSpec
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated, trn
from app.desktop.kernel.mode import Mode, PaneEntry
from app.desktop.kernel.reasons import failure_line
from app.desktop.kernel.subject import Subject
from app.desktop.kernel.times import zone
from app.desktop.kernel.visibility import in_sight
from app.desktop.kernel.worker_thread import WorkerThread
from app.desktop.subjects.menu import offer_menu
from app.desktop.subjects.table import NO_RUN, NOTHING, refusal
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.paged_table import PagedModel
from app.desktop.widgets.pane_widgets import holder, named
from app.desktop.widgets.questions import message_box
from app.desktop.widgets.roomy_buttons import PushButton
from engine.api.documents import Document, Rerun
from engine.model.plain_words import wording
from engine.store.browsing import SortedFilter

_RIGHT, _BOTTOM = Qt.DockWidgetArea.RightDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea
_SIDE = 360  # pixels of the side at first
_LOW = 190  # pixels of the grid of runs at first
_SOON = 1000  # milliseconds between two looks at what changed

ACTIONS = (
    ActionSpec("history.open", "Open the run", (), "open", "Run", 3, "history", tool=True),
    ActionSpec(
        "history.compare", "Compare two runs", ("Ctrl+Shift+C",), "compare", "Run", 3, "history", tool=True
    ),
    ActionSpec("history.rerun", "Rerun what failed", ("Ctrl+F5",), "rerun", "Run", 3, "history", tool=True),
    ActionSpec("history.export", "Export as CSV…", ("Ctrl+E",), "export", "File", 3, "history", tool=True),
    ActionSpec("history.refresh", "Read again", ("Ctrl+R",), "refresh", "View", 3, "history", tool=True),
)


_MENU = ("history.open", "history.rerun", "history.compare")


class HistoryMode(Mode):
    KEY = "history"
    PANES = (
        PaneEntry("preview", "Preview", "Show the preview", _RIGHT, lambda mode: RunPreview(mode.console)),
        PaneEntry(
            "statistics", "Statistics", "Show the statistics", _RIGHT,
            lambda mode: StatisticsPanel(mode.console.theme),
        ),
        PaneEntry(
            "grid", "Last runs", "Show the last runs", _BOTTOM, lambda mode: GridPane(mode.console, "history")
        ),
    )  # fmt: skip

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self._shelf = HistoryRows(lambda: wiring.open_reader(console.workspace))
        self._order: tuple[str, bool] = ("scheduled_time", False)
        self._begun = False
        self._new: set[int] = set()
        self._cell: Subject | None = None  # the cell of the grid whose menu was opened last
        self._in_grid: tuple[str | None, int | None] | None = None
        self._many: tuple[int, bool] | None = None  # runs counted so far, and whether these are all
        self.bar = FilterBar(console.settings, console.theme, console.icons)
        self.rows = PagedModel(columns(console.theme, console.icons), self)
        self.table = named(HistoryTable(self.rows), "Runs")
        self.count = QLabel()
        self.count.setTextFormat(Qt.TextFormat.PlainText)
        self.fresh = PushButton()
        self.fresh.hide()
        self.empty = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._figures = WorkerThread(self)
        self._exporting = WorkerThread(self)
        self._soon = QTimer(self, singleShot=True, interval=_SOON)
        self._lay_out()
        self._connect()
        translated(self, self._retranslate)

    # life

    def open(self, target: Target) -> None:
        self.bar.set_filter(Filter(task=target.id, between=target.detail or ""))
        self._begun = True

    def share_room(self) -> None:
        self.tabify_panes()
        self.resizeDocks([self.docks["preview"]], [_SIDE], Qt.Orientation.Horizontal)
        self.resizeDocks([self.docks["grid"]], [_LOW], Qt.Orientation.Vertical)

    def entered(self) -> None:
        if not self._begun:
            self._begun = True
            self.read()
        self.table.setFocus()

    def let_go(self) -> None:
        self.rows.stop()
        for work in (self._figures, self._exporting):
            work.end()
        self._shelf.close()

    # layout

    def _lay_out(self) -> None:
        top = hbox(self.count, 0, self.fresh, margins=(8, 0, 8, 4))
        pile = QWidget()
        self._stack = QStackedLayout(pile)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        self.setCentralWidget(holder(vbox(self.bar, top, (pile, 1), margins=0, spacing=0)))
        self.add_panes()
        self.preview = self.pane("preview", RunPreview)
        self.statistics, self.grid = self.pane("statistics", StatisticsPanel), self.pane("grid", GridPane)

    def _connect(self) -> None:
        self.bar.changed.connect(lambda _: self.read())
        self.table.sorted.connect(self._sort)
        self.table.opened.connect(self._go)
        self.table.looked_at.connect(self.preview.show_instance)
        self.rows.counted.connect(self._counted)
        self.rows.failed.connect(lambda message: self.console.navigator.notify(message, bad=True))
        self.fresh.clicked.connect(self.read)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._looked_at())
        self.rows.dataChanged.connect(lambda *_: self._looked_at())  # rows are read behind the table
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._may())
        self.console.link.state_changed.connect(self._may)
        self.grid.chosen.connect(self._go_job)
        self.grid.looked_at.connect(self._look_at_cell)
        offer_menu(self.table, self.console.actions, _MENU)
        self.statistics.seen.connect(self._measure_again)
        self.statistics.run_chosen.connect(self._go)
        self.statistics.code_chosen.connect(lambda code: self.console.navigator.go(Target("code", code)))
        self._figures.reported.connect(self._show_figures)
        self._exporting.ended.connect(self._exported)
        self._soon.timeout.connect(self._look)
        self.console.link.changed.connect(self._changed)
        self.console.actions.add_all(ACTIONS, self, {
            "history.open": self._open_chosen, "history.compare": self.compare,
            "history.rerun": self.rerun_failed, "history.export": self._ask_export,
            "history.refresh": self.read,
        })  # fmt: skip
        self._may()

    def _retranslate(self) -> None:
        self.empty.setText(tr("Nothing has run that fits. Change the filter, or run a task."))
        self.rows.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.rows.columns) - 1)
        self._name_fresh()
        self._name_count()

    # reading

    def wanted(self) -> SortedFilter:
        """What is asked for now; a code that is no number counts as not given."""
        now = datetime.now(zone() or UTC).astimezone(zone())
        chosen = self.bar.filter()
        try:
            return chosen.wanted(now, *self._order)
        except ValueError:
            return replace(chosen, code="").wanted(now, *self._order)

    def read(self) -> None:
        """Read the runs that the filter wants, from the top."""
        self._new.clear()
        self._name_fresh()
        wanted = self.wanted()
        self.rows.show_source(Instances(self._shelf, wanted))
        seen = in_sight(self.statistics)
        self._figures.walk(lambda: self._measure(wanted, seen))

    def _measure_again(self) -> None:
        if self._begun:
            wanted = self.wanted()
            self._figures.walk(lambda: self._measure(wanted, True))

    def _measure(self, wanted: SortedFilter, seen: bool) -> Iterator[tuple[Statistics | None, list[str]]]:
        browser = self._shelf.browser()
        if not seen:
            yield None, browser.tasks()
            return
        yield statistics(newest(browser, wanted)), browser.tasks()

    def _show_figures(self, found: tuple[Statistics | None, list[str]]) -> None:
        if found[0] is not None:
            self.statistics.show_statistics(found[0])
        self.bar.offer_tasks(found[1])

    def _sort(self, order: str, ascending: bool) -> None:
        self._order = (order, ascending)
        self.read()

    def _counted(self, n: int, all_known: bool) -> None:
        self._many = (n, all_known)
        self._name_count()
        self._name_fresh()
        self._stack.setCurrentWidget(self.empty if all_known and not n else self.table)
        if n and not self.table.currentIndex().isValid():
            self.table.setCurrentIndex(self.rows.index(0, 0))

    def _name_count(self) -> None:
        if self._many is not None:
            n, all_known = self._many
            more = "" if all_known else " …"
            self.count.setText(trn(n, "{n} run", "{count} runs", count=f"{n:,}") + more)

    def _changed(self, events: Sequence[Mapping[str, Any]]) -> None:
        """Rows in sight follow; new ones wait behind a button, so that nothing moves under the hand."""
        if not self._begun:
            return
        changed = {each["instance"] for each in events if each.get("kind") == "instance"}
        self._new.update(each for each in changed if each > self.rows.highest)
        if not self._soon.isActive():
            self._soon.start()

    def _look(self) -> None:
        self.rows.refresh()
        self._name_fresh()

    def _name_fresh(self) -> None:
        self._new = {each for each in self._new if each > self.rows.highest}  # some were being read just then
        self.fresh.setVisible(bool(self._new))
        self.fresh.setText(trn(len(self._new), "{n} new run", "{n} new runs"))

    # commands

    def subject(self) -> Subject | None:
        """The run of the row that the keys are at, or the job of the grid whose menu was opened."""
        return self._cell or self._of_row()

    def _of_row(self) -> Subject | None:
        row = (
            self.rows.row_at(self.table.currentIndex().row()) if self.table.currentIndex().isValid() else None
        )
        if row is None:
            return None
        return Subject(row.task, row.id, None, row.status, code=row.error_code,
                       message=failure_line(row.error_code, row.error))  # fmt: skip

    def _go(self, instance: int) -> None:
        self.console.navigator.go(Target("instance", str(instance)))

    def _go_job(self, instance: int, node: str) -> None:
        self.console.navigator.go(Target("instance", str(instance), node or None))

    def _look_at_cell(self, cell: Subject) -> None:
        self._cell = cell
        self.subject_changed.emit()

    def _looked_at(self) -> None:
        """Another row: its task's runs are in the grid."""
        self._cell = None
        self._may()
        self.subject_changed.emit()
        subject = self._of_row()
        if subject is not None and (subject.task, subject.instance) != self._in_grid:
            self._in_grid = subject.task, subject.instance
            self.grid.show_task(subject.task, subject.instance)

    def _may(self) -> None:
        """What can be done with the runs that are selected; what cannot says why."""
        many, subject = self.table.how_many_chosen(), self._of_row()
        one = subject if many == 1 else Subject(instance=0) if many else None
        for id, why in (
            ("history.open", "" if many else NO_RUN),
            ("history.compare", "" if many == 2 else "Select two runs to compare them."),
            ("history.rerun", refusal("thing.retry", one, self.console.link.locked)),
        ):
            self.console.actions.refuse(id, NO_RUN if why == NOTHING else why)

    def _open_chosen(self) -> None:
        for instance in self.table.chosen()[:1]:
            self._go(instance)

    def compare(self) -> None:
        """Compare the two selected runs."""
        chosen = self.table.chosen()
        if len(chosen) != 2:
            self.console.navigator.notify(tr("Select two runs to compare them."))
            return
        older, newer = sorted(chosen)
        self.console.navigator.go(Target("instance", str(newer), detail=f"compare:{older}"))

    def rerun_failed(self) -> None:
        """Run again what failed in the selected runs, after saying what that is."""
        chosen = self.table.chosen()
        if not chosen:
            return
        wanted = [Rerun(instance, "failed") for instance in chosen]
        ask = self.console.link.ask
        ask(
            lambda service: [service.preview(each) for each in wanted],
            partial(self._confirm, wanted),
            owner=self,
        )

    def _confirm(self, wanted: list[Rerun], previews: list[Document]) -> None:
        lines = [
            f"#{each.instance}: {', '.join(preview['run'])}"
            for each, preview in zip(wanted, previews, strict=True)
        ]
        if self.sure(trn(len(wanted), "Run this again?", "Run these again?"), lines):
            self.console.link.ask(lambda service: service.rerun(wanted), self._started, owner=self)

    def sure(self, question: str, lines: list[str]) -> bool:
        """Ask, with what will happen below; tests put their own answer here."""
        more = "\n".join(lines[:12] + (["…"] if len(lines) > 12 else []))
        box = message_box(self, tr("Rerun"), question, more)
        box.setIcon(QMessageBox.Icon.Question)
        box.setStandardButtons(QMessageBox.StandardButton.Ok | QMessageBox.StandardButton.Cancel)
        return box.exec() == QMessageBox.StandardButton.Ok

    def _started(self, runs: list[Document]) -> None:
        text = trn(len(runs), "{n} run was started again.", "{n} runs were started again.")
        self.console.navigator.notify(text)

    def _ask_export(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(self, tr("Export as CSV…"), "runs.csv")
        if chosen:
            self.export(Path(chosen))

    def export(self, path: Path) -> None:
        """Write all runs that the filter wants to a file, in the background."""
        source = Instances(self._shelf, self.wanted())
        self._exporting.walk(lambda: source.export(path))

    def _exported(self, problem: Exception | None) -> None:
        text = wording(problem) if problem else tr("The runs are exported.")
        self.console.navigator.notify(text, bad=problem is not None)
