"""What a command costs from cold, beside a bare Python: with and without an engine that answers.

    python -m benchmarks.startup [--rounds 7]

Median seconds, CPU seconds (children included), and the ratio of the latter to ``python -c pass``
within one round, of interleaved rounds. Every ``skerry run`` has a workspace of its own, so making the
database is part of it.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

TASK = "{skerry: 1, tasks: {t: {nodes: {a: {type: shell, process: 'true'}}}}}\n"
SKERRY = str(Path(sys.executable).parent / "skerry")
TARGETS = {"list, no engine": 0.25, "show, no engine": 0.25, "list": 0.18, "show": 0.18}  # CPU seconds


class Cost(NamedTuple):
    """Of one command, in seconds."""

    wall: float
    cpu: float


def commands(folder: Path) -> dict[str, list[str]]:
    """What is measured; each call has a new workspace for ``run``."""

    def at(workspace: str, *arguments: str) -> list[str]:
        return [SKERRY, "--workspace", workspace, *arguments]

    still, busy = str(folder / "still"), str(folder / "busy")
    return {
        "python -c pass": [sys.executable, "-c", "pass"],
        "--version": [SKERRY, "--version"],
        "--help": [SKERRY, "--help"],
        "list, no engine": at(still, "list"),
        "show, no engine": at(still, "show", "1"),
        "list": at(busy, "list"),
        "show": at(busy, "show", "1"),
        "run": at(tempfile.mkdtemp(dir=folder), "run", str(folder / "t.yaml")),
    }


def cost(command: list[str]) -> Cost:
    """From the start of the process to its end."""
    began, before = time.monotonic(), _cpu_of_children()
    subprocess.run(command, check=True, capture_output=True)
    return Cost(time.monotonic() - began, _cpu_of_children() - before)


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)  # os.times counts in hundredths
    return used.ru_utime + used.ru_stime


@contextmanager
def prepared() -> Iterator[Path]:
    """A workspace in which one task ran, and another one in which an engine answers besides."""
    folder = Path(tempfile.mkdtemp(prefix="skerry-benchmark-"))
    (folder / "t.yaml").write_text(TASK, "utf-8")
    for name in ("still", "busy"):
        run = [SKERRY, "--workspace", str(folder / name), "run", str(folder / "t.yaml")]
        subprocess.run(run, check=True, capture_output=True)
    serve = [SKERRY, "--workspace", str(folder / "busy"), "serve"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE) as engine:
        assert engine.stdout is not None
        engine.stdout.readline()  # ready
        try:
            yield folder
        finally:
            engine.terminate()


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=7)
    rounds = options.parse_args().rounds
    with prepared() as folder:
        each = [{name: cost(args) for name, args in commands(folder).items()} for _ in range(rounds + 1)]
    taken = each[1:]  # the first one fills the page cache and has the engine load its framework
    print(f"{'command':16} {'seconds':>8} {'CPU':>6} {'ratio':>6} {'target':>7}")
    for name in taken[0]:
        wall = statistics.median(each[name].wall for each in taken)
        cpu = statistics.median(each[name].cpu for each in taken)
        ratio = statistics.median(each[name].cpu / each["python -c pass"].cpu for each in taken)
        print(f"{name:16} {wall:8.3f} {cpu:6.3f} {ratio:6.1f} {TARGETS.get(name, ''):>7}")


if __name__ == "__main__":
    main()
