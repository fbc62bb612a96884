"""The section ``rules`` of a definition file: each rule against its model, ids unique."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.definitions.fit import fit
from engine.definitions.notes import Notes, shown
from engine.model.codes import definitions as codes
from engine.model.rules import Rule


def check_rules(rules: Any, notes: Notes) -> None:
    """Note everything that is wrong with the list of a file."""
    if not isinstance(rules, list):
        notes.error(codes.WRONG_TYPE, f"`rules`: expected a list, found {shown(rules)}", ("rules",))
        return
    for place, rule in enumerate(rules):
        if isinstance(rule, dict):
            fit(Rule, rule, ("rules", place), notes)
        else:
            message = f"expected a rule (a map), found {shown(rule)}"
            notes.error(codes.WRONG_TYPE, message, ("rules", place))
    for place, id in _again(rules):
        notes.error(codes.DEFINED_TWICE, f"there is another rule `{id}` before", ("rules", place, "id"))


def _again(rules: list[Any]) -> Iterator[tuple[int, str]]:
    known: set[str] = set()
    for place, id in rule_ids(rules):
        if id in known:
            yield place, id
        known.add(id)


def rule_ids(rules: Any) -> Iterator[tuple[int, str]]:
    """The ids that the rules of a list name, each with its place."""
    for place, rule in enumerate(rules if isinstance(rules, list) else ()):
        if isinstance(rule, Mapping) and isinstance(rule.get("id"), (str, int)):
            yield place, str(rule["id"])
