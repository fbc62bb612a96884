"""Handling rules: see, make, edit, switch, delete; with what they would have matched."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import count
from typing import Any

from PySide6.QtWidgets import QWidget

from app.desktop.codes.columns import DOES, MATCHED, RULES, key_of
from app.desktop.codes.page import Page
from app.desktop.codes.rule_form import LABELS, RuleForm
from app.desktop.codes.rule_tree import source
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.widgets.pane_widgets import button
from app.desktop.widgets.questions import confirm
from app.desktop.widgets.roomy_buttons import PushButton
from app.desktop.widgets.table import Row, TableView


class RulesPage(Page):
    """The rules of the workspace, the highest priority first."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(console, "Handling rules", RULES, parent)
        self.table.empty.say("No rules yet: a rule handles a failure by itself.")
        self.new, self.edit = button("New…", lambda: self.write(None)), button("Edit…", self._edit)
        self.switch, self.remove = PushButton(self), button("Delete", self._remove)
        for each in (self.new, self.edit, self.switch, self.remove):
            self.bar.addWidget(each)
        self.matched = TableView(console, "Exceptions that it would have matched", MATCHED, key_of, self)
        self.under.addWidget(self.matched, 2)
        self._wanted: str | None = None
        self.table.looked_at.connect(self._look)
        self.table.chosen.connect(lambda _row: self._edit())
        self.switch.clicked.connect(self._switch)
        console.link.state_changed.connect(self.refresh)
        translated(self, lambda: self._look(self.table.current))
        self.refresh()

    def refresh(self) -> None:
        self.console.link.ask(lambda service: service.definitions("rule"), self._came, owner=self)

    def show_row(self, id: str) -> None:
        self._wanted = id
        self.refresh()

    def write(self, rule: Mapping[str, Any] | None) -> None:
        """Ask for a rule and keep it; of a new one that has no id yet one is suggested."""
        form = RuleForm(self.console, self, rule)
        if rule is not None and "id" not in rule:
            form.fields["id"].setText(_free_id(rule, [str(row["id"]) for row in self.table.shown]))
        if form.exec() == RuleForm.DialogCode.Accepted:
            written = source(form.rule)
            self._wanted = str(form.rule.get("id", ""))
            ask = self.console.link.ask
            ask(lambda service: service.load([written]), lambda _: self._kept(), owner=self)

    def _kept(self) -> None:
        self.console.navigator.notify(tr("The rule is kept"))
        self.refresh()

    def _came(self, rows: list[dict[str, Any]]) -> None:
        self.table.show_rows(sorted(rows, key=lambda row: -int(row["priority"])))
        if self._wanted is not None and self.table.select(self._wanted):
            self._wanted = None
        self._look(self.table.current)

    def _look(self, row: Row | None) -> None:
        for each in (self.edit, self.switch, self.remove):
            each.setEnabled(row is not None and self.console.link.writable)
        self.new.setEnabled(self.console.link.writable)
        on = row is None or row["enabled"]
        self.switch.setText(tr("Switch off") if on else tr("Switch on"))
        if row is None:
            self.matched.empty.say("What a rule would have matched in the past is listed here.")
            self.facts.show_facts(())
            return self.matched.show_rows(())
        id = str(row["id"])
        ask = self.console.link.ask
        ask(lambda service: (service.definition("rule", id), service.test_rule(id)), self._show, owner=self)

    def _show(self, found: tuple[dict[str, Any], dict[str, Any]]) -> None:
        rule, tested = found[0]["definition"], found[1]
        if self.table.current is None or self.table.current["id"] != found[0]["id"]:
            return
        would = tr("{n} of the {all} newest exceptions", n=len(tested["matched"]), all=tested["looked_at"])
        self.facts.show_facts((
            ("Rule", str(rule["id"])), ("Name", str(rule.get("name") or "")),
            ("Description", str(rule.get("description") or "")),
            ("For failures with all of these", _lines(rule.get("match"), "match")),
            ("Does", does(rule.get("action"))), ("Would have matched", would),
        ))  # fmt: skip
        self.matched.empty.say("None of the past exceptions.")
        self.matched.show_rows(tested["matched"])

    def _edit(self) -> None:
        if (row := self.table.current) is not None:
            id = str(row["id"])
            ask = self.console.link.ask
            ask(lambda service: service.definition("rule", id)["definition"], self.write, owner=self)

    def _switch(self) -> None:
        if (row := self.table.current) is not None:
            id, on = str(row["id"]), not row["enabled"]
            ask = self.console.link.ask
            ask(lambda service: service.enable_rule(id, on), lambda _: self.refresh(), owner=self)

    def _remove(self) -> None:
        row = self.table.current
        if row is None:
            return
        id = str(row["id"])
        text = tr("The rule {id} is deleted. Its revisions stay in the history.", id=id)
        if confirm(self, tr("Delete the rule"), text, tr("Delete")):
            ask = self.console.link.ask
            ask(lambda service: service.delete("rule", id), lambda _: self.refresh(), owner=self)


def _free_id(rule: Mapping[str, Any], taken: Collection[str]) -> str:
    """After task and node that it is for.

    >>> _free_id({"match": {"task": "nightly", "node": "load"}}, ["nightly-load"])
    'nightly-load-2'
    """
    match = rule.get("match") or {}
    named = [str(match[key]) for key in ("task", "node") if match.get(key)]
    wanted = "-".join(named) or "rule"
    further = (f"{wanted}-{n}" for n in count(2))
    return wanted if wanted not in taken else next(each for each in further if each not in taken)


def does(action: Any) -> str:
    """What a rule does: the word of the form, then its values."""
    name, step = (action, {}) if isinstance(action, str) else next(iter(dict(action).items()))
    return "\n".join(part for part in (tr(DOES[name]), _lines(step, "step")) if part)


def _lines(value: Any, part: str = "") -> str:
    """``part``: of the form, whose fields have names in words."""
    if isinstance(value, Mapping):
        names = {key: LABELS.get(f"{part}.{key}") for key in value}
        return "\n".join(
            f"{tr(label) if (label := names[key]) else key}: {_lines(each)}" for key, each in value.items()
        )
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
