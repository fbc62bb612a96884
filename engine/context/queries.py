"""Queries of jsonpath-ng over the context, under the same rules as a plain path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.context.fields import LOGS, ORDERED, missing
from engine.context.files import is_reference
from engine.context.tree import MISSING
from engine.context.views import View, plain
from engine.model.errors import SkerryError
from engine.model.expression import ParsedPath, format_path
from engine.model.expression.path import Step

if TYPE_CHECKING:
    from engine.context.scope import ContextScope


class Queries:
    """The tree for jsonpath-ng, under the same rules as a plain path."""

    def __init__(self, scope: ContextScope) -> None:
        self._scope = scope

    def value(self, path: ParsedPath) -> Any:
        """The match of a query, or the list of its matches if it can have several."""
        from engine.model.expression.query import compile_query

        query = compile_query(self._by_name(path))
        values = [plain(value) for value in query.values(self._tree(path.text), self._scope.patience)]
        if query.many:
            return values if values else self._none(path)
        if not values:
            raise missing(path.text, "nothing is there")
        return values[0]

    def _by_name(self, path: ParsedPath) -> str:
        """The query with ``RESULT[0]`` written as the name that it means."""
        steps = path.steps
        for at, step in enumerate(steps):
            if isinstance(step, int) and steps[at - 1] in ORDERED:
                name = self._name(path, steps[:at], step)
                return format_path((*steps[:at], name, *steps[at + 1 :])) + path.rest
        return path.text

    def _name(self, path: ParsedPath, before: tuple[Step, ...], position: int) -> str:
        names = self._scope.lookup(ParsedPath(path.text, before)).value
        if not isinstance(names, dict):
            raise missing(path.text, f"write the name instead of [{position}] after [*]")
        node = "" if before[0] == "TASK" else self._scope.node(str(before[1]), path.text)
        return str(self._scope.name_at(node, before[-1], names, position))

    def _none(self, path: ParsedPath) -> list[Any]:
        """No match is an empty list, but a key that is in none of the matches before it is missing."""
        from engine.model.expression.query import compile_query, without_last_names

        shorter = without_last_names(path.text)
        before = compile_query(shorter) if shorter != path.text else None
        if before is not None and before.values(self._tree(path.text), self._scope.patience):
            raise missing(path.text, f"no match has {path.text[len(shorter) :]}")
        return []

    def _tree(self, text: str) -> View:
        raw = {name: self._scope.root(name) for name in (*self._scope.tree, "ITEM", "INDEX")}
        raw = {name: value for name, value in raw.items() if value is not MISSING}
        parts = {"JOB": self.jobs, "ROUNDS": self._rounds}

        def part(name: str) -> Any:
            return parts[name](text) if name in parts and name in raw else raw.get(name, MISSING)

        return View(raw, part)

    def jobs(self, text: str) -> View:
        """``$.JOB``: every job that is looked at must have ended."""
        scope = self._scope
        raw = scope.tree.get("JOB", {})

        def job(key: str) -> Any:
            try:
                node = scope.node(key, text)
            except SkerryError:
                return MISSING
            entry = raw.get(node, MISSING)
            member = scope.running_member(key)
            if isinstance(entry, list) and member is not None:
                return self._entry(entry[member], key, text)
            return self._any(entry, key, text)

        return View(raw, job)

    def _rounds(self, text: str) -> View:
        scope = self._scope
        return View(
            scope.tree.get("ROUNDS", {}),
            lambda key: [self._any(each, key, text) for each in scope.rounds(scope.node(key, text))],
        )

    def _any(self, entry: Any, key: str, text: str) -> Any:
        if isinstance(entry, list):
            return [self._entry(each, key, text) for each in entry]
        return self._entry(entry, key, text)

    def _entry(self, entry: Any, key: str, text: str) -> Any:
        scope = self._scope
        scope.check_ended(entry, key, text)

        def value(name: str) -> Any:
            if name in LOGS:
                return scope.log(entry, name, key, text).value
            found = entry.get(name, MISSING)
            return self._fields(found, text) if name in ORDERED and isinstance(found, dict) else found

        return View(entry, value)

    def _fields(self, values: dict[str, Any], text: str) -> View:
        def value(name: str) -> Any:
            found = values.get(name, MISSING)
            return self._scope.loaded(found, text) if is_reference(found) else found

        return View(values, value)
