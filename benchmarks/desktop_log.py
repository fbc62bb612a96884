"""The log pane on a large log: first screen, end, search against ``grep -c``, memory.

    python -m benchmarks.desktop_log [--size GIB]

To reach with 2 GiB: first screen and end in 100 ms each, text search at half the speed of grep or better, at
most 50 MB above the pane with nothing in it.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from app import wiring
from app.desktop.kernel.link import Link
from app.desktop.kernel.settings import WindowSettings
from app.desktop.log.pane import LogPane
from app.desktop.log.search import Query
from app.desktop.shell.startup import make_console
from engine.api.documents import LogFile

LINE = b"2026-11-21 13:42:%02d,118 INFO  worker-%02d score: batch %d read 128 rows of the file given to it\n"
NEEDLE = "needle in the haystack"


def make(path: Path, gib: float) -> None:
    """A log of lines of some hundred bytes, a needle in about every 100,000th."""
    lines = [LINE % (i % 60, i % 16, i) for i in range(100_000)]
    lines[50_000] = b"13:42:06 ERROR a " + NEEDLE.encode() + b"\n"
    block = b"".join(lines)
    with path.open("wb") as file:
        for _ in range(int(gib * 2**30) // len(block)):
            file.write(block)


def memory() -> float:
    """The largest resident size so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(do: Callable[[], object]) -> float:
    """Seconds."""
    start = time.perf_counter()
    do()
    return time.perf_counter() - start


def until(done: Callable[[], bool], application: QApplication) -> float:
    """Run the window until it is; the longest pause of the window in seconds."""
    worst, last = 0.0, time.perf_counter()
    while not done():
        application.processEvents()
        now = time.perf_counter()
        worst, last = max(worst, now - last), now
        time.sleep(0.002)
        last = time.perf_counter()
    return worst


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=float, default=2.0, help="GiB")
    size = parser.parse_args().size
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), size)


def measure(folder: Path, size: float) -> None:
    """One run over a log of ``size`` GiB."""
    log = folder / "job.log"
    make(log, size)
    application = QApplication([])
    wiring.open_workspace(folder / "workspace")
    link = Link()
    pane = LogPane(
        make_console(application, folder / "workspace", link, WindowSettings(folder / "console.ini"))
    )
    pane.resize(1200, 700)
    pane.show()
    pane.grab()
    before = memory()
    file = LogFile(node="a", instance=1, attempt=1, path=str(log), ended=True)
    shown = timed(lambda: (pane.open([file]), pane.grab()))
    pause = until(lambda: pane.model.index.counted == pane.model.text.size, application)
    top = timed(lambda: (pane.full.go(0), pane.grab()))
    end = timed(lambda: (pane.full.go_end(), pane.grab()))
    grep = timed(lambda: subprocess.run(["grep", "-c", NEEDLE, log], check=True, capture_output=True))
    search = timed(
        lambda: (pane.model.look_for(Query(NEEDLE, case=True)), until(_searched(pane), application))
    )
    found, seen = len(pane.model.starts), memory()
    pane.stop()
    link.close()
    print(
        f"{size:g} GiB: first screen {shown * 1000:.0f} ms, top {top * 1000:.0f} ms, end {end * 1000:.0f} ms"
    )
    print(f"longest pause while lines are counted {pause * 1000:.0f} ms")
    print(f"search {search:.2f} s, grep -c {grep:.2f} s: {grep / search:.2f} of its speed; {found} lines")
    print(f"memory {seen - before:.0f} MB above the empty pane")


def _searched(pane: LogPane) -> Callable[[], bool]:
    return lambda: not pane.model.searching


if __name__ == "__main__":
    main()
