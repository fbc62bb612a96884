"""The context as jsonpath-ng sees it: maps whose values are looked up under the contract's rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.context.tree import MISSING

Lookup = Callable[[str], Any]


class View(dict[str, Any]):
    """A map that asks ``lookup`` for each value when it is used.

    ``lookup`` may know names that are not listed (a job by its job id, a log that is a file); it
    gives MISSING for what it does not know.
    """

    def __init__(self, raw: dict[str, Any], lookup: Lookup) -> None:
        super().__init__(raw)
        self._lookup = lookup

    def get(self, key: Any, default: Any = None) -> Any:
        """The value under the rules."""
        value = self._lookup(key)
        return default if value is MISSING else value

    def items(self) -> Any:
        """Every listed value under the rules."""
        return [(key, self._lookup(key)) for key in self]


def plain(value: Any, levels: int = 4) -> Any:
    """The JSON tree behind views; they are found at most some levels deep ($.JOB, batch, job, results)."""
    if isinstance(value, View):
        return {key: plain(each, levels - 1) for key, each in value.items()}
    if isinstance(value, list) and levels:
        return [plain(each, levels - 1) for each in value]
    return value
