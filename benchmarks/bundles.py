"""Bundles against ``tar | zstd -3 | age`` and back: time as a ratio, and memory.

    python -m benchmarks.bundles [--size 1000] [--rounds 3]

Needs tar, zstd and age (``apt-get install zstd age``). Each round runs every way once, one after the
other, on the same log files; the median of the ratios within the rounds is printed. On a machine that
others use too look at the CPU: a process of several threads gets less of it than three processes.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from engine.runtime.clock import SystemClock
from export_import.collecting import Guard, pieces_of
from export_import.container import Writer, open_bundle
from export_import.keys import Keys
from export_import.redaction.inventory import Inventory
from export_import.redaction.pseudonyms import Pseudonyms
from export_import.redaction.redactor import Redactor
from export_import.redaction.scan import second_look
from export_import.unpacking import unpack

CLOCK = SystemClock()
FILE = 5_000_000
WAYS = ("plain", "redacted", "checked", "import")
_NAMES = Inventory(
    frozenset({"db01", "db01.site.local"}), frozenset({"site.local"}), frozenset({"lihua", "zhangwei"})
)


class Taken(NamedTuple):
    """What a way took: seconds, seconds of CPU, and the most memory in MB (0: not measured)."""

    wall: float
    cpu: float
    memory: float = 0.0


def main() -> None:
    """Make the logs, run the rounds, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=int, default=1000, help="of all logs, in MB")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        return _one(given.way, given.folder)
    folder = Path(tempfile.mkdtemp(prefix="skerry-benchmark-"))
    _logs(folder / "logs", given.size)
    keys = Keys(folder, CLOCK)
    (folder / "identity").write_text((keys.folder / "age.txt").read_text() if keys.recipient else "")
    found = [_round(folder, keys.recipient) for _ in range(given.rounds)]
    _print(found, given.size)
    shutil.rmtree(folder)
    return None


def _logs(folder: Path, size: int) -> None:
    """Files of 5 MB with lines that are like each other, but not equal; one in a hundred names a host."""
    folder.mkdir()
    rng = random.Random(1)
    for number in range(max(size * 1_000_000 // FILE, 1)):
        with open(folder / f"job-{number}.log", "w", encoding="utf-8") as out:
            written = line = 0
            while written < FILE:
                line += 1
                host = f" from 10.1.{rng.randrange(256)}.7 (db01)" if line % 100 == 0 else ""
                second, micro = line % 60, rng.randrange(10**6)
                written += out.write(
                    f"2026-11-21T14:38:{second:02d}.{micro:06d}+00:00 INFO worker {line % 97} "
                    f"batch {rng.getrandbits(64):016x} rows={rng.randrange(10**6)} status=ok{host}\n"
                )


def _round(folder: Path, recipient: str) -> dict[str, Taken]:
    """Seconds and MB of memory of each way."""
    shutil.rmtree(folder / "unpacked", ignore_errors=True)
    (folder / "unpacked").mkdir()
    pack = f"tar -C {folder} -cf - logs | zstd -q -3 | age -r {recipient} > {folder}/logs.age"
    open_ = f"age -d -i {folder}/identity {folder}/logs.age | zstd -q -d | tar -C {folder}/unpacked -xf -"
    found = {"pipeline": _timed(["sh", "-c", pack])}
    for way in WAYS[:3]:
        shutil.rmtree(folder / "out", ignore_errors=True)
        found[way] = _child(way, folder)
    found["pipeline back"] = _timed(["sh", "-c", open_])
    found["import"] = _child("import", folder)
    return found


def _child(way: str, folder: Path) -> Taken:
    command = [sys.executable, "-m", "benchmarks.bundles", "--way", way, "--folder", str(folder)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return Taken(*map(float, told))


def _timed(command: list[str]) -> Taken:
    start, before = time.monotonic(), _cpu_of_children()
    subprocess.run(command, check=True)
    return Taken(time.monotonic() - start, _cpu_of_children() - before)


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _one(way: str, folder: Path) -> None:
    """One way in a process of its own; prints its seconds, its CPU, and the most memory it had, in MB."""
    start, before = time.monotonic(), time.process_time()
    if way == "import":
        _import(folder)
    else:
        _export(folder, redact=way != "plain", look=way == "checked")
    seconds, cpu = time.monotonic() - start, time.process_time() - before
    print(seconds, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _export(folder: Path, *, redact: bool, look: bool) -> None:
    keys = Keys(folder, CLOCK)
    known = frozenset(secrets.token_urlsafe(16) for _ in range(200)) if redact else frozenset()
    redactor = Redactor(known, _NAMES if redact else None, Pseudonyms(keys) if redact else None)
    guard = Guard()
    with Writer(
        folder / "out", kind="diagnostic", keys=keys, recipients=[keys.recipient], clock=CLOCK
    ) as writer:
        for path in sorted((folder / "logs").iterdir()):
            content = guard.each(lambda path=path: redactor.over("bytes", pieces_of(path)), 1e6)  # type: ignore[misc]
            writer.add(f"logs/{path.name}", content)
        part = writer.seal(instances=[])
        if look:
            second_look(part, keys, known, CLOCK, lambda: False)
        writer.publish()


def _import(folder: Path) -> None:
    target = folder / f"case-{os.getpid()}"
    target.mkdir()
    lost = unpack(open_bundle([folder / "out"], Keys(folder, CLOCK), clock=CLOCK), target, lambda size: None)
    assert not lost
    (folder / "moved").mkdir(exist_ok=True)
    target.rename(folder / "moved" / target.name)


def _print(found: list[dict[str, Taken]], size: int) -> None:
    for line in _table(found, size):
        print(line)


def _table(found: list[dict[str, Taken]], size: int) -> Iterator[str]:
    yield f"{'way':<16}{'MB/s':>8}{'of the pipeline':>17}{'its CPU':>9}{'memory MB':>11}"
    for way in ("pipeline", *WAYS[:3], "pipeline back", "import"):
        floor = "pipeline back" if way in ("import", "pipeline back") else "pipeline"
        speed = median(size / each[way].wall for each in found)
        ratio = median(each[floor].wall / each[way].wall for each in found)
        cpu = median(each[way].cpu / each[floor].cpu for each in found)
        memory = max(each[way].memory for each in found)
        yield f"{way:<16}{speed:>8.0f}{ratio:>17.2f}{cpu:>9.2f}{memory:>11.0f}"


if __name__ == "__main__":
    main()
