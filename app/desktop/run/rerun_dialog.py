"""The rerun assistant: what will run is shown before it runs; one Enter starts the usual case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialogButtonBox,
    QPlainTextEdit,
    QRadioButton,
    QTabWidget,
    QWidget,
)

from app.desktop.canvas.view import GraphView
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.link import Request
from app.desktop.kernel.reasons import failure_fact
from app.desktop.kernel.visible_text import visible
from app.desktop.run.rerun_model import (
    PlanAnswer,
    RerunChoice,
    children_of,
    dependants,
    editable,
    readers,
    tainted,
)
from app.desktop.run.rerun_words import followers, others, picture, summary
from app.desktop.run.session import Session
from app.desktop.run.throttle import Throttle
from app.desktop.run.values_table import ValuesTable
from app.desktop.widgets.layouts import hbox, split, vbox
from app.desktop.widgets.pane_widgets import column, fixed_font, named, plain
from app.desktop.widgets.questions import do_or_cancel, open_on
from app.desktop.widgets.reading_order import ReadingDialog
from engine.api.documents import Document
from engine.api.service import Service
from engine.context.timeline import LineCause
from engine.model.errors import SkerryError
from engine.model.expression import format_path
from engine.model.states import RerunMode

_MODES: Sequence[tuple[RerunMode, str]] = (
    ("failed", "What failed, and what could not run because of it"),
    ("from", "From {node} on"),
    ("only", "Only {node}"),
    ("all", "Everything"),
)


class RerunDialog(ReadingDialog):
    """``started`` brings the number of the run that was begun."""

    started = Signal(int)

    def __init__(
        self, console: Console, session: Session, choice: RerunChoice, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        assert session.look is not None
        self._console, self._link, self._look = console, session.link, session.look
        self._feed = session.feed
        self.choice = choice
        self.plan: PlanAnswer | None = None
        self._causes: Sequence[LineCause] = ()
        self._dependants: Sequence[str] | None = None
        self._tree: Mapping[str, Any] = {}
        self._request: Request | None = None
        self._again = Throttle(self._preview, 120, self)
        self.setWindowTitle(tr("Run instance {n} again", n=self._look.run["instance"]))
        around = parent.window().size() if parent is not None else QSize(1280, 800)
        self.resize(min(1400, around.width() - 60), min(860, around.height() - 60))
        self.modes = self._radios()
        self.upstream = QCheckBox(tr("also what it depends on"))
        self.downstream = QCheckBox(tr("also the tasks that depend on this one"))
        self.current = QCheckBox(tr("with the definition as it is now, not as it was captured"))
        self.graph = GraphView(console)
        self.values = ValuesTable()
        self.diff = named(QPlainTextEdit(readOnly=True), "Difference of the definitions")
        self.tasks = plain(tr("Looking for the tasks that depend on this one…"))
        self.summary = plain(bold=True)
        self.forbidden = plain()
        self.tabs = QTabWidget()
        self.buttons, self.start_button = do_or_cancel(self, tr("Start"), self.start)
        self._lay_out()
        self._connect()
        self._show_choice()
        self._read()

    # -- layout --------------------------------------------------------------------------------

    def _radios(self) -> dict[RerunMode, QRadioButton]:
        node = self.choice.nodes[0] if self.choice.nodes else None
        group = QButtonGroup(self)
        made: dict[RerunMode, QRadioButton] = {}
        for mode, text in _MODES:
            made[mode] = QRadioButton(tr(text, node=node or tr("the selected job")))
            made[mode].setEnabled(node is not None or mode in ("failed", "all"))
            group.addButton(made[mode])
        return made

    def _lay_out(self) -> None:
        self.diff.setFont(fixed_font())
        self.buttons.button(QDialogButtonBox.StandardButton.Cancel).setAutoDefault(False)
        what = column(*self.modes.values(), margin=0, spacing=2)
        also = column(self.upstream, self.downstream, self.current, margin=0, spacing=2)
        also.addStretch(1)
        self.tabs.addTab(self.values, tr("Change values"))
        self.tabs.addTab(self.diff, tr("Definition"))
        self.tasks.setMargin(8)
        self.tabs.addTab(self.tasks, tr("Other tasks"))
        both = split(self.graph, self.tabs, sizes=(700, 420), collapsible=False)
        below = self.summary, self.forbidden, self.buttons
        vbox(hbox(what, also, 1, spacing=24), (both, 1), *below, inside=self, margins=12, spacing=8)
        self.start_button.setDefault(True)  # only now: a button without a dialog is nobody's default

    def _connect(self) -> None:
        for mode, radio in self.modes.items():
            radio.toggled.connect(lambda on, mode=mode: self._choose(mode=mode) if on else None)
        self.upstream.toggled.connect(lambda on: self._choose(with_upstream=on))
        self.downstream.toggled.connect(lambda on: self._choose(downstream=on))
        self.current.toggled.connect(lambda on: self._choose(current=on))
        self.values.edited.connect(self._edited)
        self.values.why.textChanged.connect(lambda text: self._choose(reason=text))

    def _show_choice(self) -> None:
        self.modes[self.choice.mode].setChecked(True)
        self.upstream.setEnabled(self.choice.mode == "from")
        self.upstream.setChecked(self.choice.with_upstream)
        self.downstream.setChecked(self.choice.downstream)
        self.current.setChecked(self.choice.current)
        self.start_button.setFocus()

    # -- choosing ------------------------------------------------------------------------------

    def _choose(self, **changes: Any) -> None:
        self.choice = replace(self.choice, **changes)
        self.upstream.setEnabled(self.choice.mode == "from")
        self._again.ask()

    def _edited(self, path: str, text: object) -> None:
        self.choice = self.choice.edited(path, None if text is None else str(text))
        self._again.ask()

    # -- reading -------------------------------------------------------------------------------

    def _read(self) -> None:
        """The context with its log, and the tasks that depend on this one; the preview meanwhile."""
        feed, instance, task = self._feed, self._look.run["instance"], self._look.run["task"]

        def read(service: Service) -> tuple[Mapping[str, Any], Sequence[LineCause]]:
            if feed is not None:
                feed.read()
            return service.context(instance), feed.causes() if feed is not None else ()

        self._link.ask(read, self._know, owner=self, failed=self._refused)
        self._link.ask(
            lambda service: [
                service.definition("task", str(each["id"])) for each in service.definitions("task")
            ],
            lambda tasks: self._know_dependants(dependants(tasks, task)),
            owner=self,
            failed=self._refused,
        )
        self._preview()

    def _know(self, found: tuple[Mapping[str, Any], Sequence[LineCause]]) -> None:
        self._tree, self._causes = found
        self._show_values()
        self._show_plan()

    def _know_dependants(self, names: Sequence[str]) -> None:
        self._dependants = names
        self._show_tasks()

    def _show_tasks(self) -> None:
        if self.choice.downstream and self.plan is not None:
            self.tasks.setText(followers(self.plan))
        elif self._dependants is not None:
            self.tasks.setText(others(self._dependants))

    def _preview(self) -> None:
        if self._request is not None:
            self._request.cancel()
        request = self.choice.request(self._look.run["instance"])
        self._request = self._link.ask(
            lambda service: service.preview(request), self._planned, owner=self, failed=self._refused
        )

    def _planned(self, preview: Document) -> None:
        self.plan = PlanAnswer.of(preview)
        self.forbidden.hide()
        self.start_button.setEnabled(self._link.writable)
        self._show_values()
        self._show_plan()
        self._show_tasks()

    def _refused(self, error: SkerryError) -> None:
        """What forbids it, in words, and what helps."""
        language = self._console.language.current
        text = error.entry.text(language)
        said = failure_fact(error.code, error.message)
        message = f"{text.title}: {said}" if text.title != said else said
        do = error.entry.in_window(language)
        remedy = "\n" + tr("What to do: {words}", words=do) if do else ""
        self._say_wrong(message + remedy)
        self.summary.setText(tr("This cannot be done:"))
        self.start_button.setEnabled(False)

    def _say_wrong(self, text: str) -> None:
        self.forbidden.setText(visible(text))
        self.forbidden.setStyleSheet(f"color: {self._console.theme.colours.danger}")
        self.forbidden.show()

    # -- showing -------------------------------------------------------------------------------

    def _tainted(self) -> frozenset[str]:
        if self.plan is None or not self.choice.edits:
            return frozenset()
        starts = {node for edit in self.choice.edits for node in readers(self._causes, edit.path)}
        return tainted(starts, children_of(self._look.outline.parents), self.plan.verdicts)

    def _show_values(self) -> None:
        run = self.plan.nodes("run") if self.plan is not None else ()
        own = tuple(format_path(("JOB", node)) for node in run)  # how their paths begin
        read = {path for cause in self._causes if cause.path.startswith(own) for path in cause.inputs}
        found = sorted(editable(self._tree, set(run)), key=lambda each: each.path not in read)
        self.values.show_values(found, read, {each.path: each.text for each in self.choice.edits})

    def _show_plan(self) -> None:
        plan = self.plan
        if plan is None:
            return
        edited = self._tainted()
        self.graph.show_graph(picture(self._look, plan, edited), self._look.layout)
        self.summary.setText(summary(plan, edited))
        self.diff.setPlainText(visible("\n".join(plan.diff)) or self._no_diff())

    def _no_diff(self) -> str:
        if self.choice.current:
            return tr("The definition is still the one that was captured.")
        text = (
            "It runs by the definition that was captured with the instance. "
            "Choose the definition as it is now to see how it differs."
        )
        return tr(text)

    # -- doing ---------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin the run; what the engine refuses is shown here, and that changed values lack a reason."""
        if self.choice.edits and not self.choice.reason.strip():
            self._say_wrong(tr("Say why the values are changed: it is kept with them."))
            self.tabs.setCurrentWidget(self.values)
            open_on(self.values.why)
            return
        request = self.choice.request(self._look.run["instance"])
        self.start_button.setEnabled(False)

        def done(runs: Sequence[Document]) -> None:
            self.started.emit(int(runs[0]["run"]))
            self.accept()

        self._link.ask(lambda service: service.rerun([request]), done, owner=self, failed=self._refused)
