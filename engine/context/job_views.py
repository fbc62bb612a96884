"""``$.JOB`` and ``$.ROUNDS`` as views: only ended jobs are seen, and files are read when they are used."""

from __future__ import annotations

from typing import Any

from engine.context.fields import LOGS, ORDERED
from engine.context.files import is_reference
from engine.context.tree import MISSING
from engine.context.views import View
from engine.context.visible import VisibleContext
from engine.model.errors import SkerryError


class JobViews:
    """The jobs of one context for the path or query ``text``."""

    def __init__(self, scope: VisibleContext, text: str) -> None:
        self._scope, self._text = scope, text

    def jobs(self) -> View:
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

        return View(raw, job)

    def rounds(self) -> View:
        """``$.ROUNDS``: every round of each job, the latest last."""
        scope = self._scope
        return View(
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
            found = entry.get(name, MISSING)
            return self._fields(found) if name in ORDERED and isinstance(found, dict) else found

        return View(entry, value)

    def _fields(self, values: dict[str, Any]) -> View:
        def value(name: str) -> Any:
            found = values.get(name, MISSING)
            return self._scope.loaded(found, self._text) if is_reference(found) else found

        return View(values, value)
