"""Durable transitions a second: the store, and a bare sqlite3 group-commit loop that writes as much.

    python -m benchmarks.store_commits [--seconds 2] [--rounds 5] [--threads 64] [--durability full]

A transition is one update of a job's row and one context line, durable before the next one of the same
caller. The bare loop has a writer thread, one table for each of the two, no checksums, no classes.
"""

from __future__ import annotations

import argparse
import queue
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from engine.store.changes import Changes
from engine.store.opening import open_store

TIME = "2026-11-21T08:00:00.000000+00:00"
LINE = (
    '{"seq":1,"time":"2026-11-21T08:00:00.000000+00:00","run":1,"actor":"engine",'
    '"path":"$.JOB[\'look\'].STATUS","new":"running","sum":"00000000"}'
)
Transition = Callable[[int, int], None]  # (caller, number)


class SystemClock:
    """The computer's clock."""

    def now(self) -> datetime:
        """The present moment."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds for durations."""
        return time.monotonic()


@contextmanager
def the_store(folder: Path, callers: int, durability: str) -> Iterator[Transition]:
    """``Store.commit`` as the engine uses it."""
    store = open_store(f"sqlite:///{folder}/store.db", durability=durability, clock=SystemClock())  # type: ignore[arg-type]
    rows = Changes()
    moment = {"created_at": TIME, "status": "running"}
    rows.insert("instance", {"id": 1, "task": "t", "trigger": "manual", "scheduled_time": TIME, **moment})
    for caller in range(callers):
        rows.insert(
            "job_instance", {"id": caller, "instance": 1, "run": 1, "node": "n", "job": "j", **moment}
        )
    store.commit(rows)

    def transition(caller: int, number: int) -> None:
        changes = Changes()
        changes.move("job_instance", caller, "running", "running", {"started_at": TIME, "attempt": number})
        changes.line(caller + 1, number, LINE)
        store.commit(changes)

    yield transition
    store.close()


@contextmanager
def bare_sqlite(folder: Path, callers: int, durability: str) -> Iterator[Transition]:
    """A queue and a thread that commits what gathered during the last commit."""
    jobs: queue.SimpleQueue[tuple[int, int, threading.Lock] | None] = queue.SimpleQueue()
    writer = threading.Thread(target=_write_groups, args=(folder / "bare.db", callers, durability, jobs))
    writer.start()

    def transition(caller: int, number: int) -> None:
        done = threading.Lock()
        done.acquire()
        jobs.put((caller, number, done))
        done.acquire()

    yield transition
    jobs.put(None)
    writer.join()


@contextmanager
def bare_inline(folder: Path, callers: int, durability: str) -> Iterator[Transition]:
    """One caller that commits by itself."""
    connection = _bare_connection(folder / "inline.db", callers, durability)

    def transition(caller: int, number: int) -> None:
        connection.execute("BEGIN IMMEDIATE")
        _write(connection, caller, number)
        connection.execute("COMMIT")

    yield transition
    connection.close()


def _write_groups(
    path: Path,
    callers: int,
    durability: str,
    jobs: queue.SimpleQueue[tuple[int, int, threading.Lock] | None],
) -> None:
    connection = _bare_connection(path, callers, durability)
    while (first := jobs.get()) is not None:
        group = [first]
        while not jobs.empty() and (more := jobs.get()) is not None:
            group.append(more)
        connection.execute("BEGIN IMMEDIATE")
        for caller, number, _ in group:
            _write(connection, caller, number)
        connection.execute("COMMIT")
        for _, _, done in group:
            done.release()
    connection.close()


def _bare_connection(path: Path, callers: int, durability: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {durability}")
    connection.execute("CREATE TABLE job (id INTEGER PRIMARY KEY, status, started_at, attempt)")
    connection.execute("CREATE TABLE line (id INTEGER PRIMARY KEY, text)")
    rows = ((caller, "pending", None, 0) for caller in range(callers))
    connection.executemany("INSERT INTO job VALUES (?, ?, ?, ?)", rows)
    return connection


def _write(connection: sqlite3.Connection, caller: int, number: int) -> None:
    update = "UPDATE job SET status = ?, started_at = ?, attempt = ? WHERE id = ?"
    connection.execute(update, ("running", TIME, number, caller))
    connection.execute("INSERT INTO line VALUES (?, ?)", ((caller + 1) << 32 | number, LINE))


def rate(transition: Transition, callers: int, seconds: float) -> float:
    """Transitions a second of so many callers at once."""
    end = time.perf_counter() + seconds
    done = [0] * callers

    def call(caller: int) -> None:
        while time.perf_counter() < end:
            done[caller] += 1
            transition(caller, done[caller])

    begin = time.perf_counter()
    threads = [threading.Thread(target=call, args=(caller,)) for caller in range(callers)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return sum(done) / (time.perf_counter() - begin)


def main() -> None:
    """Rounds in turns, so that whatever disturbs the machine disturbs both; medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=64)
    parser.add_argument("--durability", choices=["full", "normal"], default="full")
    given = parser.parse_args()
    for callers, bare in ((1, bare_inline), (given.threads, bare_sqlite)):
        rates: dict[str, list[float]] = {"store": [], "bare sqlite3": []}
        for number in range(given.rounds):
            for name, make in (("store", the_store), ("bare sqlite3", bare)):
                prefix = f"skerry-{number}-"
                with (
                    tempfile.TemporaryDirectory(prefix=prefix) as folder,
                    make(Path(folder), callers, given.durability) as transition,
                ):
                    rates[name].append(rate(transition, callers, given.seconds))
        ratio = median(ours / bare_ for ours, bare_ in zip(*rates.values(), strict=True))
        shown = ", ".join(f"{name} {median(values):,.0f}/s" for name, values in rates.items())
        print(f"{callers} at once, {given.durability}: {shown}, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
