"""What expressions can see of the context: plain paths, and queries of jsonpath-ng under the same rules."""

from __future__ import annotations

from typing import Any

from engine.context.fields import ORDERED, missing
from engine.context.tree import MISSING
from engine.context.views import JobViews, LazyMap, plain
from engine.context.visible import VisibleContext
from engine.context.walk import Walk
from engine.model.expression import FoundValue, ParsedPath, format_path
from engine.model.expression.path import Step


class Queries:
    """The tree for jsonpath-ng, under the same rules as a plain path."""

    def __init__(self, scope: VisibleContext) -> None:
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
        names = Walk(self._scope, ParsedPath(path.text, before)).found().value
        if not isinstance(names, dict):
            raise missing(path.text, "write the name instead of [{position}] after [*]", position=position)
        node = "" if before[0] == "TASK" else self._scope.node(str(before[1]), path.text)
        return str(self._scope.name_at(node, before[-1], names, position))

    def _none(self, path: ParsedPath) -> list[Any]:
        """No match is an empty list, but a key that is in none of the matches before it is missing."""
        from engine.model.expression.query import compile_query, without_last_names

        shorter = without_last_names(path.text)
        before = compile_query(shorter) if shorter != path.text else None
        if before is not None and before.values(self._tree(path.text), self._scope.patience):
            raise missing(path.text, "no match has {rest}", rest=path.text[len(shorter) :])
        return []

    def _tree(self, text: str) -> LazyMap:
        raw = {name: self._scope.root(name) for name in (*self._scope.tree, "ITEM", "INDEX")}
        raw = {name: value for name, value in raw.items() if value is not MISSING}
        views = JobViews(self._scope, text)
        parts = {"JOB": views.jobs, "ROUNDS": views.rounds}

        def part(name: str) -> Any:
            return parts[name]() if name in parts and name in raw else raw.get(name, MISSING)

        return LazyMap(raw, part)


class ContextScope(VisibleContext):
    """The values at the paths of expressions (a :class:`engine.model.expression.Scope`)."""

    def lookup(self, path: ParsedPath) -> FoundValue:
        """The value at ``path``; SkerryError naming the path and the job when it is not there."""
        walk = Walk(self, path)
        if not path.rest:
            return walk.found()
        if path.steps:
            walk.found()  # what leads to the query must be there
        return FoundValue(value := Queries(self).value(path), value)
