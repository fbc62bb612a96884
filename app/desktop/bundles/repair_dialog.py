"""At the desk: change definitions and values of a case, try them without the site, sign them as a fix."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PySide6.QtWidgets import QFileDialog, QLineEdit, QPlainTextEdit, QSpinBox, QWidget

from app import wiring
from app.desktop.bundles.bundle_dialog import WorkDialog, add_row, counts, keys_at, recipients
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.reasons import failure_line, in_words
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.worker_thread import Cancelled, Report
from app.desktop.widgets.layouts import resize_within_screen, vbox
from app.desktop.widgets.pane_widgets import choices, code_box, form, holder, named, plain, tabs, tree, worded
from engine.definitions.reader import SourceFile, read
from engine.definitions.writer import dump
from engine.model.codes.commands import WRONG_USE
from engine.model.errors import Invalid
from engine.runtime.clock import SystemClock
from engine.runtime.interventions.typed_values import value_like
from export_import.desk.evidence import Evidence
from export_import.desk.stand_in_choices import Choices
from export_import.desk.standin import Trial, TriedJob, try_out
from export_import.fix.building import FixSource, Repair, kept_parameters, make_fix, write_fix
from export_import.fix.fix_content import RerunPlan

_MODES = {"failed": "What failed", "all": "Everything", "none": "Nothing"}
_OTHERS = {
    "unknown": "Jobs that differ from the record are shown as unknown",
    "run": "Jobs that differ from the record really run on this machine",
}
_SECTIONS = ("tasks", "jobs", "resources", "errors", "rules")


@dataclass(frozen=True, slots=True)
class RepairChange:
    """What is changed: the tree of definitions that differ from the record, and values by path."""

    definitions: Mapping[str, Any]
    values: Mapping[str, Any]


class RepairDialog(WorkDialog):
    """``root`` is the desk's own workspace (its keys sign), ``case`` the folder of the case."""

    def __init__(
        self, console: Console, root: Path, case: Path, instance: int, parent: QWidget | None = None,
        *, site: str | None = None,
    ) -> None:  # fmt: skip
        """``site``: the fingerprint of who sent the case; the fix is for it where its key is trusted."""
        super().__init__(console, parent)
        self._root, self._case, self._instance = root, case, instance
        self._clock = SystemClock()
        self._recorded: Mapping[str, Any] = {}
        self.definitions = named(code_box(console.theme, read_only=False), "Definitions")
        self.values = named(QPlainTextEdit(), "Values")
        self.others = choices(_OTHERS)
        self.outcome = plain()
        self.jobs = tree("Jobs of the trial", ("Job", "Status", "How", "Why"), widths=(160, 110, 130, 360))
        self.title = QLineEdit()
        self.letter = QPlainTextEdit()
        self.again = choices(_MODES)
        self.recipient = recipients(root)
        self.recipient.setCurrentIndex(max(0, self.recipient.findData(site)))
        self.days = QSpinBox()
        self.days.setRange(1, 3650)
        self.days.setValue(30)
        self.written: Path | None = None
        self.try_button = self.add_action("&Try it", self.try_out)
        self.build_button = self.add_action("&Make the fix…", self._ask_target)
        self._fill()
        translated(self, self._retranslate)
        self.begin(self._read, self._show_definitions)

    # layout

    def _fill(self) -> None:
        resize_within_screen(self, 900, 680)
        ran = worded(plain(), "The definitions as they ran. What you change here goes into the fix.")
        change = worded(plain(), "Values to change, one a line: $.TASK.PARAMS['limit'] = 30")
        changes = vbox(ran, (self.definitions, 3), change, (self.values, 1), margins=8, spacing=6)
        trial = vbox(self.others, self.outcome, (self.jobs, 1), margins=8, spacing=6)
        fix = QWidget()
        fix.setLayout(form(
            ("Title", self.title), ("Letter", self.letter), ("Run again", self.again),
            ("For", self.recipient), ("Good for days", self.days),
        ))  # fmt: skip
        self.tabs = tabs("Fix", {"Change": holder(changes), "Try": holder(trial), "Fix": fix})
        self.body.addWidget(self.tabs)

    def _retranslate(self) -> None:
        self.setWindowTitle(tr("Try a change, make a fix: run #{n}", n=self._instance))
        self.letter.setPlaceholderText(tr("What happened, and what this fix does, in plain words"))

    # what is changed

    def _read(self, report: Report, cancelled: Cancelled) -> Mapping[str, Any]:
        with Evidence.open(self._case) as evidence:
            return evidence.definitions(self._instance)

    def _show_definitions(self, tree: Mapping[str, Any]) -> None:
        self._recorded = tree
        self.definitions.setPlainText(dump(dict(tree)))

    def _change(self, evidence: Any, text: str, values: str) -> RepairChange:
        """Invalid, with the place, when it cannot be read."""
        types = wiring.installed_types()
        reading = read([SourceFile(tr("definitions"), text.encode())], types.job_types, types.resource_types)
        valid = reading.valid()
        timeline = evidence.timeline(self._instance)
        tree = timeline.at(timeline.last).tree
        pairs = [_assignment(line) for line in values.splitlines() if line.strip()]
        return RepairChange(
            _differing(valid.raw, self._recorded),
            {path: value_like(tree, path, value) for path, value in pairs},
        )

    # trying

    def try_out(self) -> None:
        """A stand-in run with the change."""
        self.tabs.setCurrentIndex(1)
        self.outcome.clear()
        self.jobs.clear()
        text, values = self.definitions.toPlainText(), self.values.toPlainText()
        choices = Choices({}, frozenset(), self.others.currentData())

        def work(report: Report, cancelled: Cancelled) -> Any:
            with ExitStack() as stack:
                evidence = stack.enter_context(Evidence.open(self._case))
                change = self._change(evidence, text, values)
                trial = Trial(self._instance, change.definitions or None, change.values, choices)
                root = Path(stack.enter_context(TemporaryDirectory(prefix="skerry-trial-"))) / "workspace"
                return try_out(evidence, wiring.installed_types(), trial, root, counts(report))

        self.begin(work, self._show_trial)

    def _show_trial(self, tried: Any) -> None:
        here, there = (tr(look_of(each).word) for each in (tried.status, tried.recorded_status))
        lines = [tr("{here} here, {there} at the site", here=here, there=there)]
        if tried.has_times:
            lines.append(
                tr("No schedule fires here and nothing is waited for: what others gave is as recorded.")
            )
        if tried.first is not None:
            first = tried.first
            payload = {"path": first.path, "old": first.recorded, "new": first.now}
            lines.append(tr("First divergence: {path}: {old} → {new}", **payload))
        self.outcome.setText("\n".join(lines))
        self.jobs.clear()
        for job in tried.jobs:
            how = tr((job.how or "").replace("_", " "))
            add_row(self.jobs, job.node, tr(look_of(job.status).word), how, _why(job))
        self.said.clear()

    # making the fix

    def _ask_target(self) -> None:
        self.tabs.setCurrentIndex(2)
        if not self.title.text().strip():
            self.said.setText(tr("Give the fix a title: what it repairs, in one line."))
            self.title.setFocus()
            return
        name = f"fix-{self._instance}.skerry"
        chosen, _ = QFileDialog.getSaveFileName(self, tr("Write the fix to"), name)
        if chosen:
            self.build(Path(chosen))

    def build(self, target: Path) -> None:
        """Write the signed fix."""
        text, values = self.definitions.toPlainText(), self.values.toPlainText()
        title, letter = self.title.text().strip(), self.letter.toPlainText()
        mode, days = str(self.again.currentData()), timedelta(days=self.days.value())
        keys = keys_at(self._root)
        to = [keys.recipient_for(key)] if (key := str(self.recipient.currentData() or "")) else []

        def work(report: Report, cancelled: Cancelled) -> Any:
            with Evidence.open(self._case) as evidence:
                change = self._change(evidence, text, values)
                rerun = None if mode == "none" else RerunPlan(mode, current=bool(change.definitions))
                repair = Repair(
                    title, letter, self._instance, change.definitions, change.values, title, rerun, days
                )
                source = FixSource.of(self._case)
                made = make_fix(evidence, source, repair, self._clock, wiring.installed_types())
                kept = kept_parameters(evidence, repair)
            return write_fix(made, target, keys, self._clock, to), kept

        self.begin(work, self._show_written)

    def _show_written(self, written: tuple[Path, tuple[Any, ...]]) -> None:
        self.written, kept = written
        lines = [tr("The fix is written and signed: {path}", path=self.written)]
        lines += [
            tr("Mind: what runs again goes on with {path} = {value}, unless a value is given for it.",
               path=each.path, value=each.value)
            for each in kept
        ]  # fmt: skip
        self.said.setText("\n".join(lines))


def _why(job: TriedJob) -> str:
    """Why a job of a trial did what it did; what only its program said stays as it is."""
    if job.how == "unknown" and job.why is not None:
        return in_words(job.why)
    return failure_line(job.error_code, job.error_message) or in_words(job.reason or job.why)


def _assignment(line: str) -> tuple[str, str]:
    path, found, value = line.partition("=")
    if not found:
        raise Invalid(WRONG_USE, tr("{line} is not PATH = VALUE", line=line))
    return path.strip(), value.strip()


def _differing(now: Mapping[str, Any], recorded: Mapping[str, Any]) -> dict[str, Any]:
    """What was changed or added, by section; the rest stays the site's."""
    found: dict[str, Any] = {}
    for section in _SECTIONS:
        new, old = now.get(section), recorded.get(section)
        if isinstance(new, Mapping) and isinstance(old, Mapping | None):
            changed: Any = {key: value for key, value in new.items() if (old or {}).get(key) != value}
        else:
            changed = new if new != old else None
        if changed:
            found[section] = changed
    return {"skerry": now.get("skerry", 1), **found} if found else {}
