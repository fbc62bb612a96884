"""What a command costs from cold: ``skerry --help``, and ``skerry run`` of one job, beside a bare Python.

    python -m benchmarks.startup [--rounds 7]

Median seconds of interleaved rounds, and their ratio to ``python -c pass`` within one round. Every run has a
workspace of its own, so making the database is part of it.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TASK = "{skerry: 1, tasks: {t: {nodes: {a: {type: shell, process: 'true'}}}}}\n"
TARGETS = {"skerry --help": 0.2, "skerry run": 1.2}


def commands(folder: Path) -> dict[str, list[str]]:
    """What is measured; each call has a new workspace."""
    skerry = str(Path(sys.executable).parent / "skerry")
    workspace = tempfile.mkdtemp(dir=folder)
    return {
        "python -c pass": [sys.executable, "-c", "pass"],
        "skerry --help": [skerry, "--help"],
        "skerry run": [skerry, "--workspace", workspace, "run", str(folder / "t.yaml")],
    }


def seconds(command: list[str]) -> float:
    """From the start of the process to its end."""
    began = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    return time.monotonic() - began


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=7)
    rounds = options.parse_args().rounds
    folder = Path(tempfile.mkdtemp(prefix="skerry-benchmark-"))
    (folder / "t.yaml").write_text(TASK, "utf-8")
    taken = [
        {name: seconds(command) for name, command in commands(folder).items()} for _ in range(rounds + 1)
    ][1:]  # the first one fills the page cache
    print(f"{'command':16} {'seconds':>8} {'ratio':>6} {'target':>7}")
    for name in taken[0]:
        middle = statistics.median(each[name] for each in taken)
        ratio = statistics.median(each[name] / each["python -c pass"] for each in taken)
        print(f"{name:16} {middle:8.3f} {ratio:6.1f} {TARGETS.get(name, ''):>7}")


if __name__ == "__main__":
    main()
