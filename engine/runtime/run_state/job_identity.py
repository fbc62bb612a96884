"""Which JobInstance an execution is of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.model.job import Job
from engine.plugins.job_type import ControlType, JobType, ProgramType

ContextPath = tuple[str | int, ...]


@dataclass(frozen=True)
class JobIdentity:
    """Fixed from its creation to its end."""

    job: Job  # the definition
    kind: JobType
    node: str  # of a job within a job with the way to it: ``load.0``
    id: int
    index: int | None = None
    round: int = 1
    item: Any = None
    outer: JobIdentity | None = None  # the group or job that it is a part of

    @cached_property
    def path(self) -> ContextPath:
        """Of its entry in the context."""
        return ("JOB", self.node) if self.index is None else ("JOB", self.node, self.index)

    @property
    def name(self) -> str:
        """``load`` or, of a batch, ``load[3]``."""
        return self.node if self.index is None else f"{self.node}[{self.index}]"

    @property
    def is_control(self) -> bool:
        """Whether it is a condition, wait, group or task: it has neither a slot nor a directory."""
        return isinstance(self.kind, ControlType)

    @property
    def asynchronous(self) -> bool:
        """Whether its process is only started; its outcome is checked later."""
        return self.job.mode == "async" and isinstance(self.kind, ProgramType)
