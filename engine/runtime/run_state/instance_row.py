"""The row of an instance that runs: its state, and what listeners get of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.model.states import InstanceState
from engine.runtime.run_state.run_facts import RunFacts
from engine.runtime.services import EngineServices


class LiveInstanceRow:
    """Loop thread only; what is written is durable with the turn."""

    def __init__(self, services: EngineServices, facts: RunFacts, state: str) -> None:
        self._services = services
        self._facts = facts
        self.state = state  # as the row has it

    def move(self, state: InstanceState, columns: Mapping[str, Any]) -> None:
        """Write another state down, with what goes with it."""
        before, self.state = self.state, str(state)
        self._services.changes.move("instance", self._facts.id, before, state, columns)

    def publish(self, state: InstanceState) -> None:
        """Publish its state."""
        facts = self._facts
        self._services.events.publish(
            {"kind": "instance", "instance": facts.id, "run": facts.number, "task": facts.plan.task.id,
             "status": str(state)}
        )  # fmt: skip
