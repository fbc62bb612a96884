"""Bundles against ``tar | zstd -3 | age`` and back: time as a ratio, memory, and the first screen of a case.

    python -m benchmarks.bundles [--size 1000] [--rounds 3]

Needs tar, zstd and age (``apt-get install zstd age``). A run with that many MB in the logs of ten jobs is
exported as it is, exported with 200 secrets to redact (``redacted`` is up to the finished parts, ``checked``
with the leak check and all that follows), imported, its case is opened in a window, and its logs, which stay
packed in a case, are laid out as files. Each round runs
every way once, one after the other, with nothing left to be written to the disk and the same memory at
hand; the median of the ratios within the rounds is printed. Where others use the machine too, ``chrt -f 1``
before the command keeps them out.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from engine.runtime.clock import SystemClock
from export_import.keys import Keys

CLOCK = SystemClock()
JOBS = 10
WAYS = ("plain", "checked", "import", "first screen", "laid out")
TO_REACH = {"plain": 1.0, "redacted": 0.8, "import": 1.0}  # of the pipeline's speed
_MEMORY, _FIRST_SCREEN = 100.0, 2.0  # MB; seconds
_TASK = """
skerry: 1
tasks:
  logs:
    nodes:
      write:
        type: shell
        for_each: "{jobs}"
        params: {{file: "$.ITEM"}}
        process: cat "$file"
      fail: {{type: shell, after: [write], process: echo "the disk db01 is full" >&2; exit 3}}
"""


class Taken(NamedTuple):
    """What a way took: seconds, seconds of CPU, and the most memory in MB (0: not measured)."""

    wall: float
    cpu: float
    memory: float = 0.0


def main() -> None:
    """Make the run, do the rounds, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=int, default=1000, help="of all logs, in MB")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        return _one(given.way, given.folder)
    folder = given.folder or Path(tempfile.mkdtemp(prefix="skerry-benchmark-"))
    if not (folder / "site").exists():
        _make_site(folder, given.size)
    keys = Keys(folder / "site", CLOCK)
    (folder / "identity").write_text((keys.folder / "age.txt").read_text() if keys.recipient else "")
    found = [_round(folder, keys.recipient) for _ in range(given.rounds)]
    for line in _table(found, given.size):
        print(line)
    if not given.folder:
        shutil.rmtree(folder)
    return None


def _make_site(folder: Path, size: int) -> None:
    from app.wiring import open_engine
    from engine.api.documents import RunRequest, Source
    from engine.api.local import LocalService

    logs = folder / "logs"
    logs.mkdir(parents=True)
    for number in range(JOBS):
        _log(logs / f"{number}.log", number, size * 1_000_000 // JOBS)
    text = _TASK.format(jobs=str([str(each) for each in sorted(logs.iterdir())]).replace("'", '\\"'))
    text = text.replace('"[', "[").replace(']"', "]").replace('\\"', '"')
    with open_engine(folder / "site") as engine:
        number = LocalService(engine).run(RunRequest(None, [Source(name="task.yaml", text=text)]))
        engine.wait(number)
    shutil.rmtree(logs)


def _log(path: Path, seed: int, size: int) -> None:
    """Lines that are like each other, but not equal; one in a hundred names a host."""
    rng = random.Random(seed)
    with open(path, "w", encoding="utf-8") as out:
        written = line = 0
        while written < size:
            line += 1
            host = f" from 10.1.{rng.randrange(256)}.7 (db01)" if line % 100 == 0 else ""
            second, micro = line % 60, rng.randrange(10**6)
            written += out.write(
                f"2026-11-21T14:38:{second:02d}.{micro:06d}+00:00 INFO worker {line % 97} "
                f"batch {rng.getrandbits(64):016x} rows={rng.randrange(10**6)} status=ok{host}\n"
            )


def _round(folder: Path, recipient: str) -> dict[str, Taken]:
    """What each way takes, one after the other on the same files."""
    there, keys = folder / "site", folder / "site" / "keys"
    pack = f"tar -C {there} -cf - instances | zstd -q -3 | age -r {recipient} > {folder}/logs.age"
    open_ = f"age -d -i {folder}/identity {folder}/logs.age | zstd -q -d | tar -C {folder}/unpacked -xf -"
    found = {"pipeline": _timed(["sh", "-c", pack], folder)}
    for way in WAYS[:2]:
        shutil.rmtree(folder / "out", ignore_errors=True)
        found |= zip((way, "redacted"), _child(way, folder), strict=False)
    _make_empty(folder / "unpacked")
    found["pipeline back"] = _timed(["sh", "-c", open_], folder)
    _make_empty(folder / "desk")
    shutil.copytree(keys, folder / "desk" / "keys")
    for way in WAYS[2:]:
        [found[way]] = _child(way, folder)
    return found


def _make_empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()


def _memory_at_hand(folder: Path) -> None:
    """As much as all files take is free right now, and the machine has it.

    A virtual machine gives free memory back to its host some seconds later, and to get it again costs more
    than what is measured here.
    """
    os.sync()
    size = sum(each.stat().st_size for each in (folder / "site" / "instances").rglob("*") if each.is_file())
    with open(folder / "filler", "wb") as filler:
        for _ in range(size >> 20):
            filler.write(bytes(1 << 20))
    (folder / "filler").unlink()


def _child(way: str, folder: Path) -> list[Taken]:
    command = [sys.executable, "-m", "benchmarks.bundles", "--way", way, "--folder", str(folder)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(folder)}
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    return [Taken(*map(float, line.split())) for line in output.splitlines()]


def _timed(command: list[str], folder: Path) -> Taken:
    _memory_at_hand(folder)
    start, before = time.monotonic(), _cpu_of_children()
    subprocess.run(command, check=True)
    return Taken(time.monotonic() - start, _cpu_of_children() - before)


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _one(way: str, folder: Path) -> None:
    """One way in a process of its own; prints its seconds, its CPU, and the most memory it had, in MB."""
    import export_import.export
    import export_import.importing  # noqa: F401  loading the program is no part of the work

    _memory_at_hand(folder)
    start, before, middle = time.monotonic(), time.process_time(), []

    def taken() -> Taken:
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return Taken(time.monotonic() - start, time.process_time() - before, memory)

    if way == "first screen":
        start = _first_screen(folder)
    elif way == "import":
        _import(folder)
    elif way == "laid out":
        _lay_out(folder)
    else:
        _export(folder, way == "checked", lambda: middle.append(taken()))
    for each in (taken(), *middle):
        print(*each)


class _Known:
    """A vault of 200 secrets."""

    def names(self) -> list[str]:
        return [f"secret{number}" for number in range(200)]

    def get(self, name: str) -> str:
        return f"{random.Random(name).getrandbits(128):032x}"


def _export(folder: Path, redact: bool, looking: Callable[[], None]) -> None:
    from export_import.export import export
    from export_import.export_request import ExportRequest, ExportStep
    from export_import.export_source import InstanceChoice

    keys = Keys(folder / "site", CLOCK)
    request = ExportRequest((InstanceChoice(1),), recipients=(keys.recipient,), redact=redact)
    vault: Any = _Known()

    def progress(step: ExportStep) -> None:
        if step.name == "leak check":
            looking()

    done = export(folder / "site", folder / "out", request, clock=CLOCK, vault=vault, progress=progress)
    assert done.redactions.get("host", 0) > 1 or not redact
    assert not done.omitted, done.omitted


def _import(folder: Path) -> None:
    from export_import.importing import import_bundle

    case = import_bundle(folder / "desk", [folder / "out"], clock=CLOCK, name=f"case-{os.getpid()}")
    assert not case.lost


def _lay_out(folder: Path) -> None:
    """What nobody waits for at an import: all large logs as files, one at a time."""
    from export_import.packed_logs import lay_out, packed_paths

    [case] = (folder / "desk" / "cases").iterdir()
    for path in packed_paths(case):
        lay_out(path, folder / "laid-out")


def _first_screen(folder: Path) -> float:
    """From the call that opens the case to its window with the run, its findings and the failed job's log.

    Gives when it was called: Qt and the program are there already, as they are where a case is opened.
    """
    from PySide6.QtWidgets import QApplication

    from app.desktop.kernel.link import Link
    from app.desktop.kernel.settings import WindowSettings
    from app.desktop.shell.startup import make_console

    application = QApplication([])
    link = Link()
    console = make_console(application, folder / "desk", link, WindowSettings(folder / "desk.ini"))
    from app.desktop.bundles.case_window import open_case

    [case] = (folder / "desk" / "cases").iterdir()
    start = time.monotonic()
    window = open_case(console, case)
    looked: list[object] = []
    window.run.session.looked.connect(looked.append)
    while not (
        looked and window.run.log.model.all_rows().extent() and window.findings.list.topLevelItemCount()
    ):
        application.processEvents()
    window.grab()
    took = time.monotonic() - start
    window.close()
    link.close()
    return time.monotonic() - took


def _table(found: list[dict[str, Taken]], size: int) -> Iterator[str]:
    yield f"{'way':<16}{'s':>7}{'MB/s':>7}{'of the pipeline':>17}{'to reach':>10}{'its CPU':>9}{'MB':>6}"
    for way in ("pipeline", "plain", "redacted", "checked", "pipeline back", "import"):
        floor = "pipeline back" if way in ("import", "pipeline back") else "pipeline"
        wall = median(each[way].wall for each in found)
        ratio = median(each[floor].wall / each[way].wall for each in found)
        cpu = median(each[way].cpu / each[floor].cpu for each in found)
        memory = max(each[way].memory for each in found)
        target = f"{TO_REACH[way]:.1f}" if way in TO_REACH else ""
        yield f"{way:<16}{wall:>7.2f}{size / wall:>7.0f}{ratio:>17.2f}{target:>10}{cpu:>9.2f}{memory:>6.0f}"
    first = [each["first screen"] for each in found]
    yield f"{'first screen':<16}{median(each.wall for each in first):>7.2f} s, to reach {_FIRST_SCREEN:.1f}"
    laid_out = median(each["laid out"].wall for each in found)
    yield f"{'all logs laid out':<16}{laid_out:>6.2f} s besides, which an import does not do"
    load = Path("/proc/loadavg").read_text("ascii").split()[0]
    yield f"memory to reach: {_MEMORY:.0f} MB; load of the machine: {load}"


if __name__ == "__main__":
    main()
