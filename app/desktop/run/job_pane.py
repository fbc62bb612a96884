"""The selected job: its state and why, its attempts, what it was given, what it gave, what helps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QSizePolicy, QVBoxLayout, QWidget

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.error_codes import Codes, Explained, all_codes
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.reasons import failure_fact
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.visible_text import visible
from app.desktop.monitor.job_charts import JobCharts
from app.desktop.run import job_tables as tables
from app.desktop.run.context_rows import may_edit
from app.desktop.run.error_box import ErrorBox
from app.desktop.run.handler_links import other_end
from app.desktop.run.reading import AttemptInput, JobLook, RunLook, look_at_job, result_file
from app.desktop.run.remedies import Remedy, definition_of, remedies
from app.desktop.run.session import Session
from app.desktop.run.value_preview import Previewer
from app.desktop.run.where_ran import records_of, worker_meant
from app.desktop.run.why import why_job
from app.desktop.run.why_line import WhyLine
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import (
    StatusLabel,
    Tall,
    button,
    holder,
    line,
    link_button,
    named,
    tabs,
    tree,
)
from app.desktop.widgets.plain_label import PlainLabel
from app.desktop.widgets.question_card import Asked, QuestionCard
from engine.api.documents import JobDocument
from engine.api.trouble_views import node_of
from engine.model.expression import format_path, parse_path
from engine.model.message import message_in

_TABS = 230  # pixels of the tables below at least


class JobPane(QWidget):
    """``acted`` brings the id of an action of the mode, ``gone`` a Target, ``path_wanted`` a context path."""

    acted = Signal(str)
    gone = Signal(object)
    path_wanted = Signal(str)

    def __init__(self, console: Console, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console, self._session = console, session
        self._codes: Codes | None = None
        self._asked_catalogue = False
        self._job: JobDocument | None = None
        self._of_files: JobLook | None = None
        self._asked: object = None
        self._way: Remedy | None = None
        self.title = PlainLabel(bold=True)
        self.status = StatusLabel(console)
        self.why = WhyLine(console)
        self.other_end = link_button(self._go_to_other_end)
        self.card = QuestionCard(console)
        self.card.answered.connect(session.refresh)
        self.doubt = PlainLabel(bold=True)  # a stop that nobody could verify
        self.error = ErrorBox(console)
        self.rounds, self.members = named(QComboBox(), "Round"), named(QComboBox(), "Member of the batch")
        self.records = named(QComboBox(), "Record of a worker")
        for each in (self.rounds, self.members, self.records):
            each.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.details = tree("Details", ("", ""))
        self.details.setHeaderHidden(True)
        self.inputs = tree("Inputs", ("Name", "Value", "From"), empty="No inputs.")
        self.results = tree("Results", ("Name", "Value", "Kind"), empty="No results.")
        columns = ("No.", "Status", "Began", "Took", "Exit", "Error")
        self.attempts = tree("Attempts", columns, stretch=5, empty="No attempts yet.")
        self.charts = JobCharts(console.theme)
        self.previewer = Previewer(console, self)
        self.empty = PlainLabel()
        self._lay_out()
        self._connect()
        translated(self, self.refresh)

    def _lay_out(self) -> None:
        preview = button("Preview", lambda: self._result(self.previewer.show))
        save = button("Save as…", lambda: self._result(self.previewer.save))
        results = vbox(self.results, line(preview, save), margins=0, spacing=6)
        source = line(button("Where it comes from", self._source))
        inputs = vbox(self.inputs, source, margins=0, spacing=6)
        self.tabs = tabs("Job", {
            "Details": self.details, "Inputs": holder(inputs), "Results": holder(results),
            "Attempts": self.attempts, "Charts": self.charts,
        })  # fmt: skip
        self.tabs.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        tables = hbox(self.tabs, margins=0)
        tables.addStrut(_TABS)  # a least height of the widget does not count beside texts that wrap
        body = vbox(
            holder(self._head()), self.why, self.other_end, self.card, self.doubt, self.error, (tables, 1),
            margins=(0, 0, 6, 0), spacing=6,
        )  # fmt: skip
        self._body = Tall(holder(body))  # an error may need more room than there is
        self._below = holder(
            line(
                button("Definition", self._definition, "Where this job is defined"),
                button("All its runs", self._all_runs, "Everything this job ever did"),
            )
        )
        vbox(self.empty, (self._body, 1), self._below, inside=self, margins=8, spacing=6)

    def _head(self) -> QVBoxLayout:
        """What is chosen among has a line of its own: its words are cut beside a long name."""
        name = hbox((self.title, 1), self.status, margins=0, spacing=8)
        return vbox(name, line(self.rounds, self.members, self.records), margins=0, spacing=6)

    def _connect(self) -> None:
        session = self._session
        session.looked.connect(lambda _: self.refresh())
        session.states.connect(self._states)
        session.moment.connect(lambda _: self.refresh())
        session.selection.follow(lambda now, before: self.refresh())
        self._console.link.state_changed.connect(self.refresh)
        self.error.acted.connect(self.acted)
        self.error.gone.connect(self.gone)
        self.why.gone.connect(self.gone)
        self.rounds.activated.connect(lambda _: session.selection.choose(round=self.rounds.currentData()))
        self.members.activated.connect(lambda _: session.selection.choose(index=self.members.currentData()))
        self.records.activated.connect(self._choose_record)
        self.attempts.itemActivated.connect(lambda _, __: self._choose_attempt())
        self.attempts.itemClicked.connect(lambda _, __: self._choose_attempt())
        self.inputs.itemActivated.connect(lambda _, __: self._source())
        self.results.itemActivated.connect(lambda _, __: self._result(self.previewer.show))

    # -- what is shown -------------------------------------------------------------------------

    def _states(self, states: Any) -> None:
        if self._session.selection.now.node in states:
            self.refresh()

    def refresh(self) -> None:
        """Show the selected job in the state that is shown."""
        self._job = self._session.job()
        job, look = self._job, self._session.look
        for widget in (self._body, self._below):
            widget.setVisible(job is not None)
        self.empty.setVisible(job is None)
        if job is None or look is None:
            node = self._session.selection.now.node
            self.empty.setText(
                tr("Choose a job in the graph.") if node is None else tr("This job has not begun.")
            )
            return
        self._ask_catalogue()
        self._show_head(job, look)
        self._show_trouble(job, look)
        self._read_files(job)
        tables.show_details(self.details, job, look, self._console.type_label)
        self._show_tables(job)
        self.charts.show_folder(Path(job["directory"]) if job["directory"] else None)

    def _show_head(self, job: JobDocument, look: RunLook) -> None:
        node = look.keys(job["node"])
        name = str(node.get("name") or "")
        self.title.setText(
            visible(f"{name} ({job['node']})" if name and name != job["node"] else job["node"])
        )
        self.status.show_status(job["status"])
        own = look.jobs_of(job["node"])
        rounds = sorted({each["round"] for each in own})
        _choices(self.rounds, [(tr("Round {n}", n=each), each) for each in rounds], job["round"])
        members = [each for each in own if each["round"] == job["round"] and each["index"] is not None]
        shown = [(f"[{each['index']}] {tr(look_of(each['status']).word)}", each["index"]) for each in members]
        _choices(self.members, shown, job["index"])
        records = records_of(job["node"], look.run["jobs"], job["round"], job["index"])
        places = [
            (f"@{worker_meant(each)} {tr(look_of(each['status']).word)}", each["node"]) for each in records
        ]
        whole = [(tr("All workers"), node_of(job["node"]))] if places else []
        _choices(self.records, [*whole, *places], job["node"])

    def _show_trouble(self, job: JobDocument, look: RunLook) -> None:
        live = None if self._session.replaying else job
        asked = Asked.of_job(look.run["instance"], live)
        self.why.show_why(None if live is None or asked is not None else why_job(live, look))
        self.card.ask(asked, self._console.link.writable)
        self._show_other_end(other_end(job, look))
        doubt = failure_fact(None, message_in(job, "unverified"))
        self.doubt.setText(tr("That nothing of it lives cannot be verified: {why}", why=doubt))
        self.doubt.setVisible(bool(doubt))
        found = self._explained(job["error_code"])
        writable = self._console.link.writable and not self._session.replaying
        wrong = bool(job["error_code"] or job["error_message"])
        message = failure_fact(job["error_code"], message_in(job))
        self.error.explain(found, message, tuple(remedies(job, look)) if wrong else (), writable)

    def _show_other_end(self, way: Remedy | None) -> None:
        self._way = way
        self.other_end.setVisible(way is not None)
        if way is not None:
            self.other_end.setText(visible(tr(way.text, **way.values)))
            self.other_end.setIcon(self._console.icons.get("forward"))

    def _go_to_other_end(self) -> None:
        if self._way is not None:
            self.gone.emit(self._way.target)

    def _show_tables(self, job: JobDocument) -> None:
        files = self._of_files
        same = files is not None and files.job["instance"] == job["instance"]
        given = files.inputs if files is not None and same else ()
        if self._session.replaying or not given:
            known = {each.name: each for each in given}
            given = tuple(_then(known.get(name), name, value) for name, value in job["params"].items())
        tables.show_inputs(self.inputs, given)
        tables.show_results(self.results, job)
        tables.show_attempts(self.attempts, files.attempts if files is not None and same else (), job)

    def _read_files(self, job: JobDocument) -> None:
        """The job's own folder tells of its attempts and of where each input came from."""
        attempt = self._session.selection.now.attempt
        wanted = (job["instance"], job["attempt"], job["status"], attempt)
        if wanted == self._asked or job["instance"] is None:
            return
        self._asked = wanted

        def done(found: JobLook) -> None:
            if self._asked == wanted:
                self._of_files = found
                if self._job is not None:
                    self._show_tables(self._job)

        self._console.link.ask(lambda _: look_at_job(job, attempt), done, owner=self)

    def _ask_catalogue(self) -> None:
        if self._asked_catalogue:
            return
        self._asked_catalogue = True

        def done(found: Codes) -> None:
            self._codes = found
            self.refresh()

        self._console.link.ask(all_codes, done, owner=self)

    def _explained(self, code: int | None) -> Explained | None:
        if code is None:
            return None
        known = self._codes.explain(code, self._console.language.current) if self._codes else None
        return known or Explained(code)

    def editable_inputs(self) -> list[str]:
        """The paths of what its inputs were computed from, as far as people may change them."""
        files, look, job = self._of_files, self._session.look, self._job
        if files is None or look is None or job is None or files.job["instance"] != job["instance"]:
            return []
        found: dict[str, None] = {}
        for each in files.inputs:
            own = format_path(("TASK", "PARAMS", each.name))
            sources = each.sources or ((own,) if each.name in look.run["params"] else ())
            found |= dict.fromkeys(path for path in sources if may_edit(parse_path(path)))
        return list(found)

    # -- what a person does --------------------------------------------------------------------

    def _choose_attempt(self) -> None:
        item = self.attempts.currentItem()
        if item is not None:
            number = item.data(0, Qt.ItemDataRole.UserRole)
            self._session.selection.choose(attempt=number)

    def _choose_record(self, _: int) -> None:
        """Of the same round and member: a record belongs to both."""
        selection = self._session.selection
        now, node = selection.now, self.records.currentData()
        selection.choose(node=node, round=now.round, index=now.index)

    def _source(self) -> None:
        item = self.inputs.currentItem()
        sources = item.data(0, Qt.ItemDataRole.UserRole) if item is not None else ()
        if sources:
            self.path_wanted.emit(sources[0])

    def _result(self, do: Any) -> None:
        item = self.results.currentItem() or self.results.topLevelItem(0)
        if item is None or self._job is None:
            return
        name = str(item.data(0, Qt.ItemDataRole.UserRole))
        value = self._job["results"].get(name)
        do(name, value, result_file(self._job, name, value))

    def _definition(self) -> None:
        if self._job is not None and self._session.look is not None:
            self.gone.emit(definition_of(self._job, self._session.look))

    def _all_runs(self) -> None:
        if self._job is not None:
            self.gone.emit(Target("history", self._job["job"], detail="job"))


def _then(known: AttemptInput | None, name: str, value: Any) -> AttemptInput:
    """An input as it was at a moment; where it came from is known only while its value is the same."""
    return known if known is not None and known.value == value else AttemptInput(name, value)


def _choices(box: QComboBox, choices: Sequence[tuple[str, Any]], chosen: Any) -> None:
    """A box with these; hidden when there is nothing to choose."""
    with QSignalBlocker(box):
        box.clear()
        for text, data in choices:
            box.addItem(text, data)
        box.setCurrentIndex(next((at for at, (_, data) in enumerate(choices) if data == chosen), 0))
    box.setVisible(len(choices) > 1)
