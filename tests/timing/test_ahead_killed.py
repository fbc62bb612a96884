"""A real engine is killed at its commits while it makes instances ahead: nothing is doubled or missing after."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from app import wiring
from engine.runtime.engine import Engine
from engine.store.changes import Changes
from engine.store.filters import InstanceFilter
from engine.store.rows import InstanceRow, LinkRow

TASKS, CHAIN = 120, 5  # 2,880 instances or more, made by 500 in a transaction
PROCESSES = multiprocessing.get_context("forkserver")


def test_a_kill_at_any_commit_while_instances_are_made_ahead_doubles_and_loses_none(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    define(root)
    counts = []
    for commit, durable in [(0, False), (0, True), (1, False), (1, True), (0, True)]:
        killed_while_making(root, commit, durable)
        counts.append(len(planned(root)[0]))

    with firing(root) as engine:
        engine.scheduler.wait_until_made()

    rows, links = planned(root)
    begin = datetime.fromisoformat(min(row.scheduled_time for row in rows))
    times = sorted({row.scheduled_time for row in rows})
    hours = [begin + timedelta(hours=n) for n in range(len(times))]
    assert counts[0] == 0 < counts[1] < counts[3] < counts[4] < len(rows)
    assert [datetime.fromisoformat(at) for at in times] == hours
    assert hours[-1] >= datetime.now(UTC) + timedelta(hours=22)
    assert sorted((row.task, row.scheduled_time) for row in rows) == sorted(
        (f"t{task}", at) for task in range(TASKS) for at in times
    )
    assert sorted(
        (by_id(rows)[link.instance], link.upstream, link.first_at, link.last_at) for link in links
    ) == (sorted(((f"t{n}", at), f"t{n - 1}", at, at) for n in range(TASKS) if n % CHAIN for at in times))


def define(root: Path) -> None:
    """Chains of tasks that are online, each waiting for the one before it; none is due in the next minutes."""
    root.mkdir()
    (root / "workspace.yaml").write_text("timezone: UTC\nmonitor: false\ndurability: normal\n")
    minute = (datetime.now(UTC).minute + 50) % 60
    schedule = {"level": "hour", "every": 1, "from": f"00:{minute:02}", "to": f"23:{minute:02}"}
    nodes = {"nodes": {"a": {"type": "condition", "value": "1 == 1"}}}
    tasks: dict[str, Any] = {}
    for number in range(TASKS):
        waits = [{"task": f"t{number - 1}"}] if number % CHAIN else []
        tasks[f"t{number}"] = {"schedule": schedule, "state": "online", "depends_on": waits, **nodes}
    with closing(wiring.open_engine(root).store) as store:
        store.save_definitions({"tasks": tasks})


@contextmanager
def firing(root: Path) -> Iterator[Engine]:
    with wiring.open_engine(root) as engine:
        engine.fire()
        yield engine


def killed_while_making(root: Path, commit: int, durable: bool) -> None:
    """At that one of the commits that have new instances, counted from 0, before or after it."""
    process = PROCESSES.Process(target=make_and_die, args=(str(root), commit, durable))
    process.start()
    process.join(120)
    assert process.exitcode == -signal.SIGKILL


def make_and_die(root: str, number: int, durable: bool) -> None:
    engine = wiring.open_engine(root)
    commit, left = engine.store.commit, [number]

    def dies(changes: Changes) -> None:
        makes = bool(changes.inserts.get("instance"))
        if not makes or left[0] > 0 or durable:
            commit(changes)
        if makes and left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= makes

    engine.store.commit = dies  # type: ignore[method-assign]
    engine.start()
    engine.fire()
    engine.scheduler.wait_until_made()


def planned(root: Path) -> tuple[list[InstanceRow], list[LinkRow]]:
    """The instances ahead, and what each waits for."""
    with closing(wiring.open_reader(root)) as store:
        rows = store.instances(InstanceFilter(statuses=("planned",)), limit=100_000)
        return rows, [link for row in rows for link in store.links(row.id)]


def by_id(rows: list[InstanceRow]) -> dict[int, tuple[str, str]]:
    return {row.id: (row.task, row.scheduled_time) for row in rows}
