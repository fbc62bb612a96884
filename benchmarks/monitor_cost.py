"""What the monitor costs: percent of a core at one sample a second, for 200 watched processes.

    python benchmarks/monitor_cost.py [processes]

Once as one job with many processes, once as many jobs with one each. CPU time of the sampling itself,
median of the samples after the first.
"""

from __future__ import annotations

import os
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

from engine.runtime.clock import SystemClock
from engine.runtime.monitoring.recorder import EVERY, Recorder

SAMPLES = 30


def sleepers(count: int) -> list[int]:
    """Processes in sessions of their own that do nothing."""
    argv = ("sleep", "1000")
    return [os.posix_spawnp("sleep", argv, os.environ, setsid=True) for _ in range(count)]


def family(count: int) -> tuple[int, list[int]]:
    """One session with ``count`` processes."""
    script = f"i=1; while [ $i -lt {count} ]; do sleep 1000 & i=$((i+1)); done; echo up; wait"
    read, write = os.pipe()
    leader = os.posix_spawn(
        "/bin/sh",
        ("sh", "-c", script),
        os.environ,
        setsid=True,
        file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)],
    )
    os.read(read, 3)
    os.close(read)
    os.close(write)
    return leader, [leader]


def cost(jobs: list[int], folder: Path) -> tuple[float, float]:
    """Percent of a core and milliseconds per sample."""
    recorder = Recorder(folder, SystemClock())
    for pid in jobs:
        recorder.add(f"mark-{pid}", pid, f"{folder}/{pid}.csv")
    recorder.tick()
    taken = []
    for _ in range(SAMPLES):
        before = time.thread_time()
        recorder.tick()
        taken.append(time.thread_time() - before)
    recorder.stop()
    middle = statistics.median(taken)
    return 100 * middle / EVERY, 1000 * middle


def main(count: int) -> None:
    """Print both figures."""
    with tempfile.TemporaryDirectory() as root:
        pids = sleepers(count)
        try:
            percent, milliseconds = cost(pids, Path(root))
            print(f"{count} jobs of one process:  {percent:.2f} % of a core ({milliseconds:.2f} ms a sample)")
        finally:
            end(pids)
        leader, pids = family(count)
        try:
            percent, milliseconds = cost([leader], Path(root))
            print(f"one job of {count} processes: {percent:.2f} % of a core ({milliseconds:.2f} ms a sample)")
        finally:
            end(pids)


def end(leaders: list[int]) -> None:
    """End what was started here."""
    for pid in leaders:
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
