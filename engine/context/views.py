"""The context as jsonpath-ng sees it: maps whose values are looked up under the contract's rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.context.fields import LOGS, ORDERED
from engine.context.files import is_reference
from engine.context.tree import MISSING
from engine.context.visible import VisibleContext
from engine.model.errors import SkerryError

Lookup = Callable[[str], Any]


class LazyMap(dict[str, Any]):
    """A map that asks ``lookup`` for each value when it is used.

    ``lookup`` may know names that are not listed (a job by its job id, a log that is a file); it
    gives MISSING for what it does not know.
    """

    def __init__(self, raw: dict[str, Any], lookup: Lookup) -> None:
        super().__init__(raw)
        self._lookup = lookup

    def get(self, key: Any, default: Any = None) -> Any:
        value = self._lookup(key)
        return default if value is MISSING else value

    def items(self) -> Any:
        """Every listed value under the rules."""
        return [(key, self._lookup(key)) for key in self]


def plain(value: Any, levels: int = 4) -> Any:
    """The JSON tree behind views; they are found at most some levels deep ($.JOB, batch, job, results)."""
    if isinstance(value, LazyMap):
        return {key: plain(each, levels - 1) for key, each in value.items()}
    if isinstance(value, list) and levels:
        return [plain(each, levels - 1) for each in value]
    return value


class JobViews:
    """``$.JOB`` and ``$.ROUNDS`` for the path or query ``text``: only ended jobs are seen."""

    def __init__(self, scope: VisibleContext, text: str) -> None:
        self._scope, self._text = scope, text

    def jobs(self) -> LazyMap:
        """``$.JOB``: every job that is looked at must have ended."""
        scope = self._scope
        raw = scope.tree.get("JOB", {})

        def job(key: str) -> Any:
            try:
                node = scope.node(key, self._text)
            except SkerryError:
                return MISSING
            entry = raw.get(node, MISSING)
            member = scope.running_member(key)
            if isinstance(entry, list) and member is not None:
                return self._entry(entry[member], key)
            return self._any(entry, key)

        return LazyMap(raw, job)

    def rounds(self) -> LazyMap:
        """``$.ROUNDS``: every round of each job, the latest last."""
        scope = self._scope
        return LazyMap(
            scope.tree.get("ROUNDS", {}),
            lambda key: [self._any(each, key) for each in scope.rounds(scope.node(key, self._text))],
        )

    def _any(self, entry: Any, key: str) -> Any:
        if isinstance(entry, list):
            return [self._entry(each, key) for each in entry]
        return self._entry(entry, key)

    def _entry(self, entry: Any, key: str) -> Any:
        scope = self._scope
        scope.check_ended(entry, key, self._text)

        def value(name: str) -> Any:
            if name in LOGS:
                return scope.log(entry, name, key, self._text).value
            field = entry.get(name, MISSING)
            return self._fields(field) if name in ORDERED and isinstance(field, dict) else field

        return LazyMap(entry, value)

    def _fields(self, values: dict[str, Any]) -> LazyMap:
        def value(name: str) -> Any:
            each = values.get(name, MISSING)
            return self._scope.loaded(each, self._text) if is_reference(each) else each

        return LazyMap(values, value)
