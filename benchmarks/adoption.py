"""Taking up live jobs: an engine is killed while so many run; how long the next one takes to have them all.

    python -m benchmarks.adoption [--jobs 1000]

Each job is a real process with all files of the contract. What is measured is ``Engine.start`` of the second
engine, from owning the workspace until every job is watched. Then all jobs are let go, and
each must come to its own end, started once. Exit status 1 if one does not.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from app import wiring
from engine.runtime.engine import Engine
from engine.runtime.submission import Submission

_HOLD = 'echo "$SKERRY_ATTEMPT" >> "$journal"; : < "$go"'  # blocks until the fifo is opened for writing
_PATIENCE = 900.0  # seconds


def begin(root: Path, jobs: int) -> None:
    """The first engine, in this process: starts them all, says so, and waits to be killed."""
    from engine.definitions.reader import read_raw

    nodes = {f"n{number}": {"job": "hold"} for number in range(jobs)}
    given = {"journal": {"value": str(root / "journal")}, "go": {"value": str(root / "go")}}
    raw = {
        "jobs": {"hold": {"type": "shell", "process": _HOLD, "params": given}},
        "tasks": {"t": {"nodes": nodes}},
    }
    definitions = read_raw({"skerry": 1, **raw}, wiring.job_types(), wiring.resource_types())
    with wiring.open_engine(root) as engine:
        engine.submit(Submission("t", definitions))
        _until(lambda: len(started(root)) == jobs, "all jobs run")
        print("up", flush=True)
        signal.pause()


def started(root: Path) -> list[str]:
    """The marks of the attempts that have begun."""
    journal = root / "journal"
    return journal.read_text().split() if journal.exists() else []


def adopt(root: Path) -> tuple[Engine, float, float]:
    """The second engine, the seconds until it has taken everything up, and those of CPU."""
    engine = wiring.open_engine(root)
    began, worked = time.perf_counter(), time.process_time()
    engine.start()
    engine.services.loop.ask(lambda: None)
    return engine, time.perf_counter() - began, time.process_time() - worked


def _until(holds: object, what: str) -> None:
    end = time.monotonic() + _PATIENCE
    while not holds():  # type: ignore[operator]
        if time.monotonic() > end:
            raise SystemExit(f"not within {_PATIENCE:g} s: {what}")
        time.sleep(0.05)


def measure(jobs: int) -> int:
    """Run it; prints the time and what was wrong."""
    root = Path(tempfile.mkdtemp(prefix="skerry-benchmark-adoption-"))
    os.mkfifo(root / "go")
    (root / "workspace.yaml").write_text(f"places: {jobs}\nmonitor: false\ntimezone: UTC\n")
    first = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.adoption", "--begin", str(root), "--jobs", str(jobs)],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert first.stdout is not None
    first.stdout.readline()
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    engine, seconds, worked = adopt(root)
    [instance] = [row.id for row in engine.store.unfinished()]
    taken = sum(row.status == "running" for row in engine.store.jobs(instance))
    print(f"{taken} live jobs taken up in {seconds:.2f} s, {worked:.2f} s of CPU", flush=True)
    with open(root / "go", "wb"):
        ended = engine.wait(instance, _PATIENCE)
    well = sum(row.status == "succeeded" for row in engine.store.jobs(instance))
    twice = len(started(root)) - len(set(started(root)))
    engine.close()
    print(f"{well} of {jobs} succeeded, {twice} started twice")
    return 0 if ended and taken == well == jobs and not twice else 1


def main() -> int:
    """See the module."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--jobs", type=int, default=1000)
    options.add_argument("--begin", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.begin:
        begin(given.begin, given.jobs)
        return 0
    return measure(given.jobs)


if __name__ == "__main__":
    sys.exit(main())
