"""One host behind SSH for the tests of this folder: its link is a cable that can be cut."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.execution.environment import environment
from engine.execution.host import LivingStage
from engine.execution.launch import Launch
from engine.execution.ssh.leases import Leases
from engine.execution.ssh.room import Waits
from engine.execution.ssh.ssh_host import SshHost
from engine.execution.strangers import Stranger
from engine.runtime.clock import SystemClock
from engine.runtime.threads import SystemThreads
from tests.execution.conftest import Workbench
from tests.execution.turns import PolledTurns
from tests.servers.cable import Cable, cable
from tests.servers.ssh_workers import Sshd


class Site:
    """One host, its link a cable, and jobs of a workbench."""

    def __init__(self, bench: Workbench, server: Sshd, wire: Cable, root: Path) -> None:
        self.bench = bench
        self.wire = wire
        self.turns = PolledTurns()
        self.root = root
        settings = server.settings(root)
        self.settings = replace(settings, target=replace(settings.target, port=wire.port))
        self.host = self.connected()

    def made(
        self,
        *,
        term: int = 1,
        endless: Collection[str] = (),
        strangers: Callable[[tuple[Stranger, ...]], None] = lambda found: None,
        waits: Waits = lambda mark, problem: None,
        **changes: object,
    ) -> SshHost:
        """A host as the engine of that term has it."""
        settings = replace(self.settings, **changes)  # type: ignore[arg-type]
        clock, threads = SystemClock(), SystemThreads()
        leases = Leases("a.1", clock, threads, term, endless)
        host = SshHost(settings, clock, self.turns, threads, strangers=strangers, leases=leases, waits=waits)
        host.begin()
        return host

    def connected(self, **changes: Any) -> SshHost:
        """The same, and it answers."""
        host = self.made(**changes)
        self.turns.until(lambda: host.standing.place is not None)
        self.turns.until(lambda: bool(host.facts.boot))
        return host

    def launch(
        self,
        text: str = "",
        argv: tuple[str, ...] | None = None,
        env: Mapping[str, str] | None = None,
        **more: object,
    ) -> Launch:
        job, mark = self.bench.job(text), self.bench.marks[-1]
        values = environment(self.host.base_env, env or {}, job.path, mark)
        return Launch(argv, "executeCode/process", job.path, "process", mark, values, **more)  # type: ignore[arg-type]

    def run(self, text: str = "", **more: object) -> tuple[object, Path]:
        """Its end, and its directory here."""
        launch = self.launch(text, **more)  # type: ignore[arg-type]
        return self.turns.end_of(self.host, self.host.start(launch)), Path(launch.directory)

    def start(self, text: str) -> tuple[LivingStage, Path]:
        """One whose process lives."""
        launch = self.launch(text)
        stage = self.host.start(launch)
        self.host.wake(stage, lambda end: None)
        self.turns.until(lambda: stage.pid > 0)
        return stage, Path(launch.directory)


@pytest.fixture
def site(bench: Workbench, ssh_workers: Sshd, tmp_path: Path) -> Iterator[Site]:
    with cable(ssh_workers.port) as wire:
        made = Site(bench, ssh_workers, wire, tmp_path / "remote")
        yield made
        made.host.close()
