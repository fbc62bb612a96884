"""Calls and resources as the engine would make them, for tests of job types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.model.job import Job
from engine.plugins.job_type import Call, CallType, Cancel
from engine.plugins.resource_type import ResolvedResource


@dataclass
class Bench:
    """A job's directory, and a way to call a type in it."""

    directory: Path
    progress: list[str] = field(default_factory=list)
    cancel: Cancel = field(default_factory=Cancel)

    @property
    def outputs(self) -> Path:
        """Where result files go."""
        return self.directory / "outputs"

    def call(
        self,
        job_type: CallType,
        keys: dict[str, Any],
        resource: ResolvedResource | None = None,
        params: dict[str, Any] | None = None,
        timeout: float | None = None,
        secret: Callable[[str], str] = lambda name: f"value of {name}",
    ) -> dict[str, Any]:
        """The results of one attempt."""
        self.outputs.mkdir(exist_ok=True)
        settings = type(job_type).keys.model_validate(keys)
        job = Job(id="example", type=job_type.kind, settings=settings)
        call = Call(
            job=job,
            settings=settings,
            params=params or {},
            resource=resource,
            directory=self.directory,
            outputs=self.outputs,
            cancel=self.cancel,
            timeout=timeout,
            progress=self.progress.append,
            secret=secret,
        )
        return dict(job_type.call(call))


class _Halfway(list[str]):
    """Requests a cancel once half of the work is reported."""

    def __init__(self, cancel: Cancel) -> None:
        super().__init__()
        self._cancel = cancel

    def append(self, line: str) -> None:
        super().append(line)
        if int(line.split()[0]) >= 50:
            self._cancel.request()


def stopping_halfway(directory: Path) -> Bench:
    """One whose calls are cancelled in their middle."""
    cancel = Cancel()
    return Bench(directory, _Halfway(cancel), cancel)
