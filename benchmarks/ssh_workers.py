"""Many workers behind SSH: what idle ones cost, and how soon a job of all of them has begun on each.

    python -m benchmarks.ssh_workers [--workers 100] [--seconds 30]

All are roots of one server on this machine, so the server's share is not that of a hundred machines.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from app.wiring import open_engine, own_process
from benchmarks.far_workers import connected, submitted, succeeded
from engine.runtime.engine import Engine
from tests.servers.private import folder
from tests.servers.ssh_workers import serving

BEGUN, CORE, MEMORY = 5.0, 3.0, 150  # seconds; percent of a core; megabytes
_LOOK = 0.02


def memory() -> int:
    """Resident bytes of this process."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def idle(seconds: float) -> float:
    """Percent of a core that this process takes while nothing happens."""
    before = time.process_time()
    time.sleep(seconds)
    return (time.process_time() - before) / seconds * 100


def begun_on_all(opened: Engine, root: Path, count: int) -> float:
    """Seconds from the submission until the job has begun on each."""
    marks = root / "marks"
    marks.mkdir()
    process = f': > "{marks}/$SKERRY_ATTEMPT"'
    node = {"type": "shell", "process": process, "on": {"group": "all", "strategy": "all"}}
    began = time.monotonic()
    instance = submitted(opened, {"n": node})
    while len(os.listdir(marks)) < count:
        time.sleep(_LOOK)
    seconds = time.monotonic() - began
    succeeded(opened, instance)
    return seconds


def main() -> None:
    """Print three rows."""
    options = argparse.ArgumentParser()
    options.add_argument("--workers", type=int, default=100)
    options.add_argument("--seconds", type=float, default=30.0)
    chosen = options.parse_args()
    workspace, roots = tempfile.mkdtemp(), Path(tempfile.mkdtemp())
    with (
        folder() as place,
        serving(place, f"SetEnv HOME={place}") as server,
        open_engine(workspace) as opened,
        own_process(),
    ):
        without = memory()
        connected(opened, server, {f"w{n}": roots / f"w{n}" for n in range(chosen.workers)}, 2, ["all"])
        core = idle(chosen.seconds)
        used = (memory() - without) / 1e6
        begun = begun_on_all(opened, roots, chosen.workers)
    print(f"{chosen.workers} idle workers: {core:.2f} % of a core, of {CORE:g}; {used:.0f} MB, of {MEMORY}")
    print(f"a job of all has begun on each after {begun:.2f} s, of {BEGUN:g}")


if __name__ == "__main__":
    main()
