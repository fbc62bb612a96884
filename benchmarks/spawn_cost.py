"""What a job's start costs: a stage with all its files against a bare ``Popen(['sh', '-c', 'true'])``.

    python -m benchmarks.spawn_cost [rounds]

Two at a time, interleaved rounds of 400. The stage makes its directory, logs, lock and exit block, runs
in its wrapper, and has its results and status read and written; no store, no context, no queue.
"""

from __future__ import annotations

import os
import resource
import select
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

from engine.execution.code import code
from engine.execution.directories import JobDirectories
from engine.execution.environment import environment, inherited
from engine.execution.launch import Launch
from engine.execution.spawn import inheritable, spawn

JOBS, PLACES = 400, 2
Start = Callable[[int], tuple[int, Callable[[], object]]]  # number -> pidfd, what to do at its end


def bare(folder: str) -> Start:
    """Nothing but the shell."""

    def start(number: int) -> tuple[int, Callable[[], object]]:
        child = subprocess.Popen(["sh", "-c", "true"])
        pidfd = os.pidfd_open(child.pid)
        return pidfd, lambda: (child.wait(), os.close(pidfd))

    return start


def stage(folder: str) -> Start:
    """A job's process stage as the engine runs it."""
    base, strays = inherited(os.environ), inheritable()
    instance = JobDirectories(folder).instance("t", 1)
    instance.make()
    codes = {"process": code("true\n")}

    def start(number: int) -> tuple[int, Callable[[], object]]:
        job = instance.job("j", number)
        job.make(b"{}\n", codes)
        mark = f"{number}.1.0123456789abcdef"
        env = environment(base, {}, job.path, mark)
        child = spawn(Launch(None, "executeCode/process", job.path, "process", mark, env), strays)
        return child.pidfd, lambda: (child.reap(), job.outputs(), job.read_status(), job.write_status(True))

    return start


def measured(start: Start) -> tuple[float, float]:
    """Microseconds per job: wall, and CPU of this process and of its children."""
    live: dict[int, Any] = {}
    poll, number, done = select.epoll(), 0, 0
    cpu, began = _cpu(), time.perf_counter()
    while done < JOBS:
        while number < JOBS and len(live) < PLACES:
            pidfd, end = start(number)
            poll.register(pidfd, select.EPOLLIN)
            live[pidfd] = end
            number += 1
        for pidfd, _ in poll.poll():
            poll.unregister(pidfd)
            live.pop(pidfd)()
            done += 1
    return (time.perf_counter() - began) / JOBS * 1e6, (_cpu() - cpu) / JOBS * 1e6


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main(rounds: int) -> None:
    """Print both, and the medians of the ratios within a round."""
    warnings.simplefilter("ignore", ResourceWarning)
    with tempfile.TemporaryDirectory() as root:
        folders = [tempfile.mkdtemp(dir=root) for _ in range(rounds)]
        pairs = [(measured(bare(each)), measured(stage(each))) for each in folders]
    for place, name in enumerate(("wall", "CPU")):
        floor, ours = (statistics.median(pair[which][place] for pair in pairs) for which in (0, 1))
        ratio = statistics.median(pair[1][place] / pair[0][place] for pair in pairs)
        print(f"{name}: bare {floor:.0f} µs, stage {ours:.0f} µs a job, {ratio:.2f} times")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
