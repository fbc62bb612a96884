"""This machine as the host of attempts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from engine.execution import adopt, kill, stage_file
from engine.execution.child import Child
from engine.execution.environment import inherited
from engine.execution.host import (
    LOCAL,
    Attempts,
    Found,
    GivenSecrets,
    Growth,
    HostFacts,
    LivingStage,
    Turns,
)
from engine.execution.launch import Launch
from engine.execution.outcomes import Exit, Left, Lost
from engine.execution.output_size import log_sizes, written
from engine.execution.remains import LocalRemains
from engine.execution.spawn import inheritable, spawn
from engine.execution.supervised import Supervised
from engine.execution.supervisor import Supervisor, Unsupervised
from engine.execution.vitals import cores, load_average
from engine.model.clock import Clock
from engine.model.job import StageName
from engine.plugins.resource_type import FileFacts


class LocalHost:
    """See :class:`engine.execution.host.OwnHost`."""

    def __init__(self, clock: Clock, turns: Turns) -> None:
        self._clock = clock
        self._strays = inheritable()
        self.base_env: Mapping[str, str] = inherited(os.environ)
        why = ""
        self._supervisor: Supervisor | None = None
        try:
            self._supervisor = Supervisor()
        except Unsupervised as reason:
            why = str(reason)
        self._supervised = Supervised(turns, self._supervisor)
        self.facts = HostFacts(LOCAL, stage_file.boot_id(), why)

    def begin(self) -> None:
        self._supervised.start()

    def start(self, launch: Launch) -> Child:
        return spawn(launch, self._strays, self._supervisor)

    def look(
        self,
        directory: str,
        stage: StageName,
        mark: str,
        *,
        began_in: str | None = None,
        looks: int = 0,
        secrets: GivenSecrets = (),
    ) -> Found | None:
        return adopt.adopt(directory, stage, mark, began_in=began_in, looks=looks)

    def wake(self, stage: LivingStage, ended: Callable[[Exit | Lost], None]) -> None:
        assert isinstance(stage, Child)
        self._supervised.wake(stage, ended)

    def confirm(self, stage: LivingStage) -> Exit | Lost | None:
        assert isinstance(stage, Child)
        return adopt.confirmed(stage.stage_file)

    def remains(self, directory: str | None, mark: str) -> LocalRemains:
        return LocalRemains(directory, mark, self.living)

    def growth(self, directory: str, *, files: bool = False) -> Growth:
        return Growth(sum(log_sizes(directory)), written(directory) if files else None)

    def usage(self, mark: str, most: int | None) -> None:
        """It is looked at by whoever asks."""

    def look_at_file(self, path: str, digest: bool) -> FileFacts:
        raise NotImplementedError("resource types look at files of this machine themselves")

    def bring(self, directory: str, mark: str) -> None:
        """All of it is there."""

    def stop(self, directory: str | None, mark: str, grace: float) -> Left:
        return kill.stop_tree(directory, mark, grace, self._clock)

    def kill_now(self, directory: str, mark: str) -> None:
        kill.kill_now(directory, mark)

    def living(self, attempts: Attempts) -> tuple[int, ...]:
        return kill.alive_of_all(attempts)

    def forget(self, directory: str, mark: str) -> None:
        """All of it is in the directory."""

    def load(self) -> float | None:
        load = load_average()
        return None if load is None else load / cores()

    def reach(self) -> None:
        """It is here."""

    def close(self) -> None:
        if self._supervisor is not None:
            self._supervisor.close()
