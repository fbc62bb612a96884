"""How near a run is to its end, and what it comes to as far as that is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.execution.outcomes import Left
from engine.model.errors import Failure
from engine.model.states import InstanceState
from engine.runtime.fibers import Stopped
from engine.runtime.timers import Timer


@dataclass
class RunPhase:
    """Nothing new starts while it is stopped."""

    stopping: Stopped | None = None  # by an operator or the time limit
    finishing: bool = False  # its outcome is computed, or known
    handling: bool = False  # its outcome is known, the handlers of its end are at work
    retry: Timer | None = None  # it failed, and is tried again then

    @property
    def stopped(self) -> bool:
        """Whether an operator or the time limit ended it."""
        return self.stopping is not None


@dataclass
class RunOutcome:
    """Its state, its failure, its results."""

    state: InstanceState = InstanceState.RUNNING
    failure: Failure | None = None  # the first one: why the run failed
    results: dict[str, Any] = field(default_factory=dict)
    left: Left = field(default_factory=Left)  # what lives of jobs that were stopped
    _of_job: Failure | None = None
    _node: str | None = None
    _lost: bool = False

    def fail_by_job(self, failure: Failure, node: str, *, lost: bool) -> None:
        """The first failure is that of a job of ``node``, which may be lost."""
        self.failure = self._of_job = failure
        self._node, self._lost = node, lost

    def node_of(self, failure: Failure | None) -> str | None:
        """The node whose job's failure it is in truth."""
        return self._node if self.is_of_job(failure) else None

    def is_of_job(self, failure: Failure | None) -> bool:
        """Whether a failure is in truth a job's."""
        return failure is not None and failure is self._of_job

    def is_lost(self, failure: Failure | None) -> bool:
        """Whether a lost job decided: what it did cannot be known, so neither can this."""
        return self._lost and self.is_of_job(failure)
