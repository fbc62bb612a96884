"""Which JobInstance an execution is of."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from engine.model.job import Job
from engine.plugins.job_type import ControlType, JobType, ProgramType

ContextPath = tuple[str | int, ...]


@dataclass(frozen=True, eq=False, slots=True)
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
    worker: str | None = None  # of a job that runs on all of its workers: the one that this is for

    path: ContextPath = field(init=False)  # of its entry in the context
    is_control: bool = field(init=False)  # a condition, wait, group or task: without slot and directory
    asynchronous: bool = field(init=False)  # its process is only started, its outcome checked later

    def __post_init__(self) -> None:
        write = partial(object.__setattr__, self)
        write("path", ("JOB", self.node) if self.index is None else ("JOB", self.node, self.index))
        write("is_control", isinstance(self.kind, ControlType))
        write("asynchronous", self.job.mode == "async" and isinstance(self.kind, ProgramType))

    @property
    def name(self) -> str:
        """``load`` or, of a batch, ``load[3]``."""
        return self.node if self.index is None else f"{self.node}[{self.index}]"
