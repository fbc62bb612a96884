"""Schedules that fire: an idle look with many tasks online, and how late jobs begin when many are due.

    python -m benchmarks.firing [--online 10000] [--due 100] [--seconds 60] [--job condition|shell]

Beside each the floor: for the look one query of bare sqlite3 for the soonest of as many rows; for the
starts as many rows, inserted each second in one bare transaction of the same durability.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from app import wiring
from engine.runtime.engine import Engine
from engine.store.rows import InstanceRow

LOOKS = 200
TARGET_LOOK, TARGET_LATE = 0.005, 1.0  # seconds
JOBS = {"condition": {"type": "condition", "value": "1 == 1"}, "shell": {"type": "shell", "process": "true"}}


class Lateness(NamedTuple):
    """Seconds from the scheduled time to the start."""

    middle: float
    worst_in_100: float
    worst: float


def of(values: list[float]) -> Lateness:
    return Lateness(median(values), quantiles(values, n=100)[98], max(values))


def an_engine(folder: Path, tasks: dict[str, Any]) -> Engine:
    """One in which these tasks are online."""
    folder.mkdir()
    (folder / "workspace.yaml").write_text("monitor: false\n")
    engine = wiring.open_engine(folder)
    states = {name: {"state": "online", **task} for name, task in tasks.items()}
    engine.store.save_definitions({"tasks": states})
    return engine


def idle_look(folder: Path, online: int) -> float:
    """Seconds for one look while nothing is due."""
    node = {"nodes": {"a": JOBS["condition"]}}
    tasks = {f"t{n}": {"schedule": {"once": "2099-01-01"}, **node} for n in range(online)}
    with an_engine(folder, tasks) as engine:
        engine.fire()
        engine.scheduler.wait_until_made()
        loop, scheduler = engine.services.loop, engine.scheduler
        assert len(scheduler.kept) == online

        def timed() -> float:
            began = time.perf_counter()
            scheduler.look()
            return time.perf_counter() - began

        return median(loop.ask(timed, durable=False) for _ in range(LOOKS))


def bare_look(folder: Path, online: int) -> float:
    """The same question asked of a table."""
    with closing(sqlite3.connect(folder / "floor.db")) as database:
        database.execute("CREATE TABLE s (task TEXT PRIMARY KEY, next_at TEXT)")
        database.execute("CREATE INDEX soonest ON s (next_at)")
        rows = ((f"t{n}", "2099-01-01T00:00:00.000000+00:00") for n in range(online))
        database.executemany("INSERT INTO s VALUES (?, ?)", rows)
        took = []
        for _ in range(LOOKS):
            began = time.perf_counter()
            database.execute("SELECT min(next_at) FROM s").fetchone()
            took.append(time.perf_counter() - began)
        return median(took)


def fires(folder: Path, due: int, seconds: int, job: str) -> tuple[Lateness, int, int]:
    """How late the jobs of so many tasks begin, each due once a second; how many began, of how many due.

    A time that meets an earlier instance at work is passed over, and begins nothing.
    """
    tasks = {f"t{n}": {"schedule": {"interval": 1}, "nodes": {"a": JOBS[job]}} for n in range(due)}
    with wiring.own_process(), an_engine(folder, tasks) as engine:
        engine.fire()
        online = datetime.now(UTC)  # each fired at once, with the whole second before that
        time.sleep(seconds)
        last = datetime.now(UTC)
        time.sleep(5)
        engine.scheduler.fires = False
        rows = engine.store.instances(limit=2 * due * (seconds + 10))
        times = [(row, datetime.fromisoformat(row.scheduled_time)) for row in rows]
        wanted = [row for row, at in times if online < at <= last]
        found = list(_begun(engine, wanted))
    return of(found), len(found), due * len({row.scheduled_time for row in wanted})


def _begun(engine: Engine, rows: Sequence[InstanceRow]) -> Iterator[float]:
    """Seconds from the scheduled time to the start of the job, of those that began."""
    for row in rows:
        for job in engine.store.jobs(row.id):
            if job.started_at is not None:
                begin, due = map(datetime.fromisoformat, (job.started_at, row.scheduled_time))
                yield (begin - due).total_seconds()


def bare_fires(folder: Path, due: int, seconds: int) -> Lateness:
    """Rows in one transaction a second."""
    found: list[float] = []
    with closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("CREATE TABLE i (id INTEGER PRIMARY KEY, task TEXT, at TEXT, UNIQUE (task, at))")
        for _ in range(seconds):
            second = int(time.time()) + 1
            time.sleep(second - time.time())
            rows = [(f"t{n}", str(second)) for n in range(due)]
            database.execute("BEGIN")
            database.executemany("INSERT INTO i (task, at) VALUES (?, ?)", rows)
            database.execute("COMMIT")
            found += [time.time() - second] * due
    return of(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--online", type=int, default=10_000)
    parser.add_argument("--due", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--job", choices=list(JOBS), default="condition")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="skerry-benchmark-firing-"))  # left behind: see Traps in README.md
    look, floor = idle_look(folder / "idle", given.online), bare_look(folder, given.online)
    print(
        f"look, {given.online} online: {look * 1000:.3f} ms (target {TARGET_LOOK * 1000:g} ms), "
        f"{look / floor:.1f} times the floor"
    )
    bare = bare_fires(folder, given.due, min(given.seconds, 10))
    late, begun, times = fires(folder / "due", given.due, given.seconds, given.job)
    ratio = late.worst_in_100 / bare.worst_in_100
    print(
        f"{given.due} due a second for {given.seconds} s ({given.job}): median {late.middle:.3f} s, "
        f"p99 {late.worst_in_100:.3f} s (target {TARGET_LATE:g} s), {ratio:.1f} times the floor, "
        f"worst {late.worst:.3f} s; {begun} of {times} began"
    )


if __name__ == "__main__":
    main()
