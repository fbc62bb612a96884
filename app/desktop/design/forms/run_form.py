"""The parameters of a task before it runs (F5): asked for by kind, filled with those of the last run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.desktop.design.editable import Editable, Sheet
from app.desktop.design.forms.form_context import FormContext, Hover
from app.desktop.design.forms.kinds.table import editor_for
from app.desktop.design.forms.param_fields import read_spec
from app.desktop.design.forms.plain_text import plain_label, tinted_label
from app.desktop.design.forms.value_form import ValueForm, asked_for
from app.desktop.design.forms.workspace_definitions import WorkspaceDefinitions
from app.desktop.design.picker.samples import Samples
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import error_line
from app.desktop.widgets.layouts import hbox, resize_within_screen, vbox
from app.desktop.widgets.questions import do_or_cancel
from app.desktop.widgets.reading_order import ReadingDialog
from app.desktop.widgets.roomy_buttons import PushButton
from engine.definitions.params import holds_expression
from engine.model.errors import SkerryError


class RunForm(ReadingDialog):
    """``chosen`` brings the typed parameters (``RunRequest.params``) when the run is started.

    ``specs`` is the task's parameter table as in a definition. What was given in the last
    run is filled in, but not what an expression or a secret gave.
    """

    chosen = Signal(object)

    def __init__(
        self, console: Console, task: str, specs: Mapping[str, Any], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Run {task}", task=task))
        resize_within_screen(self, 480, 420)
        self._specs = {name: read_spec(spec) for name, spec in specs.items()}
        tree = {"tasks": {task: {"params": dict(specs), "nodes": {}}}}
        self.draft = Editable(task, Sheet(tree), console.link, parent=self)
        self.samples = Samples(console.link, task, parent=self)
        context = FormContext(
            console, self.draft, WorkspaceDefinitions(console, self), self.samples, Hover(self), editor_for
        )
        self.form = ValueForm(context, [asked_for(name, spec) for name, spec in self._specs.items()], self)
        self.words = plain_label("", self)
        self.usual = PushButton(tr("Take the usual values"), self)
        self.usual.clicked.connect(self._reset)
        self.usual.hide()
        self.error = tinted_label(console.theme, "danger", "", self)
        self.error.hide()
        buttons, self.run = do_or_cancel(self, tr("Run"), self._run)
        self.run.setIcon(console.icons.get("run"))
        head = hbox((self.words, 1), self.usual)
        vbox(head, (self.form, 1), self.error, buttons, inside=self)
        self.words.setText("" if specs else tr("This task has no parameters."))
        self.samples.changed.connect(self._fill)
        self.samples.refresh()
        self.run.setFocus() if not specs else next(iter(self.form.lines.values())).focus()

    def values(self) -> dict[str, Any]:
        """The typed parameters; SkerryError when one does not fit."""
        return self.form.values()

    def _fill(self) -> None:
        runs = self.samples.runs
        if not runs or any(line.value is not REMOVE for line in self.form.lines.values()):
            return
        last = runs[0]
        given = {name: value for name, value in last.given.items() if self._is_kept(name, value)}
        self.form.fill(given)
        if given:
            self.words.setText(tr("Filled with the values of run #{n}.", n=last.instance))
            self.usual.show()

    def _is_kept(self, name: str, value: Any) -> bool:
        spec = self._specs.get(name)
        if spec is None or spec.secret or value is None:
            return False
        return not holds_expression(spec.value) and value != spec.value

    def _reset(self) -> None:
        self.form.reset()
        self.words.setText(tr("The usual values hold."))
        self.usual.hide()

    def _run(self) -> None:
        if not self.form.fits:
            self.form.show_problems()
            return
        try:
            values = self.values()
        except SkerryError as error:
            self.error.setText(error_line(error))
            self.error.show()
            return
        self.chosen.emit(values)
        self.accept()
