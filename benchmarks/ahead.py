"""The instances of the coming day with their links, made ahead, while jobs are started by hand.

    python -m benchmarks.ahead [--tasks 4200] [--every 0.25] [--rounds 3]

The tasks are chains of ten that fire each hour, each waiting for the one before it, the first one for its
own one before. None fires meanwhile. Each round is a process of its own: it makes all of them from nothing,
while a task of one node is started again and again. The floor of a round is the same rows, inserted with
two ``executemany`` into bare tables that have their primary keys and the uniqueness of task and time, in
one transaction of the same durability.
"""

from __future__ import annotations

import argparse
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from app import wiring
from engine.runtime.engine import Engine
from engine.runtime.submission import Submission

TIMES, SECONDS, MEGABYTES, WAIT = 8, 60, 500, 0.5  # what is allowed
LENGTH = 10  # tasks of a chain
NODES = {"a": {"type": "condition", "value": "1 == 1"}}
UNIQUE = {
    "instance": "PRIMARY KEY (id), UNIQUE (task, scheduled_time)",
    "link": "PRIMARY KEY (instance, upstream)",
}


class Round(NamedTuple):
    """One making: rows made, seconds of it and of the floor, the longest wait of a job, memory."""

    instances: int
    links: int
    took: float
    worked: float  # seconds of CPU, the jobs included
    floor: float
    floor_worked: float
    started: int
    waited: float
    megabytes: float


def definitions(tasks: int) -> dict[str, Any]:
    """Each but the first of its chain waits for the one before it; ``by_hand`` is started meanwhile."""
    made: dict[str, Any] = {}
    minute = (datetime.now(UTC).minute + 55) % 60  # as long as possible from now
    hourly = {"level": "hour", "every": 1, "from": f"00:{minute:02}", "to": f"23:{minute:02}"}
    for number in range(tasks):
        waits = [{"task": f"t{number - 1}"}] if number % LENGTH else [{"self": True}]
        given = {"schedule": hourly, "depends_on": waits, "timeout": "1h", "state": "online"}
        made[f"t{number}"] = {**given, "nodes": NODES}
    return {"tasks": {**made, "by_hand": {"nodes": NODES}}}


def making(root: Path, every: float) -> None:
    """In a process of its own: make them, and print what it took."""
    with wiring.own_process(), wiring.open_engine(root) as engine:
        waits: list[float] = []
        done = threading.Event()
        hand = threading.Thread(target=start_by_hand, args=(engine, every, done, waits))
        hand.start()
        began, worked = time.perf_counter(), time.process_time()
        engine.fire()
        engine.scheduler.wait_until_made()
        took, worked = time.perf_counter() - began, time.process_time() - worked
        engine.scheduler.fires = False
        done.set()
        hand.join()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = {"took": took, "worked": worked, "started": len(waits), "waited": max(waits), "megabytes": memory}
    print(json.dumps(found))


def start_by_hand(engine: Engine, every: float, done: threading.Event, waits: list[float]) -> None:
    """Seconds from the wish to start a task to the start of its job, again and again."""
    while not done.is_set():
        began = time.time()
        instance = engine.submit(Submission("by_hand"))
        engine.wait(instance, 60)
        [job] = engine.store.jobs(instance)
        assert job.started_at is not None
        waits.append(datetime.fromisoformat(job.started_at).timestamp() - began)
        done.wait(every)


def floor(root: Path) -> tuple[int, int, float, float]:
    """Instances, links, and the seconds, elapsed and of CPU, of a bare insertion of the same."""
    with closing(sqlite3.connect(root / "skerry.db")) as made:
        rows = {
            table: made.execute(f"SELECT * FROM {table} WHERE {where}").fetchall()
            for table, where in (("instance", "run = 0"), ("link", "true"))
        }
        columns = {
            table: [name for _, name, *_ in made.execute(f"PRAGMA table_info({table})")] for table in rows
        }
    with closing(sqlite3.connect(root / "bare.db", isolation_level=None)) as bare:
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute("PRAGMA synchronous = FULL")
        for table, names in columns.items():
            bare.execute(f"CREATE TABLE {table} ({', '.join(names)}, {UNIQUE[table]})")
        began, worked = time.perf_counter(), time.process_time()
        bare.execute("BEGIN")
        for table, values in rows.items():
            marks = ", ".join("?" for _ in columns[table])
            bare.executemany(f"INSERT INTO {table} VALUES ({marks})", values)
        bare.execute("COMMIT")
        took, worked = time.perf_counter() - began, time.process_time() - worked
    return len(rows["instance"]), len(rows["link"]), took, worked


def measured(given: argparse.Namespace) -> Round:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "workspace.yaml").write_text("monitor: false\ntimezone: UTC\n")
        with closing(wiring.open_engine(root).store) as store:
            store.save_definitions(definitions(given.tasks))
        command = [sys.executable, "-m", "benchmarks.ahead", "--root", name, "--every", str(given.every)]
        own = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        instances, links, bare, worked = floor(root)
        return Round(instances, links, floor=bare, floor_worked=worked, **own)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tasks", type=int, default=4200)
    parser.add_argument("--every", type=float, default=0.25, help="seconds between two starts by hand")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.root:
        return making(given.root, given.every)
    rounds = [measured(given) for _ in range(given.rounds)]
    first = rounds[0]
    print(f"{first.instances} instances with {first.links} links")
    print(f"made in           {median(each.took for each in rounds):>8.1f} s (at most {SECONDS} s)")
    print(f"bare executemany  {median(each.floor for each in rounds):>8.1f} s")
    print(f"ratio             {median(each.took / each.floor for each in rounds):>8.1f} (at most {TIMES})")
    cpu = median(each.worked / each.floor_worked for each in rounds)
    print(f"ratio of CPU      {cpu:>8.1f}")
    print(f"memory            {max(each.megabytes for each in rounds):>8.0f} MB (at most {MEGABYTES})")
    longest, started = max(each.waited for each in rounds), sum(each.started for each in rounds)
    print(f"{started} jobs meanwhile, the longest wait {longest:.2f} s (at most {WAIT} s)")
    return None


if __name__ == "__main__":
    main()
