"""What does not change about a run: its instance, its plan, and what it begins with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.model.states import Trigger
from engine.planning.shape import Plan
from engine.runtime.run_state.restart import Restart


@dataclass(frozen=True)
class RunFacts:
    """All but the first four and ``why`` are of its instance, the same in each of its runs."""

    number: int
    plan: Plan
    origin: Trigger  # what made it in the end: of a sub-task its parent's
    restart: Restart | None  # None: the first run
    id: int
    trigger: Trigger
    scheduled_time: datetime
    created_at: datetime
    directory: Path
    priority: int = 0
    params: Mapping[str, Any] = field(default_factory=dict)  # as they were given, by name
    above: tuple[int, ...] = ()  # the instances that it is a sub-task of, the outermost first
    revision: int | None = None  # of the task's definition; None: it ran from a file
    why: str | None = None  # why it runs, as whoever began it said
    made_before: bool = False  # it was there before it could begin
    upstream: Mapping[str, Any] = field(default_factory=dict)  # by task: what it gave that was waited for

    @property
    def rerun_nodes(self) -> tuple[str, ...]:
        """The nodes that had run before and run again in it."""
        return self.restart.selection.run if self.restart else ()

    def priority_of(self, node: str) -> int:
        """The node's over the task's."""
        found = self.plan.node(node)
        return self.priority + (found.node.priority if found else 0)
