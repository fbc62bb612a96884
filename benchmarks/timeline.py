"""How quickly any moment of a long run is there, and its expressions are computed again.

    python -m benchmarks.timeline [--lines 100000] [--moments 200]

Times are CPU seconds of this process; the floor of a moment is reading as many lines as one piece has.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from pathlib import Path

from engine.context import TaskContext
from engine.context.timeline import EVERY, Timeline
from engine.runtime.clock import SystemClock
from export_import.desk.reevaluation import Tally

_ENTRY: dict[str, object] = {
    "PARAMS": {},
    "RESULT": {},
    "STATUS": "running",
    "EXIT_CODE": None,
    "WORKER": "local",
    "ATTEMPT": 1,
}


def log_of(count: int) -> list[str]:
    """A log of many jobs, seven lines each."""
    context = TaskContext(SystemClock())
    context.set(("TASK",), {"ID": "t", "STATUS": "running"}, run=1)
    job = 0
    while context.seq < count:
        job += 1
        path = ("JOB", f"node{job}")
        context.set(path, {**_ENTRY, "INSTANCE": job, "DIRECTORY": f"/site/jobs/job-node{job}-{job}"}, run=1)
        context.set((*path, "PARAMS", "a"), "t", run=1, expression="$.TASK.ID", inputs={"$.TASK.ID": "t"})
        for result in range(4):
            context.set((*path, "RESULT", f"r{result}"), "some text", run=1)
        context.set((*path, "STATUS"), "succeeded", run=1)
    return [line.text for line in context.drain()]


def took(work: object) -> float:
    """CPU seconds of a call."""
    began = time.process_time()
    work()  # type: ignore[operator]
    return time.process_time() - began


def main() -> None:
    """Print the medians."""
    options = argparse.ArgumentParser()
    options.add_argument("--lines", type=int, default=100_000)
    options.add_argument("--moments", type=int, default=200)
    chosen = options.parse_args()
    lines = log_of(chosen.lines)
    made: list[Timeline] = []
    reading = took(lambda: made.append(Timeline(lines)))
    [timeline] = made
    picks = [random.randint(1, timeline.last) for _ in range(chosen.moments)]
    moments = sorted(took(lambda at=at: len(timeline.at(at).statuses)) for at in picks)
    floor = statistics.median(took(lambda: [json.loads(line) for line in lines[:EVERY]]) for _ in range(9))
    tally = Tally()
    again = took(lambda: computed_again(timeline, tally))
    median, slow = (1e3 * each for each in (statistics.median(moments), moments[int(len(moments) * 0.95)]))
    print(f"{timeline.last:,} lines read in {reading:.2f} s")
    print(f"a moment: median {median:.1f} ms, 95 % {slow:.1f} ms (target 100); floor {1e3 * floor:.1f} ms")
    differ = len(tally.differences)
    print(f"{tally.expressions:,} expressions computed again in {again:.2f} s, {differ} differences")


def computed_again(timeline: Timeline, tally: Tally) -> None:
    """Every expression of the log."""
    for each in timeline.causes():
        if each.expression:
            tally.add(each, Path(), "UTC")


if __name__ == "__main__":
    main()
