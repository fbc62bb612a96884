"""Monitor mode: this machine and the engine over time, with the runs under them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QStandardPaths, QTimer
from PySide6.QtWidgets import QFileDialog, QToolButton, QWidget

from app import wiring
from app.desktop.history.history_rows import HistoryRows
from app.desktop.kernel.actions import ActionSpec
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.mode import Mode
from app.desktop.kernel.subject import Subject
from app.desktop.kernel.worker_thread import WorkerThread
from app.desktop.monitor.chart_stack import ChartBoard
from app.desktop.monitor.chart_table import MACHINE
from app.desktop.monitor.run_lanes import Lanes, RunBar
from app.desktop.monitor.run_reading import RunReading
from app.desktop.monitor.run_strip import RunStrip
from app.desktop.monitor.sample_library import BUCKET, SampleLibrary
from app.desktop.monitor.samples import GAP, MonitorSamples
from app.desktop.subjects.menu import subject_menu
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import Tall, choices, holder, named
from engine.model.plain_words import wording

SPANS = {
    600.0: "Last 10 minutes",
    3600.0: "Last hour",
    86_400.0: "Last 24 hours",
    7 * 86_400.0: "Last 7 days",
    30 * 86_400.0: "Last 30 days",
    365 * 86_400.0: "Last year",
}
_COLUMNS = 2
_LIVE = 1000  # milliseconds
_FINE = 36 * 3600.0

ACTIONS = (
    ActionSpec("monitor.back", "Zoom back", ("Esc",), "zoom-out", "View", 4, "monitor", tool=True),
    ActionSpec(
        "monitor.runs", "Runs of this interval", ("Ctrl+Return",), "table", "View", 4, "monitor", tool=True
    ),
    ActionSpec(
        "monitor.export", "Export the samples as CSV…", ("Ctrl+E",), "export", "File", 4, "monitor", tool=True
    ),
    ActionSpec(
        "monitor.picture", "Save as a picture…", ("Ctrl+Shift+E",), "download", "File", 4, "monitor",
        tool=True,
    ),
)  # fmt: skip


class MonitorMode(Mode):
    KEY = "monitor"

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        workspace = wiring.open_workspace(console.workspace)
        self._library = SampleLibrary(workspace.monitor, _cache(console.workspace))
        self._shelf = HistoryRows(lambda: wiring.open_reader(console.workspace))
        self._zooms: list[tuple[float, float]] = []
        self._known = (0.0, 0.0)
        self._fine = True
        self._setting = False
        self.board = ChartBoard(console.theme, MACHINE, columns=_COLUMNS)
        self.strips = [RunStrip(console.theme) for _ in range(_COLUMNS)]  # one under each column of charts
        self.choice = named(choices(SPANS), "Span of time")
        self.choice.setCurrentIndex(1)
        self.live = named(QToolButton(), "Follow what happens now")
        self.live.setCheckable(True)
        self.live.setChecked(True)
        self._reading = WorkerThread(self)
        self._marked: RunBar | None = None
        self._runs = RunReading(lambda: self._shelf.browser(), self._now, self)
        self._exporting = WorkerThread(self)
        self._timer = QTimer(self, interval=_LIVE)
        self._zoomed = QTimer(self, singleShot=True, interval=250)
        self._lay_out()
        self._connect()
        translated(self, self._retranslate)

    # life

    def entered(self) -> None:
        self.show_last(self._chosen())
        self._timer.start()

    def left(self) -> None:
        self._timer.stop()

    def let_go(self) -> None:
        self._timer.stop()
        for work in (self._reading, self._runs, self._exporting):
            work.end()
        self._shelf.close()

    def open(self, target: Target) -> None:
        """``id`` is a span ``first/last`` in seconds since 1970."""
        first, _, last = target.id.partition("/")
        if last:
            self.live.setChecked(False)
            self.show_span(float(first), float(last))

    # layout

    def _lay_out(self) -> None:
        row = hbox(self.choice, self.live, 1, margins=(8, 4, 8, 4))
        under = hbox(*((strip, 1) for strip in self.strips), margins=(4, 0, 4, 4), spacing=2)
        charts = Tall(holder(vbox((self.board, 1), under, margins=0, spacing=0)))
        self._centre = holder(vbox(row, (charts, 1), margins=0, spacing=0))
        self.setCentralWidget(self._centre)

    def _connect(self) -> None:
        self.choice.activated.connect(lambda _: self.show_last(self._chosen()))
        self.live.toggled.connect(lambda on: self.show_last(self._chosen()) if on else None)
        self.board.span_changed.connect(self._spanned)
        for strip in self.strips:
            strip.chosen.connect(lambda run: self.console.navigator.go(Target("instance", str(run))))
            strip.looked_at.connect(self._mark)
            strip.menu_wanted.connect(lambda at: subject_menu(self, self.console.actions).popup(at))
        self._reading.reported.connect(self._show)
        self._reading.ended.connect(self._problem)
        self._runs.came.connect(self._show_runs)
        self._exporting.ended.connect(self._exported)
        self._timer.timeout.connect(self._tick)
        self._zoomed.timeout.connect(self._read_zoomed)
        self.console.actions.add_all(ACTIONS, self, {
            "monitor.back": self.back, "monitor.runs": self.runs_of_interval,
            "monitor.export": self._ask_export, "monitor.picture": self._ask_picture,
        })  # fmt: skip
        self.live.setIcon(self.console.icons.get("live"))

    def _retranslate(self) -> None:
        self.live.setToolTip(tr("Follow what happens now"))
        for strip in self.strips:
            strip.setAccessibleName(tr("Runs"))

    # what is shown

    def _chosen(self) -> float:
        return float(self.choice.currentData())

    def _now(self) -> float:
        return datetime.now(UTC).timestamp()

    def show_last(self, seconds: float) -> None:
        """The last so many seconds."""
        now = self._now()
        self._zooms.clear()
        self.show_span(now - seconds, now)

    def show_span(self, first: float, last: float, *, live: bool = False) -> None:
        """A span of time: read, then shown; ``live``: because time has passed."""
        self._known, self._fine = (first, last), last - first <= _FINE
        self._setting = True
        self.board.show_span(first, last)
        self._setting = False
        self._show_strips(first, last)
        self._reading.walk(lambda: self._library.read(first, last))
        self._runs.want(first, last, live=live)

    def _show(self, samples: MonitorSamples) -> None:
        self._setting = True
        self.board.show_samples(samples, gap=GAP if self._fine else BUCKET * 3)
        self.board.show_span(*self._known)
        self._setting = False

    def _problem(self, problem: Exception | None) -> None:
        if problem is not None:
            self.console.navigator.notify(wording(problem), bad=True)

    def _tick(self) -> None:
        if self.live.isChecked() and not self._zooms and not self._reading.busy:
            now = self._now()
            self.show_span(now - self._chosen(), now, live=True)

    # zooming

    def _spanned(self, first: float, last: float) -> None:
        self._show_strips(first, last)
        if self._setting:
            return
        if not self._zooms:
            self._zooms.append(self._known)
        self._zoomed.start()

    def _show_strips(self, first: float, last: float) -> None:
        for strip in self.strips:
            strip.show_span(first, last)

    def _read_zoomed(self) -> None:
        """Finer samples, once the zooming has come to rest."""
        first, last = self.board.span()
        if not self._fine and last - first <= _FINE:
            self._zooms.append(self._known)
            self.show_span(first, last)

    def back(self) -> None:
        """The span before the last zoom."""
        if self._zooms:
            self.show_span(*self._zooms.pop())

    # runs

    def subject(self) -> Subject | None:
        """The run that is marked in the strip."""
        bar = self._marked
        return Subject(bar.task, bar.instance, None, bar.status) if bar is not None else None

    def _mark(self, bar: RunBar | None) -> None:
        """The same run in both strips."""
        if bar == self._marked:
            return
        self._marked = bar
        for strip in self.strips:
            strip.mark(bar)
        self.subject_changed.emit()

    def _show_runs(self, lanes: Lanes) -> None:
        now = self._now()
        for strip in self.strips:
            strip.show_lanes(lanes, now)

    def runs_of_interval(self) -> None:
        first, last = self.board.span()
        self.console.navigator.go(Target("history", detail=f"{first:.0f}/{last:.0f}"))

    # files

    def _ask_export(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(self, tr("Export the samples as CSV…"), "samples.csv")
        if chosen:
            self.export(Path(chosen))

    def export(self, path: Path) -> None:
        """Write the samples of the span that is shown, as they were taken."""
        first, last = self.board.span()
        self._exporting.walk(lambda: self._library.export(first, last, path))

    def _exported(self, problem: Exception | None) -> None:
        text = wording(problem) if problem else tr("The samples are exported.")
        self.console.navigator.notify(text, bad=problem is not None)

    def _ask_picture(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(self, tr("Save as a picture…"), "monitor.png")
        if chosen:
            self.picture(Path(chosen))

    def picture(self, path: Path) -> bool:
        """Save what is shown as an image."""
        saved = self._centre.grab().save(str(path))
        text = tr("The picture is saved.") if saved else tr("The picture could not be saved.")
        self.console.navigator.notify(text, bad=not saved)
        return saved


def _cache(workspace: Path) -> Path:
    """Where summaries of this workspace's days are kept."""
    base = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericCacheLocation)
    return Path(base) / "skerry" / "monitor" / str(workspace.resolve()).strip("/").replace("/", "%")
