"""An engine that is killed while it fires: no time is lost, none is started twice; in real time, by seconds."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from app import wiring
from engine.model.clock import Clock
from engine.runtime.clock import SystemClock
from engine.store.rows import InstanceRow
from tests.timing.conftest import TimedSite
from tests.waiting import until

EVERY_SECOND = {"interval": "1s", "catchup": "all", "max": 1000, "overlap": "parallel"}


@pytest.mark.parametrize("durable", [False, True], ids=["before", "after"])
def test_a_kill_at_the_commit_of_a_fire_loses_and_doubles_nothing(site: TimedSite, durable: bool) -> None:
    site.online("t", {"level": "hour", "every": 1})

    site.killed_at_commit(0, durable=durable)

    assert site.times() == ["21 09:00"]
    site.forward(hours=1)
    assert site.times() == ["21 09:00", "21 10:00"]


class Served:
    """A workspace with ``skerry serve``, which is killed and started again."""

    def __init__(self, root: Path) -> None:
        self.root, self.clock = root, SystemClock()
        root.mkdir()
        (root / "workspace.yaml").write_text("timezone: UTC\nmonitor: false\ndurability: normal\n")
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "app.cli.main", "--workspace", str(self.root), "serve"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.communicate()
            self.process = None

    def instances(self, task: str) -> list[InstanceRow]:
        """By scheduled time; read while the engine works."""
        store = wiring.open_reader(self.root)
        try:
            rows = [row for row in store.instances(limit=10_000) if row.task == task]
        finally:
            store.close()
        return sorted(rows, key=lambda row: row.scheduled_time)


def defined(root: Path, clock: Clock, flag: Path) -> None:
    """Tasks that are online since an engine of this process, which sees them and ends.

    However long the next one takes to start, ``once`` is a time while its task was online.
    """
    node = {"nodes": {"a": {"type": "condition", "value": "1 == 1"}}, "state": "online"}
    resource = {"type": "file", "uri": str(flag), "check": {"exists": True}}
    condition = {"level": "condition", "condition": {"resource": "flag"}, "every": "1s"}
    with wiring.open_engine(root) as engine:
        soon = (clock.now() + timedelta(seconds=10)).isoformat()
        engine.store.save_definitions(
            {
                "resources": {"flag": resource},
                "tasks": {
                    "interval": {"schedule": EVERY_SECOND, **node},
                    "once": {"schedule": {"once": soon}, **node},
                    "condition": {"schedule": condition, **node},
                },
            }
        )
        engine.fire()
        engine.scheduler.wait_until_made()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path / "workspace")
    yield served
    served.kill()


def test_in_real_time_through_kills_every_second_of_an_interval_has_one_instance(
    served: Served, tmp_path: Path
) -> None:
    flag = tmp_path / "flag"
    defined(served.root, served.clock, flag)
    for enough in (1, 3, 5):
        served.start()
        until(lambda enough=enough: len(served.instances("interval")) >= enough, "fires")
        served.kill()
    served.start()
    until(lambda: served.instances("once"), "once")
    flag.touch()
    until(lambda: served.instances("condition"), "the condition")
    seconds = [datetime.fromisoformat(row.scheduled_time) for row in served.instances("interval")]

    assert set(Counter(seconds).values()) == {1}
    assert seconds == [seconds[0] + timedelta(seconds=n) for n in range(len(seconds))]
    assert len(served.instances("once")) == 1
    assert [row.trigger for row in served.instances("condition")] == ["condition"]
