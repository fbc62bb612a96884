"""An engine whose clock stands still until a test sets it, and tasks that are online in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from engine.api.local import LocalService
from engine.model.codes.store import CONFLICT
from engine.model.errors import Refused, SkerryError
from engine.runtime.engine import Engine
from engine.runtime.upkeep.database_opening import open_sound
from engine.store.changes import Changes
from engine.store.filters import InstanceFilter
from engine.store.rows import AlertRow, InstanceRow

BEGIN = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
SETTINGS = "places: 4\ntimezone: UTC\ndurability: normal\nmonitor: false\n"
AT_ONCE = {"type": "condition", "value": "1 == 1"}
AN_HOUR = {"type": "wait", "for": "1h"}


def is_coming(row: InstanceRow) -> bool:
    """Whether it was made ahead, and its time was not reached while its task was online."""
    return row.run == 0 and row.due_at is None and row.status in ("planned", "offline")


class SetClock:
    """The wall clock and the time since boot of a machine, both in the hands of the test."""

    def __init__(self) -> None:
        self.wall, self.uptime, self.started = BEGIN, 1000.0, "first"

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return self.uptime

    def boot(self) -> str:
        return self.started

    def forward(self, **by: float) -> None:
        """Time passes."""
        self.wall += timedelta(**by)
        self.uptime += timedelta(**by).total_seconds()

    def set_by(self, **by: float) -> None:
        """Somebody sets the wall clock."""
        self.wall += timedelta(**by)


class TimedSite:
    """A workspace in which schedules fire, and the engines that own it one after another."""

    def __init__(self, root: Path, settings: str = SETTINGS) -> None:
        root.mkdir(parents=True, exist_ok=True)
        (root / "workspace.yaml").write_text(settings)
        self.root, self.clock = root, SetClock()
        self.engine = self._made()

    def _made(self) -> Engine:
        workspace = wiring.open_workspace(self.root)
        store = open_sound(workspace, self.clock, lambda text: None)
        return Engine(workspace, store, wiring.job_types(), wiring.resource_types(), self.clock)

    @property
    def service(self) -> LocalService:
        return LocalService(self.engine, "anna")

    def start(self, *, fires: bool = True) -> TimedSite:
        self.engine.start()
        if fires:
            self.engine.fire()
        return self

    def again(self, *, fires: bool = True, **set_by: float) -> TimedSite:
        """The next engine, after this one; somebody may have set the wall clock in between."""
        self.engine.close()
        self.clock.set_by(**set_by)
        self.engine = self._made()
        return self.start(fires=fires)

    def define(self, task: str, schedule: Any, node: Any = AT_ONCE, **keys: Any) -> None:
        """A task of one node."""
        self.engine.store.save_definitions(
            {"tasks": {task: {"schedule": schedule, "nodes": {"a": node}, **keys}}}
        )

    def online(self, task: str, schedule: Any, node: Any = AT_ONCE, **keys: Any) -> None:
        """The same, and it goes online."""
        self.define(task, schedule, node, **keys)
        self.service.move_tasks([task], "online")
        self.settle()

    def settle(self) -> None:
        """Until the engine has seen what time it is, and has done what follows from that."""
        loop = self.engine.services.loop
        for _ in range(3):
            loop.ask(self.engine.scheduler.look)
            for id in [id for id in list(self.engine.services.runs) if self._ends(id)]:
                assert self.engine.wait(id, 30)

    def _ends(self, instance: int) -> bool:
        """Whether its job ends by itself."""
        row = self.engine.store.instance(instance)
        job = self.engine.store.definition("task", row.task if row else "")
        return bool(job and job.content["nodes"]["a"]["type"] == "condition")

    def killed_at_commit(self, number: int, *, durable: bool) -> None:
        """Time passes by an hour; the engine dies at this commit (from 0), ``durable`` or not, and the next comes."""
        commit, left = self.engine.store.commit, [number]

        def killed(changes: Changes) -> None:
            left[0] -= 1
            if left[0] >= 0:
                return commit(changes)
            if durable and left[0] == -1:
                commit(changes)
            raise SkerryError(CONFLICT, "killed")

        self.engine.store.commit = killed  # type: ignore[method-assign]
        self.clock.forward(hours=1)
        with pytest.raises(SkerryError):
            self.settle()
        self.again()
        self.settle()

    def forward(self, **by: float) -> None:
        """Time passes while the engine is at work."""
        self.clock.forward(**by)
        self.settle()

    def set_clock(self, **by: float) -> None:
        """Somebody sets the wall clock while the engine is at work."""
        self.clock.set_by(**by)
        self.settle()

    def instances(self, task: str = "t") -> list[InstanceRow]:
        """Those of a task whose time has come, by scheduled time."""
        rows = [row for row in self.engine.store.instances(limit=10_000) if row.task == task]
        return sorted((row for row in rows if not is_coming(row)), key=lambda row: row.scheduled_time)

    def coming(self, task: str = "t") -> list[InstanceRow]:
        """Those that are planned, or that would be if it was online, by scheduled time."""
        which = InstanceFilter(task=task, statuses=("planned", "offline"))
        rows = self.engine.store.instances(which, limit=100_000, newest_first=False)
        return [row for row in rows if is_coming(row)]

    def times(self, task: str = "t") -> list[str]:
        """``21 08:00`` of each instance."""
        return [row.scheduled_time[8:16].replace("T", " ") for row in self.instances(task)]

    def states(self, task: str = "t") -> list[str]:
        return [row.status for row in self.instances(task)]

    def alerts(self, kind: str) -> list[AlertRow]:
        return [row for row in self.engine.store.alerts() if row.kind == kind]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[TimedSite]:
    site = TimedSite(tmp_path / "workspace").start()
    yield site
    for instance in list(site.engine.services.runs):
        with suppress(Refused):  # it ended by itself meanwhile
            site.engine.cancel(instance)
    site.engine.close()
