"""The history over a million runs: first rows, any place, a filter, memory.

    python -m benchmarks.desktop_history [--rows N]

To reach with 1,000,000: first rows in 150 ms, any place within 50 ms, a filter on status and time within
500 ms, at most 150 MB.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import resource
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from app import wiring
from app.desktop.history.filters import Filter
from app.desktop.history.mode import HistoryMode
from app.desktop.kernel.link import Link
from app.desktop.kernel.settings import WindowSettings
from app.desktop.shell.startup import make_console
from engine.runtime.clock import SystemClock
from engine.store.changes import Changes
from engine.store.opening import open_store
from engine.store.rows import time_text

_BATCH = 20_000
_BAD = -1_10_00_001_007


def fill(url: str, count: int) -> None:
    """Runs of 40 tasks, one a minute, one in six failed."""
    store = open_store(url, durability="normal", clock=SystemClock())
    now = datetime.now(UTC)
    for low in range(0, count, _BATCH):
        changes = Changes()
        for i in range(low + 1, min(low + _BATCH, count) + 1):
            changes.insert("instance", _row(i, now - timedelta(minutes=count - i)))
        store.commit(changes)
    store.close()


def _row(i: int, start: datetime) -> dict[str, object]:
    failed = i % 6 == 0
    return {
        "id": i,
        "task": f"task-{i % 40:02}",
        "status": "failed" if failed else "succeeded",
        "trigger": "schedule",
        "scheduled_time": time_text(start),
        "created_at": time_text(start),
        "started_at": time_text(start),
        "ended_at": time_text(start + timedelta(seconds=i % 97)),
        "run": 1,
        "error_code": _BAD if failed else None,
        "error_message": "load ended with exit status 7" if failed else None,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    count = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), count)


def measure(folder: Path, count: int) -> None:
    """One run over ``count`` instances."""
    url = wiring.open_workspace(folder / "w").database_url
    filling = multiprocessing.get_context("spawn").Process(target=fill, args=(url, count))
    filling.start()
    filling.join()
    application = QApplication([])
    link = Link()
    mode = HistoryMode(make_console(application, folder / "w", link, WindowSettings(folder / "console.ini")))
    mode.resize(1400, 800)
    mode.show()
    mode.grab()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    first = timed(application, mode.entered, lambda: in_sight(mode))
    all_known = timed(application, lambda: None, lambda: mode.count.text().endswith("runs"))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    jumps = [jump(application, mode, random.randrange(count)) for _ in range(30)]
    chosen = Filter(statuses=("failed",), span="month")
    filtered = timed(application, lambda: mode.bar.set_filter(chosen), lambda: in_sight(mode))
    whole = timed(application, lambda: None, lambda: mode.count.text().endswith("runs"))
    mode.let_go()
    link.close()
    jumps.sort()
    print(f"{count:,} runs: first rows {first:.0f} ms, all known after {all_known:.0f} ms more")
    print(f"any place: median {jumps[15]:.0f} ms, worst {jumps[-1]:.0f} ms")
    print(f"failed of the last 30 days: first rows {filtered:.0f} ms, all {whole:.0f} ms more")
    print(f"memory {memory / 1024:.0f} MB, {(memory - before) / 1024:.0f} MB of it for the runs")


def in_sight(mode: HistoryMode) -> bool:
    """Whether every row in sight is read."""
    table = mode.table
    top = max(0, table.rowAt(0))
    rows = range(top, min(mode.rows.rowCount(), top + 25))
    return len(rows) > 0 and all(mode.rows.row_at(i) is not None for i in rows)


def jump(application: QApplication, mode: HistoryMode, row: int) -> float:
    """Scroll anywhere; until everything in sight is read and drawn."""
    return timed(application, lambda: mode.table.verticalScrollBar().setValue(row), lambda: in_sight(mode))


def timed(application: QApplication, do: Callable[[], object], done: Callable[[], bool]) -> float:
    """Milliseconds from doing it until it is done and drawn."""
    start = time.perf_counter()
    do()
    while not done():
        application.processEvents()
        time.sleep(0.0005)  # a window that waits for events leaves the interpreter to the threads
    application.processEvents()
    return (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    main()
