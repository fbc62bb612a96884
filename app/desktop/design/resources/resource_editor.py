"""The editor of resources, with "check now"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from PySide6.QtWidgets import QLabel, QLineEdit, QTableWidget, QWidget

from app.desktop.design.forms.field_tables import resource_fields
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.plain_text import plain_label, show_pairs
from app.desktop.design.library.definition_editor import DefinitionEditor
from app.desktop.design.resources.check_words import check_word, is_doubtful
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import error_line, failure_line
from app.desktop.widgets.layouts import emptied, filled, hbox
from app.desktop.widgets.pane_widgets import named, worded
from app.desktop.widgets.roomy_buttons import PushButton
from engine.api.probing import task_params
from engine.definitions.params import holds_expression
from engine.model.errors import SkerryError
from engine.model.message import message_in
from engine.plugins.registry import ResourceTypes

_URIS = {
    "file": "/tmp", "database": "sqlite:////tmp/a.db", "http": "http://127.0.0.1/", "ftp": "ftp://127.0.0.1/",
    "sftp": "sftp://user@127.0.0.1/",
}  # fmt: skip

_STATIC = "Static: the same in every run."
_DYNAMIC = "Dynamic: it takes values from the run."
_GIVE = "Dynamic: it takes values from the run. Give them for the check:"


def needed(tree: Any) -> tuple[str, ...]:
    """The parameters of the task that a dynamic resource needs; none while an expression is unfinished."""
    with suppress(SkerryError):
        return task_params(tree)
    return ()


class ResourceEditor(DefinitionEditor):
    """Static and dynamic ones; a check of what is stored, with values for what is dynamic."""

    KIND, SECTION, ICON, NONE = "resource", "resources", "resource", "Resources"

    def __init__(self, *given: Any, **more: Any) -> None:
        self._pending = False
        super().__init__(*given, **more)

    def fields(self) -> Sequence[Field]:
        return resource_fields(self.context.scope(), self.id) if self.context else ()

    def types(self) -> ResourceTypes:
        return self.console.resource_types

    def fresh(self, kind: str) -> dict[str, Any]:
        return {"type": kind, "uri": _URIS.get(kind, "")}

    def _right(self) -> QWidget:
        page = super()._right()
        self.checks = worded(PushButton(self.console.icons.get("check"), "", page), "Check now")
        self.checks.clicked.connect(self.check_now)
        self.dynamic = plain_label("", page)
        self.mark = QLabel(page)
        self.outcome = plain_label("", page)
        self.details = named(QTableWidget(0, 2, page), "What the check found")
        self.details.horizontalHeader().setStretchLastSection(True)
        self.details.verticalHeader().hide()
        self.details.setMaximumHeight(150)
        self.details.hide()
        self.inputs: dict[str, QLineEdit] = {}
        self._asked = hbox()
        line = hbox(self.checks, self.mark, (self.outcome, 1))
        filled(self.column, self.dynamic, self._asked, line, self.details)
        return page

    def _word(self) -> None:
        super()._word()
        self.details.setHorizontalHeaderLabels([tr("What"), tr("Found")])
        self._say_kind(needed(self.own() or {}))

    def definition_changed(self) -> None:
        self._say("", None)
        if self.draft is not None:
            self.draft.changed.connect(self._ask)
        self._ask()

    def check_now(self) -> None:
        """Check it; what is not saved yet is saved first, since the stored one is checked."""
        if self.draft is None:
            return
        if not self.draft.undo.isClean():
            self._pending = True
            self.save()
            return
        id, params = self.id, {name: box.text() for name, box in self.inputs.items()}
        self._say(tr("Checking…"), None)
        self.checks.setEnabled(False)
        self.console.link.ask(
            lambda service: service.check_resource(id, params),
            self._checked,
            owner=self,
            failed=self._unchecked,
        )

    def _stored(self, id: str) -> None:
        super()._stored(id)
        if self._pending:
            self._pending = False
            self.check_now()

    def _failed(self, error: SkerryError) -> None:
        self._pending = False
        super()._failed(error)

    def _checked(self, found: Mapping[str, Any]) -> None:
        self.checks.setEnabled(True)
        word = check_word(found)
        took = tr("{n} s", n=f"{found['took']:.2f}")
        code = f"  {found['code']}" if found.get("code") else ""
        said = failure_line(found.get("code"), message_in(found, "message"))
        self._say(f"{word}: {said}  ({took}){code}", bool(found["ok"]), doubtful=is_doubtful(found))
        details = list((found.get("details") or {}).items())
        show_pairs(self.details, details, 300)
        self.details.setVisible(bool(details))

    def _unchecked(self, error: SkerryError) -> None:
        self.checks.setEnabled(True)
        self.details.hide()
        self._say(f"{error.code}  {error_line(error)}", False)

    def _say(self, text: str, ok: bool | None, *, doubtful: bool = False) -> None:
        self.outcome.setText(text)
        self.mark.setVisible(ok is not None)
        if ok is None:
            self.details.hide()
            return
        colours = self.console.theme.colours
        name, colour = ("check", colours.good) if ok else ("problem", colours.danger)
        name, colour = ("warning", colours.warning) if doubtful else (name, colour)
        self.mark.setPixmap(self.console.icons.get(name, colour).pixmap(20, 20))

    def _ask(self) -> None:
        """A box for each parameter that a dynamic resource needs."""
        names = needed(self.own() or {})
        self._say_kind(names)
        if tuple(self.inputs) == names:
            return
        emptied(self._asked)
        self.inputs = {}
        for name in names:
            box = QLineEdit(self.page)
            box.setPlaceholderText(name)
            box.setAccessibleName(name)
            self._asked.addWidget(box)
            self.inputs[name] = box

    def _say_kind(self, needed: Sequence[str]) -> None:
        dynamic = holds_expression(self.own())
        self.dynamic.setText(tr(_GIVE if needed else _DYNAMIC if dynamic else _STATIC))
