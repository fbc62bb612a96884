"""Values typed for parameters marked ``secret``: jobs get them, nothing stores them.

It lives as long as the engine. The context, the store and the files have asterisks in its place, so
a run that goes on under another engine, or is run again, no longer has it: a job that wants it fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.model.task import Task
from engine.secrets.masking import MASKED


@dataclass(frozen=True)
class TypedSecrets:
    """The secret parameters of one task; ``values`` are those that are known."""

    names: frozenset[str] = frozenset()
    values: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_task(cls, task: Task, given: Mapping[str, Any]) -> TypedSecrets:
        """Those among the values that were given for the task's parameters."""
        names = frozenset(
            name for name, spec in task.params.items() if spec.secret and given.get(name) is not None
        )
        known = {name: str(given[name]) for name in names if given[name] != MASKED}
        return cls(names, known) if names else _NONE

    @property
    def is_forgotten(self) -> bool:
        """Whether one of them was typed for an earlier engine."""
        return not self.names <= self.values.keys()

    def over(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The task's parameters as jobs see them: with the secrets, without those no longer known."""
        if not self.names:
            return params
        hidden = {name for name in self.names if params.get(name) == MASKED}
        shown = {name: self.values.get(name, value) for name, value in params.items()}
        return {name: value for name, value in shown.items() if name not in hidden or name in self.values}


_NONE = TypedSecrets()
