"""Run one shape once through an embedded engine and print its cost as JSON (a process of its own)."""

from __future__ import annotations

import json
import resource
import sys
import time

from app.wiring import job_types, open_engine, own_process, resource_types
from benchmarks.places import apart
from benchmarks.shapes import SHAPES
from engine.definitions.reader import read_raw
from engine.runtime.submission import Submission


def cpu() -> float:
    """Seconds of this process and of its children that have ended."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def main() -> None:
    """Run it in a workspace that is left behind: deleting thousands of files slows the next round."""
    dag = SHAPES[sys.argv[1]]()
    nodes = {
        f"n{id}": {"type": "shell", "process": "true", "after": [f"n{parent}" for parent in parents]}
        for id, parents in dag
    }
    definitions = read_raw({"tasks": {"t": {"nodes": nodes}}}, job_types(), resource_types())
    workspace = apart()
    with open_engine(workspace) as engine, own_process():
        cpu_before, began = cpu(), time.monotonic()
        instance = engine.submit(Submission("t", definitions))
        engine.wait(instance)
        wall, cpu_used = time.monotonic() - began, cpu() - cpu_before
        row = engine.store.instance(instance)
        assert row is not None
        assert row.status == "succeeded", row
    most_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"wall": wall, "cpu": cpu_used, "memory_mb": most_memory}))


if __name__ == "__main__":
    main()
