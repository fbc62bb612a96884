"""What a job that prints a gigabyte costs the engine: CPU seconds of its process, and how fast the job was.

    python -m benchmarks.output [--megabytes 1000] [--rounds 3]

The floor is the same program with a file as its output, without an engine.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from app.wiring import job_types, open_engine, resource_types
from engine.definitions.reader import read_raw
from engine.runtime.submission import Submission

LINE = "2026-11-21 08:00:00 a line of a hundred bytes as programs that talk a lot write them to their log, so"


def script(megabytes: int) -> str:
    """A shell text that prints so much."""
    return f"yes '{LINE}' | head -c {megabytes * 1_000_000}"


def floor(text: str, folder: Path) -> float:
    """Seconds of the program alone."""
    began = time.monotonic()
    with (folder / f"floor-{began}.log").open("wb") as out:
        subprocess.run(["sh", "-c", text], stdout=out, check=True)
    return time.monotonic() - began


def engine(text: str, folder: Path) -> tuple[float, float]:
    """Seconds of the job, and CPU seconds of this process (its children are counted apart)."""
    raw = {"tasks": {"t": {"nodes": {"talk": {"type": "shell", "process": text}}}}}
    definitions = read_raw(raw, job_types(), resource_types())
    with open_engine(tempfile.mkdtemp(dir=folder)) as running:
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF)
        running.wait(running.submit(Submission("t", definitions)))
        after = resource.getrusage(resource.RUSAGE_SELF)
        took = time.monotonic() - began
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the medians."""
    options = argparse.ArgumentParser()
    options.add_argument("--megabytes", type=int, default=1000)
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    folder, text = Path(tempfile.mkdtemp(prefix="skerry-benchmark-")), script(chosen.megabytes)
    rounds = [(floor(text, folder), *engine(text, folder)) for _ in range(chosen.rounds)]
    ratio = statistics.median(took / alone for alone, took, _ in rounds)
    cpu = statistics.median(cpu for *_, cpu in rounds)
    speed = chosen.megabytes / statistics.median(took for _, took, _ in rounds)
    print(f"engine CPU {cpu:.3f} s (target 0.1), {speed:.0f} MB/s, {ratio:.2f} times the program alone")
    print(f"left behind: {folder}", file=sys.stderr)


if __name__ == "__main__":
    main()
