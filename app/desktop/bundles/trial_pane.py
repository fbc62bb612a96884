"""A change tried without its site: how jobs ended, and what to take for those that are not known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtWidgets import QComboBox, QWidget

from app.desktop.bundles.bundle_dialog import add_row
from app.desktop.bundles.given_results import GivenResults, Results
from app.desktop.kernel.language import tr, translated, trn
from app.desktop.kernel.reasons import failure_line, in_words
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.visible_text import visible
from app.desktop.run.context_rows import brief
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import button, choices, plain, tree
from engine.model.names import is_handler
from engine.model.quantities import Kind
from export_import.desk.stand_in_choices import Choices, ChosenOutcome
from export_import.desk.standin import Tried, TriedJob

_COLUMNS = ("Job", "Status", "How", "Why", "Take for it")
_TAKE = 4  # the last of them
_KINDS = {
    "unknown": "not known",
    "recorded": "as it was recorded",
    "succeeded": "it succeeds",
    "failed": "it fails",
    "run": "it really runs here",
}


class TrialPane(QWidget):
    """Shows a ``Tried``; what a person takes for its jobs stays for the next trial."""

    def __init__(
        self,
        try_again: Callable[[], object],
        results_of: Callable[[str], Mapping[str, Kind | None]],
        parent: QWidget | None = None,
    ) -> None:
        """``results_of`` gives the names and kinds of what a node's job leaves."""
        super().__init__(parent)
        self._try_again, self._results_of = try_again, results_of
        self._taken: dict[str, str] = {}  # by node, a key of _KINDS
        self._given: dict[str, Results] = {}  # by node, of those that are taken to succeed
        self._tried: Tried | None = None
        self.outcome = plain()
        before = "Try it shows what each job would do."
        self.jobs = tree("Jobs of the trial", _COLUMNS, widths=(130, 90, 90, 250), empty=before)
        self.boxes: dict[str, QComboBox] = {}  # by node
        self.run_here = button("&Run here what is not known…", self._run_here)
        self.run_here.setAutoDefault(False)
        vbox(
            self.outcome, (self.jobs, 1), hbox(self.run_here, 1, margins=0), inside=self, margins=8, spacing=6
        )
        translated(self, self._word)

    @property
    def running(self) -> tuple[str, ...]:
        """The nodes that are to run on this machine."""
        return tuple(node for node, kind in self._taken.items() if kind == "run")

    def choices(self) -> Choices:
        """What was taken for the jobs."""
        kinds = self._taken.items()
        by_hand = {
            node: ChosenOutcome("succeeded", self._given.get(node, {}))
            if kind == "succeeded"
            else ChosenOutcome("failed")
            for node, kind in kinds
            if kind in ("succeeded", "failed")
        }
        recorded = frozenset(node for node, kind in kinds if kind == "recorded")
        return Choices(by_hand, frozenset(self.running), recorded=recorded)

    def take(self, node: str, kind: str) -> None:
        """Take something else for a node in the next trial; ``kind``: unknown, recorded, succeeded …"""
        if kind == "unknown":
            self._taken.pop(node, None)
        else:
            self._taken[node] = kind

    def _choose(self, node: str, box: QComboBox) -> None:
        """What was chosen for a node; where it succeeds, what it gives is asked, and the trial goes on."""
        kind = str(box.currentData())
        kinds = self._results_of(node) if kind == "succeeded" else {}
        if not kinds:
            return self.take(node, kind)
        asked = GivenResults(node, kinds, self._given.get(node, {}), self)
        if not asked.wanted:
            box.setCurrentIndex(box.findData(self._taken.get(node, "unknown")))
            return None
        self._given[node] = asked.results
        self.take(node, kind)
        self._try_again()
        return None

    def _run_here(self) -> None:
        """Take for all that is not known, and for what waits for it, that it runs here; then try again."""
        for node in self._open_nodes():
            self._taken[node] = "run"
        self._try_again()

    def _open_nodes(self) -> list[str]:
        """What is not known, and what was not reached because of it."""
        jobs = self._tried.jobs if self._tried else ()
        if not any(job.how == "unknown" for job in jobs):
            return []
        found = [job.node for job in jobs if job.how == "unknown" or job.status == "skipped"]
        return [node for node in dict.fromkeys(found) if not is_handler(node)]

    def clear(self) -> None:
        """Forget the last trial, not what was taken."""
        self._tried = None
        self._word()

    def show_trial(self, tried: Tried) -> None:
        self._tried = tried
        self._word()

    def _word(self) -> None:
        self.outcome.clear()
        self.jobs.clear()
        self.boxes = {}
        self.run_here.setVisible(bool(self._open_nodes()))
        if self._tried is None:
            self.outcome.setText(tr("Nothing was tried yet: no program of the site runs in a trial."))
            return
        self.outcome.setText("\n".join(_facts(self._tried)))
        for job in self._tried.jobs:
            self._add(job)

    def _add(self, job: TriedJob) -> None:
        how = tr((job.how or "").replace("_", " "))
        item = add_row(self.jobs, job.node, tr(look_of(job.status).word), how, self._because(job), "")
        open_ = job.how == "unknown" or job.node in self._taken
        if open_ and not is_handler(job.node) and job.node not in self.boxes:
            self.boxes[job.node] = self._box(job.node)
            self.jobs.setItemWidget(item, _TAKE, self.boxes[job.node])

    def _because(self, job: TriedJob) -> str:
        """Why it did what it did, or what it was taken to give."""
        given = self._given.get(job.node, {}) if job.how == "by_hand" and job.status == "succeeded" else {}
        return visible(", ".join(f"{name} = {brief(value)}" for name, value in given.items())) or _why(job)

    def _box(self, node: str) -> QComboBox:
        box = choices(_KINDS)
        box.setCurrentIndex(box.findData(self._taken.get(node, "unknown")))
        box.setAccessibleName(tr("Take for {node}", node=node))
        box.activated.connect(lambda _: self._choose(node, box))
        return box


def _facts(tried: Tried) -> list[str]:
    here, there = (tr(look_of(each).word) for each in (tried.status, tried.recorded_status))
    lines = [tr("{here} here, {there} at the site", here=here, there=there)]
    if tried.has_times:
        lines.append(tr("No schedule fires here and nothing is waited for: what others gave is as recorded."))
    if (first := tried.first) is not None:
        payload: Mapping[str, Any] = {"path": first.path, "old": first.recorded, "new": first.now}
        lines.append(tr("First divergence: {path}: {old} → {new}", **payload))
    if n := len({job.node for job in tried.jobs if job.how == "unknown"}):
        lines.append(
            trn(
                n,
                "{n} job is not known: say in the last column what to take for it, and try again.",
                "{n} jobs are not known: say in the last column what to take for them, and try again.",
            )
        )
    return lines


def _why(job: TriedJob) -> str:
    """Why a job of a trial did what it did; what only its program said stays as it is."""
    if job.how == "unknown" and job.why is not None:
        return in_words(job.why)
    return failure_line(job.error_code, job.error_message) or in_words(job.reason or job.why)
