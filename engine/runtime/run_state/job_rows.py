"""The JobInstances of a run as rows: new ones, and those that an earlier engine left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.model.codes.confirmation import BUSY_THERE
from engine.model.codes.runtime import NOT_BEGUN
from engine.model.errors import Failure
from engine.model.handling import Handling
from engine.model.job import Job
from engine.model.reason import Reason
from engine.model.states import JobState
from engine.runtime.clock import MachineClock
from engine.runtime.elapsed import seconds_since
from engine.runtime.run_state.run_facts import RunFacts
from engine.runtime.services import EngineServices

# Of attempts that came to nothing: they do not count.
UNBEGUN = frozenset({NOT_BEGUN.number, BUSY_THERE.number})


@dataclass(frozen=True)
class RecoveredJob:
    """How far an earlier engine came with a job."""

    state: JobState
    attempt: int
    mark: str | None = None  # of the attempt that was under way
    attempt_state: str = "starting"
    branch: str | None = None
    since: str | None = None  # when that attempt began, with the two below, which are of this machine
    here: str | None = None
    ticks: int | None = None
    boot: str | None = None  # of the machine that it is on
    worker: str | None = None  # that it is on
    pid: int | None = None  # of the stage that it started last
    announced: bool = True  # its directory was about to be made: before that nothing of it can have started
    due: str | None = None  # when a retrying one is tried again
    checks: Reason | None = None  # which check it waited for, and until when
    never_begun: int = 0  # attempts that came to nothing because an engine ended
    priority: int | None = None  # None: as the definitions say
    based_on_edit: bool = False
    begun: bool = True  # an attempt
    failure: Failure | None = None  # what was being done something about
    handling: Handling = field(default_factory=Handling)
    stop: Mapping[str, Any] | None = None  # what an earlier engine was ending it with

    def spent(self, clock: MachineClock) -> float:
        """Seconds since the attempt began."""
        return 0.0 if self.since is None else seconds_since(clock, self.since, self.here, self.ticks)


# By node and round, then index: the JobInstance and how far it came.
RecoveredJobs = dict[tuple[str, int], dict[int | None, tuple[int, RecoveredJob]]]


class JobRows:
    """Makes the rows of one run; loop thread only."""

    def __init__(self, services: EngineServices, facts: RunFacts) -> None:
        self._services = services
        self._facts = facts
        self.recovered: RecoveredJobs = {}

    def take(self, node: str, index: int | None, round: int) -> tuple[int | None, RecoveredJob | None]:
        """What an earlier engine left of a JobInstance, once."""
        return self.recovered.get((node, round), {}).pop(index, (None, None))

    def has(self, node: str, index: int | None, round: int) -> bool:
        """Whether an earlier engine had begun that JobInstance."""
        return index in self.recovered.get((node, round), {})

    def insert(
        self,
        node: str,
        job: Job,
        index: int | None,
        round: int,
        *,
        parent: int | None = None,
        id: int | None = None,
    ) -> int:
        """Write a pending JobInstance down and give its id."""
        services = self._services
        id = services.next_id("job_instance") if id is None else id
        priority = self._facts.priority_of(node)
        more = {"priority": priority} if priority else {}
        services.changes.insert(
            "job_instance",
            {
                **more,
                "id": id,
                "instance": self._facts.id,
                "run": self._facts.number,
                "node": node,
                "job": job.id,
                "type": job.type,
                "round": round,
                "index": index,
                "status": str(JobState.PENDING),
                "created_at": services.now(),
                "parent": parent,
            },
        )
        return id
