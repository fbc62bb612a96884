"""Trying one node alone with sample inputs: a real run of a task that has only this node."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtWidgets import QPlainTextEdit, QTableWidget, QWidget

from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.forms.one_node import TrialInput, trial_of
from app.desktop.design.forms.plain_text import plain_label, show_pairs
from app.desktop.design.forms.value_form import ValueForm, asked_for
from app.desktop.design.picker.binding_labels import label_of
from app.desktop.design.picker.bindings import PathBinding, read_binding
from app.desktop.design.picker.samples import Sample
from app.desktop.kernel.console import Target
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.reasons import error_line, failure_line
from app.desktop.kernel.statuses import look_of
from app.desktop.widgets.empty_words import EmptyWords
from app.desktop.widgets.layouts import hbox, resize_within_screen, split, vbox
from app.desktop.widgets.pane_widgets import named, worded
from app.desktop.widgets.reading_order import ReadingDialog
from app.desktop.widgets.roomy_buttons import PushButton
from engine.api.documents import RunDocument, RunRequest
from engine.api.service import Service
from engine.definitions.params import holds_expression
from engine.definitions.writer import dump
from engine.model.errors import SkerryError
from engine.model.job import ParamSpec
from engine.model.message import message_in
from engine.model.states import InstanceState

_TAIL = 64 * 1024  # bytes of a log that are shown


class TryNode(ReadingDialog):
    """Inputs, filled with what they were in the latest run; beside them status, results and log."""

    def __init__(self, context: FormContext, node: str, member: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._node = context, node
        context.tie(self)
        self.trial = trial_of(context.scope(), node, member)
        self.instance: int | None = None
        self._said: Callable[[], str] = lambda: tr("Not run yet.")
        resize_within_screen(self, 860, 560)
        asked = [asked_for(each.name, _spec(each), self._label(each)) for each in self.trial.inputs]
        self.form = ValueForm(context, asked, self)
        self._build()
        translated(self, self._word)
        context.console.link.changed.connect(self._happened)
        self._ask_samples()

    def start(self) -> None:
        if not self.form.fits:
            self.form.show_problems()
            return
        request = RunRequest(
            self.trial.task, [{"name": "trial.yaml", "text": dump(self.trial.tree)}], self.form.values()
        )
        self.run.setEnabled(False)
        self._say(lambda: tr("Starting…"))
        self._context.console.link.ask(
            lambda service: service.run(request), self._started, owner=self, failed=self._failed
        )

    def _build(self) -> None:
        left, right = QWidget(self), QWidget(self)
        self.run = PushButton(self._context.console.icons.get("run"), "", left)
        self.run.clicked.connect(self.start)
        worded(self.run, "Run it")
        vbox(worded(plain_label("", left), self._intro()), (self.form, 1), self.run, inside=left)
        self.status = plain_label("", right)
        self.results = QTableWidget(0, 2, right)
        self.results.horizontalHeader().setStretchLastSection(True)
        self.results.verticalHeader().hide()
        EmptyWords(named(self.results, "Results"), "No results.")
        self.log = QPlainTextEdit(right)
        self.log.setReadOnly(True)
        self.log.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        named(self.log, "Log", "What it writes")
        self.opens = worded(PushButton(right), "Show the run")
        self.opens.setEnabled(False)
        self.opens.clicked.connect(self._open)
        line = hbox((self.status, 1), self.opens)
        vbox(line, (self.results, 1), (self.log, 2), inside=right)
        vbox(split(left, right, sizes=(380, 480)), inside=self)

    def _word(self) -> None:
        self.setWindowTitle(tr("Try {node} alone", node=self._node))
        self.results.setHorizontalHeaderLabels([tr("Result"), tr("Value")])
        self.status.setText(self._said())

    def _intro(self) -> str:
        if not self.trial.inputs:
            return "This node needs nothing from elsewhere."
        return "It really runs, but alone. What it would take from other nodes is given here:"

    def _label(self, given: TrialInput) -> str:
        binding = read_binding(given.expression)
        if given.param or not binding:
            return f"{given.label} ({label_of(self._context, binding)})" if binding else given.label
        return label_of(self._context, PathBinding(given.expression))

    def _ask_samples(self) -> None:
        for each in self.trial.inputs:
            if holds_expression(each.expression):
                self._context.sample(each.expression, self._filler(each.name), self)
            elif each.expression is not None:
                self.form.fill({each.name: each.expression})

    def _filler(self, name: str) -> Any:
        def fill(sample: Sample | None) -> None:
            if sample is not None and not sample.error and sample.value is not None:
                self.form.fill({name: sample.value})

        return fill

    def _started(self, instance: int) -> None:
        self.instance = instance
        self.opens.setEnabled(True)
        self._look()

    def _failed(self, error: SkerryError) -> None:
        self.run.setEnabled(True)
        self._say(lambda: f"{error.code}  {error_line(error)}", bad=True)

    def _happened(self, events: Sequence[Mapping[str, Any]]) -> None:
        if any(each.get("instance") == self.instance or each.get("kind") == "resync" for each in events):
            self._look()

    def _look(self) -> None:
        instance = self.instance
        if instance is not None:
            self._context.console.link.ask(
                lambda service: (service.instance(instance), log_tail(service, instance)), self._shown,
                owner=self, failed=self._failed,
            )  # fmt: skip

    def _shown(self, found: tuple[RunDocument, str]) -> None:
        document, log = found
        bad = document["status"] in ("failed", "timed_out", "lost", "cancelled")
        self._say(lambda: run_words(document), bad=bad)
        self.run.setEnabled(InstanceState(document["status"]).ended)
        self.log.setPlainText(log)
        results = [pair for job in document["jobs"] for pair in job["results"].items()]
        show_pairs(self.results, results, 500)

    def _say(self, words: Callable[[], str], *, bad: bool = False) -> None:
        self._said = words
        self.status.setText(words())
        colours = self._context.console.theme.colours
        self.status.setStyleSheet(f"color: {colours.danger if bad else colours.text}")

    def _open(self) -> None:
        self._context.console.navigator.go(Target("instance", str(self.instance), node=self._node))


def run_words(document: RunDocument) -> str:
    """How a run is doing, and what it failed with."""
    words = [tr(look_of(document["status"]).word)]
    if document["error_code"]:
        message = failure_line(document["error_code"], message_in(document))
        words.append(f"{document['error_code']}  {message}")
    return tr("Run #{n}: {words}", n=document["instance"], words="  ".join(words))


def log_tail(service: Service, instance: int) -> str:
    """The ends of the logs of an instance, output before errors; on a worker thread."""
    parts = []
    for each in service.logs(instance):
        for path in (each["path"], each["path"].removesuffix(".log") + "-error.log"):
            parts.append(_tail(path))
    return "".join(parts)


def _tail(path: str) -> str:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            return file.read(_TAIL).decode("utf-8", "replace")
    except OSError:
        return ""


def _spec(given: TrialInput) -> ParamSpec:
    return ParamSpec(kind=given.kind, required=given.required, choices=given.choices or None)
