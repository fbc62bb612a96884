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
        self.raw = raw
        self._lookup = lookup

    def get(self, key: Any, default: Any = None) -> Any:
        """The value under the rules."""
        value = self._lookup(key)
        return default if value is MISSING else value

    def items(self) -> Any:
        """Every listed value under the rules."""
        return [(key, self._lookup(key)) for key in self.raw]

    def values(self) -> Any:
        """Every listed value under the rules."""
        return [self._lookup(key) for key in self.raw]


def plain(value: Any) -> Any:
    """The JSON tree behind views."""
    if isinstance(value, View):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list) and any(isinstance(each, (View, list)) for each in value):
        return [plain(each) for each in value]
    return value
