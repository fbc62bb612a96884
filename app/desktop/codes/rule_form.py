"""The form of one handling rule, with the exceptions that it would have matched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QDialog, QFormLayout, QGroupBox, QLabel, QLineEdit, QWidget

from app.desktop.codes.columns import DOES, MATCHED, key_of
from app.desktop.codes.rule_tree import MATCHES, STEPS, fields_of, preview, tree
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import error_line
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import choices, named
from app.desktop.widgets.questions import do_or_cancel
from app.desktop.widgets.table import Row, TableView
from engine.api.documents import Document
from engine.model.errors import SkerryError

_TYPING = 350  # milliseconds of rest before the preview is made again
_LABELS = {
    "id": "Id", "name": "Name", "priority": "Priority",
    "match.code": "Error code", "match.domain": "Domain", "match.task": "Task", "match.job": "Job",
    "match.node": "Node", "match.message": "Message (regular expression)", "match.trigger": "Started by",
    "step.after": "After", "step.times": "At most so many times", "step.path": "Path",
    "step.value": "New value",
    "step.task": "Task",
    "step.level": "Level", "step.text": "Text",
}  # fmt: skip
_HINTS = {
    "match.code": "-11000001000", "step.after": "2m", "step.times": "3",
    "step.path": "$.TASK.PARAMS['limit']",
    "step.level": "info, warning, error", "match.trigger": "manual, schedule, backfill, condition",
    "match.task": "nightly, weekly", "priority": "0",
}  # fmt: skip


class RuleForm(QDialog):
    """``rule`` is the tree of the definition when the person accepts."""

    def __init__(self, console: Console, parent: QWidget, rule: Mapping[str, Any] | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self._rule = dict(rule or {})
        self.resize(1080, 640)
        self.setWindowTitle(tr("Handling rule"))
        self.fields = {key: QLineEdit(self, placeholderText=_HINTS.get(key, "")) for key in _LABELS}
        self.does = named(choices(DOES), "Does")
        self.said = QLabel(self, wordWrap=True)
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.matched = TableView(console, "Exceptions that it would have matched", MATCHED, key_of, self)
        self.matched.empty = "None of the past exceptions."
        self.buttons, self.save = do_or_cancel(self, tr("Save"), self.accept)
        self._rest = QTimer(self, interval=_TYPING, singleShot=True)
        self._rest.timeout.connect(self._preview)
        self._lay_out()
        self._fill(fields_of(rule) if rule else {})

    @property
    def rule(self) -> dict[str, Any]:
        """The rule as a definition file has it."""
        kept = {key: self._rule[key] for key in ("description", "enabled") if key in self._rule}
        return tree({"does": self.does.currentData(), **self._texts()}) | kept

    def _texts(self) -> dict[str, str]:
        return {key: field.text() for key, field in self.fields.items()}

    def _lay_out(self) -> None:
        rule = self._group(tr("The rule"), ("id", "name", "priority"))
        matches = self._group(tr("For failures with all of these"), [f"match.{key}" for key in MATCHES])
        steps = self._group(tr("What the rule does"), [key for key in _LABELS if key.startswith("step.")])
        self._steps = steps.layout()
        assert isinstance(self._steps, QFormLayout)
        self._steps.insertRow(0, tr("Does"), self.does)
        whole = hbox((vbox(rule, matches, steps, 1), 2), (vbox(self.said, self.matched), 3))
        vbox(whole, self.buttons, inside=self)

    def _group(self, title: str, keys: Any) -> QGroupBox:
        box = QGroupBox(title, self)
        form = QFormLayout(box)
        for key in keys:
            self.fields[key].setAccessibleName(tr(_LABELS[key]))
            form.addRow(tr(_LABELS[key]), self.fields[key])
        return box

    def _fill(self, given: Mapping[str, str]) -> None:
        for key, field in self.fields.items():
            field.setText(given.get(key, ""))
            field.textChanged.connect(lambda _text: self._rest.start())
        self.fields["id"].setEnabled("id" not in self._rule)
        self.does.setCurrentIndex(self.does.findData(given.get("does", "retry")))
        self.does.currentIndexChanged.connect(lambda _place: self._step_changed())
        self._step_changed()

    def _step_changed(self) -> None:
        """Only the fields of what it does."""
        assert isinstance(self._steps, QFormLayout)
        wanted = STEPS[self.does.currentData()]
        for key, field in self.fields.items():
            if key.startswith("step."):
                self._steps.setRowVisible(field, key.removeprefix("step.") in wanted)
        self._rest.start()

    def _preview(self) -> None:
        rule = self.rule
        ask = self._console.link.ask
        ask(lambda service: preview(service, rule), self._show, owner=self, failed=self._wrong)

    def _show(self, found: Document | list[str]) -> None:
        rows: Sequence[Row] = ()
        if not isinstance(found, list):
            rows, counts = found["matched"], {"n": len(found["matched"]), "all": found["looked_at"]}
            self.said.setText(tr("Would have matched {n} of the {all} newest exceptions", **counts))
        else:
            self.said.setText("\n".join(found))
        self.matched.show_rows(rows)
        self.save.setEnabled(not isinstance(found, list) and bool(self.fields["id"].text().strip()))

    def _wrong(self, error: SkerryError) -> None:
        self._show([error_line(error)])
