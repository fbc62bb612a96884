"""The port between an engine and the machine that runs its jobs; a simulator has another one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from engine.execution import adopt, kill
from engine.execution.child import Child
from engine.execution.kill import Left
from engine.execution.outcomes import Exit, Lost
from engine.execution.spawn import Launch, inheritable, spawn
from engine.execution.supervisor import Supervisor, Unsupervised
from engine.model.clock import Clock
from engine.model.job import StageName

Attempts = Iterable[tuple[str | None, str]]  # the directory and the mark of each


class Processes(Protocol):
    """Starts the processes of jobs, finds them again and stops them."""

    @property
    def why_unsupervised(self) -> str:
        """Why there are no supervisors on this machine; empty where there are."""

    @property
    def reports_fd(self) -> int | None:
        """Readable when supervisors have reported; None without them."""

    def spawn(self, launch: Launch) -> Child:
        """Start one stage of an attempt; SkerryError as of :func:`engine.execution.spawn.spawn`."""

    def adopt(
        self, directory: str, stage: StageName, mark: str, *, began_in: str | None = None, looks: int = 0
    ) -> Child | Exit | Lost | None:
        """What became of a stage that an earlier engine started: see :mod:`engine.execution.adopt`."""

    def reports(self) -> list[tuple[int, int]]:
        """Supervisors whose program has ended while others of its job live: (pid, exit status)."""

    def stop_tree(self, directory: str | None, mark: str, grace: float) -> Left:
        """End everything that an attempt started. Blocks: call it on a thread."""

    def kill_now(self, directory: str, mark: str) -> None:
        """KILL for what an attempt started; ``stop_tree`` makes sure. Not on the engine's own thread."""

    def alive(self, attempts: Attempts) -> tuple[int, ...]:
        """The living processes of these attempts; not on the engine's own thread."""

    def close(self) -> None:
        """The engine ends; what it started goes on."""


class LocalProcesses:
    """Those of this machine."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._strays = inheritable()
        self._why = ""
        self._supervisor: Supervisor | None = None
        try:
            self._supervisor = Supervisor()
        except Unsupervised as reason:
            self._why = str(reason)

    @property
    def why_unsupervised(self) -> str:
        return self._why

    @property
    def reports_fd(self) -> int | None:
        return self._supervisor.news_fd if self._supervisor else None

    def spawn(self, launch: Launch) -> Child:
        return spawn(launch, self._strays, self._supervisor)

    def adopt(
        self, directory: str, stage: StageName, mark: str, *, began_in: str | None = None, looks: int = 0
    ) -> Child | Exit | Lost | None:
        return adopt.adopt(directory, stage, mark, began_in=began_in, looks=looks)

    def reports(self) -> list[tuple[int, int]]:
        return self._supervisor.news() if self._supervisor else []

    def stop_tree(self, directory: str | None, mark: str, grace: float) -> Left:
        return kill.stop_tree(directory, mark, grace, self._clock)

    def kill_now(self, directory: str, mark: str) -> None:
        kill.kill_now(directory, mark)

    def alive(self, attempts: Attempts) -> tuple[int, ...]:
        return kill.alive_of_all(attempts)

    def close(self) -> None:
        if self._supervisor is not None:
            self._supervisor.close()
