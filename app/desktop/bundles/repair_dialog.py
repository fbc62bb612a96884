"""At the desk: change a case's own copy of its task and values, try it without the site, sign it as a fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app import wiring
from app.desktop.bundles.bundle_dialog import WorkDialog, counts, keys_at
from app.desktop.bundles.case_document import CaseDocument, differing
from app.desktop.bundles.case_reading import CaseFacts, read_case, really_runs, suggested_title
from app.desktop.bundles.fix_editor import FixEditor
from app.desktop.bundles.fix_page import FixPage
from app.desktop.bundles.given_results import result_kinds
from app.desktop.bundles.trial_pane import TrialPane
from app.desktop.kernel.actions import Actions
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.visible_text import visible
from app.desktop.kernel.worker_thread import Cancelled, Report
from app.desktop.run.values_table import ValuesTable
from app.desktop.widgets.layouts import resize_within_screen
from app.desktop.widgets.pane_widgets import tabs
from app.desktop.widgets.questions import confirm
from engine.definitions.reader import SourceFile, read
from engine.definitions.writer import dump
from engine.model.quantities import Kind
from engine.runtime.clock import SystemClock
from engine.runtime.interventions.typed_values import value_like
from export_import.desk.evidence import Evidence
from export_import.desk.standin import Trial, try_out
from export_import.fix.building import FixSource, Repair, kept_parameters, make_fix, write_fix
from export_import.fix.fix_content import RerunPlan

_CHANGE, _VALUES, _TRY, _FIX = range(4)  # the pages
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


@dataclass(frozen=True, slots=True)
class RepairChange:
    """What is changed: the tree of definitions that differ from the record, and values by path."""

    definitions: Mapping[str, Any]
    values: Mapping[str, Any]


class RepairDialog(WorkDialog):
    """``root`` is the desk's own workspace (its keys sign), ``case`` the folder of the case."""

    def __init__(
        self, console: Console, root: Path, case: Path, instance: int, parent: QWidget | None = None,
        *, site: str | None = None, node: str | None = None,
    ) -> None:  # fmt: skip
        """``site``: the fingerprint of who sent the case; the fix is for it where its key is trusted.

        ``node``: where to begin; None: at the job that failed.
        """
        super().__init__(replace(console, actions=Actions(console.icons), navigator=self), parent)
        self._root, self._case, self._instance, self._node = root, case, instance, node
        self._clock = SystemClock()
        self.document: CaseDocument | None = None
        self._texts: dict[str, str] = {}  # the values that were changed, by path
        self.editor = FixEditor(self.console)
        self.values = ValuesTable()
        self.trial = TrialPane(self.try_out, self._results_of)
        self.fix = FixPage(self.console, root, instance, site)
        self.written: Path | None = None
        self.try_button = self.add_action("&Try it", self.try_out)
        self.build_button = self.add_action("&Make the fix…", self._go_on)
        self._lay_out_pages()
        translated(self, self._retranslate)
        self.begin(lambda *_: read_case(case, instance), self._show_case)

    def _lay_out_pages(self) -> None:
        resize_within_screen(self, 1320, 820)
        pages = {"Change": self.editor, "Values": self.values, "Try": self.trial, "Fix": self.fix}
        self.tabs = tabs("Fix", pages)
        self.body.addWidget(self.tabs)
        self.tabs.currentChanged.connect(lambda _: self._retranslate())
        self.values.edited.connect(self._edited)
        self.try_button.setAutoDefault(False)  # Enter belongs to the canvas and the fields

    def _retranslate(self) -> None:
        self.setWindowTitle(tr("Try a change, make a fix: run #{n}", n=self._instance))
        last = self.tabs.currentIndex() == _FIX
        self.build_button.setAutoDefault(last)
        self.build_button.setDefault(last)
        self.build_button.setText(tr("&Write the fix") if last else tr("&Make the fix…"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter writes the fix where that is what is in front; elsewhere it is for what has the keyboard."""
        if event.key() not in _ENTER:
            super().keyPressEvent(event)
        elif self.tabs.currentIndex() == _FIX and self.build_button.isEnabled():
            self._go_on()

    # the navigator of its parts

    def go(self, target: Target) -> None:
        """What leads elsewhere is only possible at the site."""
        self.notify(tr("This can only be done at the site."))

    def notify(self, text: str, *, bad: bool = False, target: Target | None = None) -> None:
        self.said.setText(visible(text))

    # what is changed

    def _show_case(self, facts: CaseFacts) -> None:
        self.document = CaseDocument(self.console, facts.task, facts.definitions)
        self.document.changed.connect(self.said.clear)
        self.editor.show_document(self.document, self._node or facts.failed)
        self.values.show_values(facts.values, facts.read, {})

    def _edited(self, path: str, text: object) -> None:
        self._texts.pop(path, None)
        if text is not None:
            self._texts[path] = str(text)

    @property
    def changed(self) -> bool:
        """Whether there is anything that would be lost."""
        return bool(self._texts) or (self.document is not None and self.document.unsaved)

    def reject(self) -> None:
        title, text = tr("Close"), tr("What was changed here is in no fix yet, and is lost.")
        if self.written is None and self.changed and not confirm(self, title, text, tr("Throw it away")):
            return
        super().reject()

    # trying

    def try_out(self) -> None:
        """A stand-in run with the change; what would really run here is asked first."""
        self.editor.text.settle(self._try)

    def _try(self) -> None:
        running = self.trial.running
        if self.document is None or (running and not self._may_run(self.document, running)):
            return
        self.tabs.setCurrentIndex(_TRY)
        self.trial.clear()
        tree, texts, choices = self.document.tree, dict(self._texts), self.trial.choices()

        def work(report: Report, cancelled: Cancelled) -> Any:
            with ExitStack() as stack:
                evidence = stack.enter_context(Evidence.open(self._case))
                change = self._change(evidence, tree, texts)
                trial = Trial(self._instance, change.definitions or None, change.values, choices)
                root = Path(stack.enter_context(TemporaryDirectory(prefix="skerry-trial-"))) / "workspace"
                return try_out(evidence, wiring.installed_types(), trial, root, counts(report))

        self.begin(work, self.trial.show_trial)

    def _results_of(self, node: str) -> dict[str, Kind | None]:
        document = self.document
        if document is None:
            return {}
        return result_kinds(document.tree, document.task_id, node, self.console.job_types)

    def _may_run(self, document: CaseDocument, nodes: Sequence[str]) -> bool:
        """Ask before programs of the site run on this machine."""
        chinese = self.console.language.current.startswith("zh")
        lines = (really_runs(document, node, self.console.job_types, chinese) for node in nodes)
        head = tr("These jobs really run on this machine, with all their stages and what they change:")
        text = "\n".join([head, "", *map(visible, lines)])
        return confirm(self, tr("Run it here"), text, tr("Run them here"))

    def _change(self, evidence: Any, tree: Mapping[str, Any], texts: Mapping[str, str]) -> RepairChange:
        """Invalid, with the place, when it cannot be read."""
        types = wiring.installed_types()
        source = SourceFile(tr("definitions"), dump(dict(tree)).encode("utf-8", "surrogateescape"))
        valid = read([source], types.job_types, types.resource_types).valid()
        timeline = evidence.timeline(self._instance)
        context = timeline.at(timeline.last).tree
        return RepairChange(
            differing(valid.raw, evidence.definitions(self._instance)),
            {path: value_like(context, path, text) for path, text in texts.items()},
        )

    # making the fix

    def _go_on(self) -> None:
        """First to what the fix is called, then it is written."""
        if self.tabs.currentIndex() != _FIX:
            self.editor.text.settle(self._show_fix)
        elif not self.fix.title.text().strip():
            self.said.setText(tr("Give the fix a title: what it repairs, in one line."))
            self.fix.title.setFocus()
        else:
            self.build(Path(self.fix.target.text()))

    def _show_fix(self) -> None:
        if self.document is not None:
            self.tabs.setCurrentIndex(_FIX)
            self.fix.open(suggested_title(self.document.changes(), self.document.recorded, self._texts))

    def build(self, target: Path) -> None:
        """Write the signed fix."""
        if self.document is None:
            return
        tree, texts, fix = self.document.tree, dict(self._texts), self.fix
        title, letter, good_for = fix.title.text().strip(), fix.letter.toPlainText(), fix.good_for
        mode, why = str(fix.again.currentData()), self.values.why.text().strip()
        keys = keys_at(self._root)
        to = [keys.recipient_for(key)] if (key := str(fix.recipient.currentData() or "")) else []

        def work(report: Report, cancelled: Cancelled) -> Any:
            with Evidence.open(self._case) as evidence:
                change = self._change(evidence, tree, texts)
                rerun = None if mode == "none" else RerunPlan(mode, current=bool(change.definitions))
                repair = Repair(
                    title, letter, self._instance, change.definitions, change.values, why or title, rerun,
                    good_for,
                )  # fmt: skip
                source = FixSource.of(self._case)
                made = make_fix(evidence, source, repair, self._clock, wiring.installed_types())
                kept = kept_parameters(evidence, repair)
            target.parent.mkdir(parents=True, exist_ok=True)
            return write_fix(made, target, keys, self._clock, to), kept

        self.begin(work, self._show_written)

    def _show_written(self, written: tuple[Path, tuple[Any, ...]]) -> None:
        self.written, kept = written
        self.fix.keep_place(self.written)
        lines = [tr("The fix is written and signed: {path}", path=self.written)]
        lines += [
            tr("Mind: what runs again goes on with {path} = {value}, unless a value is given for it.",
               path=each.path, value=each.value)
            for each in kept
        ]  # fmt: skip
        self.said.setText("\n".join(lines))
