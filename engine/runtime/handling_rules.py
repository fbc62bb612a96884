"""The handling rules of a run: those of its own file, then those of the workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import ValidationError

from engine.model.definitions import Definitions
from engine.model.rules import Rule
from engine.store.sql_store import Store


class Rulebook:
    """Reads rules when they are wanted: what is loaded, switched on or off holds at once."""

    def __init__(self, store: Store, say: Callable[[str], None]) -> None:
        self._store = store
        self._say = say

    def of(self, definitions: Definitions) -> list[Rule]:
        """The rules for a run of these definitions; of two with one id the file's own counts."""
        own = definitions.raw.get("rules") or ()
        found: dict[str, Rule] = {}
        for rule in map(self._read, (*own, *self._standing())):
            if rule is not None:
                found.setdefault(rule.id, rule)
        return list(found.values())

    def _standing(self) -> Iterator[Any]:
        for row in self._store.definitions("rule"):
            if row.error is None:
                yield row.content
            else:
                self._say(f"a handling rule is left out: {row.error.message}")

    def _read(self, content: Any) -> Rule | None:
        try:
            return Rule.model_validate(content)
        except ValidationError:  # stored by an earlier version
            self._say(f"a handling rule is left out, this version reads none of its form: {content!r:.200}")
            return None
