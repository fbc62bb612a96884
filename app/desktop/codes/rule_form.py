"""The form of one handling rule, with the exceptions that it would have matched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFormLayout, QGroupBox, QLabel, QLineEdit, QWidget

from app.desktop.codes.columns import DOES, MATCHED, key_of
from app.desktop.codes.parameter_values import ParameterValues
from app.desktop.codes.rule_tree import MATCHES, STEPS, Problem, choices, fields_of, preview, tree
from app.desktop.kernel.console import Console
from app.desktop.kernel.error_codes import DOMAINS, Codes
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import error_line
from app.desktop.kernel.statuses import trigger_word
from app.desktop.widgets.layouts import hbox, resize_within_screen, row_of, vbox
from app.desktop.widgets.pane_widgets import Tall, holder, named
from app.desktop.widgets.pane_widgets import choices as combo
from app.desktop.widgets.pick_line import PickLine
from app.desktop.widgets.plain_label import PlainLabel
from app.desktop.widgets.questions import do_or_cancel, open_on
from app.desktop.widgets.reading_order import ReadingDialog
from app.desktop.widgets.table import Row, TableView
from engine.api.documents import Document
from engine.model.errors import SkerryError
from engine.model.rules import Level
from engine.model.states import Trigger

_TYPING = 350  # milliseconds of rest before the preview is made again
LABELS = {
    "id": "Id", "name": "Name", "description": "Description", "priority": "Priority",
    "match.code": "Error code", "match.domain": "Domain", "match.task": "Task", "match.job": "Job",
    "match.node": "Node", "match.message": "Message (regular expression)", "match.trigger": "Started by",
    "step.after": "After", "step.times": "At most so many times", "step.path": "Path",
    "step.value": "New value",
    "step.task": "Task", "step.params": "Parameters",
    "step.level": "Level", "step.text": "Text",
}  # fmt: skip
_HINTS = {
    "match.code": "-11000001000", "step.after": "2m", "step.times": "3",
    "step.path": "$.TASK.PARAMS['limit']",
    "match.task": "nightly, weekly", "priority": "0",
}  # fmt: skip

_PICKED = {
    "match.code", "match.domain", "match.task", "match.job", "match.node", "match.trigger",
    "step.task", "step.level", "step.path",
}  # fmt: skip


class RuleForm(ReadingDialog):
    """``rule`` is the tree of the definition when the person accepts."""

    def __init__(self, console: Console, parent: QWidget, rule: Mapping[str, Any] | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self._rule = dict(rule or {})
        self._typed = "id" in self._rule  # what a new one still lacks is no mistake
        resize_within_screen(self, 1080, 640)
        self.setWindowTitle(tr("Handling rule"))
        self.fields = {key: self._field(key) for key in LABELS}
        self.problems = {key: PlainLabel("", self) for key in LABELS}  # below each field
        self.does = named(combo(DOES), "Does")
        self.said = QLabel(self, wordWrap=True)
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.matched = TableView(console, "Exceptions that it would have matched", MATCHED, key_of, self)
        self.matched.empty.say("None of the past exceptions.")
        self.buttons, self.save = do_or_cancel(self, tr("Save"), self.accept)
        self._rest = QTimer(self, interval=_TYPING, singleShot=True)
        self._rest.timeout.connect(self._preview)
        self._lay_out()
        self._fill(fields_of(rule) if rule else {})
        self._offer_known()
        console.link.ask(choices, self._offer, owner=self)
        open_on(self.fields["id"] if self.fields["id"].isEnabled() else self.fields["match.code"])

    @property
    def rule(self) -> dict[str, Any]:
        """The rule as a definition file has it."""
        kept = {key: self._rule[key] for key in ("enabled",) if key in self._rule}
        return tree({"does": self.does.currentData(), **self._texts()}) | kept

    def _field(self, key: str) -> QLineEdit | ParameterValues:
        if key == "step.params":
            return ParameterValues(self)
        if key in _PICKED:
            field: QLineEdit = PickLine(self, several=key.startswith("match."))
        else:
            field = QLineEdit(self)
        field.setPlaceholderText(_HINTS.get(key, ""))
        return field

    def _offer_known(self) -> None:
        """What the program itself knows: codes, domains, what starts a run, levels of an alert."""
        codes = Codes().all(self._console.language.current)
        self._offer({
            "match.code": [(str(each.code), each.text) for each in codes],
            "match.domain": [(key, _called(key, tr(words))) for key, words in DOMAINS.items()],
            "match.trigger": [(str(each), _called(each, tr(trigger_word(each)))) for each in Trigger],
            "step.level": [(str(each), tr(str(each))) for each in get_args(Level)],
        })  # fmt: skip

    def _offer(self, found: Mapping[str, Sequence[tuple[str, str]]]) -> None:
        for key, each in found.items():
            field = self.fields[key]
            if isinstance(field, PickLine):
                field.offer(each, self._console.icons.get("down"))
            elif isinstance(field, ParameterValues):
                field.offer(each)

    def _texts(self) -> dict[str, str]:
        return {key: field.text() for key, field in self.fields.items()}

    def _lay_out(self) -> None:
        rule = self._group(tr("The rule"), ("id", "name", "description", "priority"))
        matches = self._group(tr("For failures with all of these"), [f"match.{key}" for key in MATCHES])
        steps = self._group(tr("What the rule does"), [key for key in LABELS if key.startswith("step.")])
        self._steps = steps.layout()
        assert isinstance(self._steps, QFormLayout)
        self._steps.insertRow(0, tr("Does"), self.does)
        whole = hbox(
            (Tall(holder(vbox(rule, matches, steps, 1, margins=0))), 2), (vbox(self.said, self.matched), 3)
        )
        vbox(whole, self.buttons, inside=self)

    def _group(self, title: str, keys: Any) -> QGroupBox:
        box = QGroupBox(title, self)
        form = QFormLayout(box)
        for key in keys:
            self.fields[key].setAccessibleName(tr(LABELS[key]))
            self.problems[key].setForegroundRole(QPalette.ColorRole.BrightText)
            self.problems[key].hide()
            below = vbox(self.fields[key], self.problems[key], margins=0, spacing=1)
            form.addRow(tr(LABELS[key]), below)
        return box

    def _fill(self, given: Mapping[str, str]) -> None:
        for key, field in self.fields.items():
            field.setText(given.get(key, ""))
            field.textChanged.connect(lambda _text: self._changed())
        self.fields["id"].setEnabled("id" not in self._rule)
        task, params = self.fields["step.task"], self.fields["step.params"]
        assert isinstance(params, ParameterValues)
        task.textChanged.connect(params.show_task)
        params.show_task(task.text())
        self.does.setCurrentIndex(self.does.findData(given.get("does", "retry")))
        self.does.currentIndexChanged.connect(lambda _place: self._step_changed())
        self._step_changed()

    def _changed(self) -> None:
        self._typed = True
        self._rest.start()

    def _step_changed(self) -> None:
        """Only the fields of what it does."""
        assert isinstance(self._steps, QFormLayout)
        wanted = STEPS[self.does.currentData()]
        for key, field in self.fields.items():
            if key.startswith("step."):
                self._steps.setRowVisible(row_of(self._steps, field), key.removeprefix("step.") in wanted)
        self._rest.start()

    def _preview(self) -> None:
        rule = self.rule
        ask = self._console.link.ask
        ask(lambda service: preview(service, rule), self._show, owner=self, failed=self._wrong)

    def _show(self, found: Document | list[Problem]) -> None:
        rows: Sequence[Row] = ()
        self._show_problems(found if isinstance(found, list) and self._typed else ())
        if not self._typed:
            self.said.setText(tr("Say which failures it is for, and what it does."))
        elif not isinstance(found, list):
            rows, counts = found["matched"], {"n": len(found["matched"]), "all": found["looked_at"]}
            self.said.setText(tr("Would have matched {n} of the {all} newest exceptions", **counts))
        else:
            self.said.setText("\n".join(_said(each) for each in found if not each.key))
        self.matched.show_rows(rows)
        self.save.setEnabled(not isinstance(found, list) and bool(self.fields["id"].text().strip()))

    def _show_problems(self, found: Sequence[Problem]) -> None:
        """Each below its field, in words."""
        wrong = {each.key: _said(each) for each in found}
        for key, label in self.problems.items():
            label.setText(wrong.get(key, ""))
            label.setVisible(key in wrong)
            self.fields[key].setAccessibleDescription(wrong.get(key, ""))

    def _wrong(self, error: SkerryError) -> None:
        self._show([Problem("", error_line(error))])


def _said(problem: Problem) -> str:
    """What is wrong, in the language of the window; what the model itself says has its words there too."""
    return tr(problem.text, **problem.facts)


def _called(value: str, words: str) -> str:
    """A value as it is written, with what it is called where that is something else."""
    return value if value == words else f"{value}: {words}"
