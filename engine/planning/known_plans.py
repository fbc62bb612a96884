"""The latest plans by the definitions that they were made of: many runs follow the same ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.planning.shape import Plan

_MOST = 16  # a large one takes some ten MB


class KnownPlans:
    """Safe to use from any thread."""

    def __init__(self) -> None:
        self._plans: dict[tuple[str, str], Plan] = {}

    def of(self, task: str, definitions: str, make: Callable[[], Plan]) -> Plan:
        """The plan of a task of these definitions (JSON); what ``make`` raises goes through."""
        found = self._plans.get((task, definitions))
        if found is None:
            found = self._plans[task, definitions] = make()
            for oldest in tuple(self._plans)[:-_MOST]:
                self._plans.pop(oldest, None)
        return found
