"""The neighbour check of a rerun among many tasks, and the look for what would run again after it.

    python -m benchmarks.neighbours [--tasks 10000] [--hours 10] [--by-hand 100] [--rounds 50]

The tasks are chains of ten that fire each hour, each instance with a link to that of the task before; some
are at work, started by hand. The floor is one query of bare sqlite3 for the links to the same instance.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

from app import wiring
from engine.runtime.reruns.neighbourhood import Neighbourhood
from engine.store.changes import Changes
from engine.store.rows import InstanceRow, time_text
from engine.store.sql_store import Store

TARGET = 0.05  # seconds of the check
LENGTH = 10  # tasks of a chain
BEGIN = datetime(2026, 11, 21, tzinfo=UTC)
BARE = "SELECT instance FROM link WHERE upstream = ? AND first_at = ? AND last_at = ?"


def definitions(tasks: int) -> dict[str, Any]:
    """Each but the first of its chain waits for the one before it."""
    made: dict[str, Any] = {}
    for number in range(tasks):
        waits = {"depends_on": [{"task": f"t{number - 1}"}]} if number % LENGTH else {}
        nodes = {"a": {"type": "shell", "process": "true"}}
        made[f"t{number}"] = {"schedule": {"level": "hour", "every": 1}, "nodes": nodes, **waits}
    return {"tasks": made}


def instances(tasks: int, hours: int, by_hand: int) -> Iterator[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Rows of instances, each with that of its link."""
    for number in range(tasks * hours):
        task, at = number % tasks, time_text(BEGIN + timedelta(hours=number // tasks))
        base = {"id": number + 1, "task": f"t{task}", "created_at": at, "started_at": at, "run": 1}
        row = {**base, "scheduled_time": at, "status": "succeeded", "trigger": "schedule", "ended_at": at}
        link = {"instance": number + 1, "upstream": f"t{task - 1}", "window": "latest", "partners": 1}
        decided = {"first_at": at, "last_at": at, "decided_at": at}
        yield row, link | decided if task % LENGTH else None
    for number in range(by_hand):
        task, at = number * tasks // by_hand, time_text(BEGIN + timedelta(hours=hours, seconds=number))
        row = {"id": tasks * hours + number + 1, "task": f"t{task + 1}", "created_at": at, "started_at": at}
        yield {**row, "run": 1, "scheduled_time": at, "status": "running", "trigger": "manual"}, None


def filled(store: Store, tasks: int, hours: int, by_hand: int) -> None:
    store.save_definitions(definitions(tasks))
    changes = Changes()
    for row, link in instances(tasks, hours, by_hand):
        changes.insert("instance", row)
        if link is not None:
            changes.insert("link", link)
    store.commit(changes)


def timed(rounds: int, do: Callable[[InstanceRow], object], rows: list[InstanceRow]) -> float:
    """Seconds, the median over the rounds, each of another instance."""
    took = []
    for number in range(rounds):
        began = time.perf_counter()
        do(rows[number % len(rows)])
        took.append(time.perf_counter() - began)
    return median(took)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--hours", type=int, default=10)
    parser.add_argument("--by-hand", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=50)
    given = parser.parse_args()
    zone = ZoneInfo("UTC")
    with tempfile.TemporaryDirectory() as name:
        store = wiring.open_engine(Path(name)).store
        filled(store, given.tasks, given.hours, given.by_hand)
        ids = range(5, given.tasks * given.hours, given.tasks * given.hours // given.rounds)
        rows = [row for row in map(store.instance, ids) if row is not None]
        check = timed(given.rounds, lambda row: Neighbourhood(store, zone).refuse(row), rows)
        after = timed(given.rounds, lambda row: Neighbourhood(store, zone).dependants(row), rows)
        store.close()
        with closing(sqlite3.connect(Path(name) / "skerry.db")) as bare:
            floor = timed(
                given.rounds,
                lambda row: bare.execute(BARE, (row.task, row.scheduled_time, row.scheduled_time)).fetchall(),
                rows,
            )
    many = f"{given.tasks} tasks, {given.tasks * given.hours} instances, {given.by_hand} at work by hand"
    reached = f"{check * 1000:.2f} ms (target {TARGET * 1000:g} ms), {check / floor:.0f} times the floor"
    print(f"check among {many}: {reached}")
    print(f"what runs again after one of them: {after * 1000:.2f} ms, {after / floor:.0f} times the floor")


if __name__ == "__main__":
    main()
