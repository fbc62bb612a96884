"""What commands of operators, reruns and recovery act through: live runs, their beginning and their end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from engine.model.reason import Reason
from engine.runtime.runs.ending import Ending
from engine.runtime.runs.run import Run
from engine.runtime.runs.starting import Starting
from engine.runtime.services import EngineServices
from engine.runtime.workspace import Workspace
from engine.store.rows import InstanceRow
from engine.store.sql_store import Store


class PendingInstances(Protocol):
    """The ended instances that run again after others; loop thread only."""

    @property
    def waiting(self) -> Mapping[int, object]:
        """Each with what it waits for."""

    def restore(self, row: InstanceRow) -> bool:
        """Whether it waited so under an earlier engine, and now does again."""

    def settle(self) -> None:
        """What ended while no engine was there to see it."""

    def drop(self, id: int, why: Reason) -> None:
        """It does not run again, and has the state that it had."""


class ComingInstances(Protocol):
    """The instances that have not begun; loop thread only."""

    def cancel(self, row: InstanceRow, by: str) -> None:
        """It will not begin."""

    def wait_again(self, row: InstanceRow) -> None:
        """One that did not begin because of what it depends on waits for that once more."""


@dataclass(frozen=True)
class RunControl:
    """The parts of one engine that change which instances run."""

    services: EngineServices
    starting: Starting
    ending: Ending
    pending: PendingInstances
    coming: ComingInstances

    @property
    def runs(self) -> dict[int, Run]:
        return self.ending.runs

    @property
    def store(self) -> Store:
        """States and context lines, durable."""
        return self.services.store

    @property
    def workspace(self) -> Workspace:
        return self.services.workspace
