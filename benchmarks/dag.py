"""The engine against the floor: the same DAG by a small C program that keeps nothing, in interleaved rounds.

    python -m benchmarks.dag [--rounds 5] [wide chain mosaic]

Each row is the median over rounds of (engine / floor) within one round, since a shared machine is
fast in one minute and slow in the next. See README.md beside this file for the method.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.shapes import SHAPES

HERE = Path(__file__).parent
PLACES = 2
TARGETS = {"wide": (3.5, 2.9), "chain": (3.0, None), "mosaic": (3.4, None)}


def build() -> Path:
    """The floor, compiled with the system's compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        sys.exit("no C compiler: apt-get install gcc")
    target = HERE / "build" / "floor"
    target.parent.mkdir(exist_ok=True)
    subprocess.run([compiler, "-O2", "-o", target, HERE / "floor.c"], check=True)
    return target


def floor(program: Path, shape: str) -> dict[str, float]:
    """Seconds of the floor."""
    lines = "".join(f"{id} {' '.join(map(str, parents))}\n" for id, parents in SHAPES[shape]())
    done = subprocess.run([program, str(PLACES)], input=lines, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def engine(shape: str) -> dict[str, float]:
    """Seconds and memory of the engine, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.engine_dag", shape]
    compiled = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE.parent, env=compiled)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser()
    options.add_argument("shapes", nargs="*", default=list(SHAPES))
    options.add_argument("--rounds", type=int, default=5)
    chosen = options.parse_args()
    program = build()
    print(f"{'shape':8} {'wall':>6} {'cpu':>6} {'target':>12}  {'floor s':>8} {'engine s':>8} {'memory':>8}")
    for shape in chosen.shapes:
        rounds = [(floor(program, shape), engine(shape)) for _ in range(chosen.rounds)]
        wall = statistics.median(ours["wall"] / least["wall"] for least, ours in rounds)
        cpu = statistics.median(ours["cpu"] / least["cpu"] for least, ours in rounds)
        memory = max(ours["memory_mb"] for _, ours in rounds)
        target = "/".join(f"{each:g}" for each in TARGETS[shape] if each)
        seconds = [statistics.median(each["wall"] for each in side) for side in zip(*rounds, strict=True)]
        print(
            f"{shape:8} {wall:6.2f} {cpu:6.2f} {target:>12}  "
            f"{seconds[0]:8.3f} {seconds[1]:8.3f} {memory:5.0f} MB"
        )


if __name__ == "__main__":
    main()
