"""Plan with 100,000 instances of one day: the first picture, all of them, and a frame while it is moved.

    python -m benchmarks.desktop_plan [--rows N]

To reach: first picture in 300 ms, a frame in 33 ms.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app import wiring
from app.desktop.kernel.link import Link, LinkState
from app.desktop.kernel.settings import WindowSettings
from app.desktop.plan.mode import PlanMode
from app.desktop.shell.startup import make_console
from benchmarks.desktop_history import timed
from engine.api.read_only import ReadOnlyService
from engine.api.service import Service
from engine.runtime.clock import SystemClock
from engine.store.changes import Changes
from engine.store.opening import open_store
from engine.store.rows import time_text

_TASKS, _FRAMES, _BATCH = 500, 40, 20_000


class ReadingLink(Link):
    """Leads to a service that only reads."""

    def __init__(self, service: Service) -> None:
        super().__init__()
        self._service = service
        self._set_state(LinkState.READ_ONLY)

    def service(self) -> Service:
        return self._service


def fill(url: str, count: int, midnight: datetime) -> None:
    """Instances of many tasks over a day, evenly; one in six failed, those to come are planned."""
    store = open_store(url, durability="normal", clock=SystemClock())
    now = datetime.now(UTC)
    for low in range(0, count, _BATCH):
        changes = Changes()
        for i in range(low + 1, min(low + _BATCH, count) + 1):
            changes.insert("instance", _row(i, midnight + timedelta(days=1) * (i - 1) / count, now))
        store.commit(changes)
    store.close()


def _row(i: int, at: datetime, now: datetime) -> dict[str, object]:
    begun = at < now
    ended = time_text(at + timedelta(seconds=i % 97)) if begun else None
    status = ("failed" if i % 6 == 0 else "succeeded") if begun else "planned"
    return {"id": i, "task": f"task-{i % _TASKS:03}", "status": status, "trigger": "schedule",
            "scheduled_time": time_text(at), "created_at": time_text(at), "run": int(begun),
            "started_at": time_text(at) if begun else None, "ended_at": ended}  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100_000)
    count = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), count)


def measure(folder: Path, count: int) -> None:
    """One day of ``count`` instances, shown, read to its end, and moved nearer."""
    workspace = wiring.open_workspace(folder / "w")
    midnight = datetime.now(workspace.zone).replace(hour=0, minute=0, second=0, microsecond=0)
    arguments = (workspace.database_url, count, midnight.astimezone(UTC))
    filling = multiprocessing.get_context("spawn").Process(target=fill, args=arguments)
    filling.start()
    filling.join()
    application = QApplication([])
    service = ReadOnlyService(wiring.open_reader(workspace.root), workspace)
    service.backfills()  # its modules are loaded, as those of the engine that a window asks
    link = ReadingLink(service)
    mode = PlanMode(make_console(application, workspace.root, link, WindowSettings(folder / "console.ini")))
    mode.resize(1400, 800)
    mode.show()
    mode.grab()
    view = mode.day.view
    first = timed(application, mode.entered, lambda: view.count() > 0)
    whole = timed(application, lambda: None, lambda: sum(len(row.instances) for row in view.rows) == count)
    fitted = [_frame(mode) for _ in range(_FRAMES)]
    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    nearer = [_frame(mode) for _ in range(_FRAMES)]
    mode.let_go()
    link.close()
    print(f"{count:,} instances: first picture {first:.0f} ms, all of them {whole:.0f} ms more")
    _print_frames("of the whole day", fitted)
    _print_frames("of part of it", nearer)


def _print_frames(what: str, frames: list[tuple[float, float]]) -> None:
    elapsed, cpu = ([each[at] for each in frames] for at in (0, 1))
    median = statistics.median
    print(f"a frame {what}: median {median(elapsed):.1f} ms ({median(cpu):.1f} ms of CPU), "
          f"worst {max(elapsed):.1f} ms ({max(cpu):.1f} ms of CPU)")  # fmt: skip


def _frame(mode: PlanMode) -> tuple[float, float]:
    """Milliseconds for the rows in sight, another one at the top each time: elapsed, and of CPU."""
    view = mode.day.view
    bar = view.verticalScrollBar()
    bar.setValue((bar.value() + 1) % max(1, bar.maximum()))
    start, cpu = time.perf_counter(), time.thread_time()
    view.viewport().repaint()
    return (time.perf_counter() - start) * 1000, (time.thread_time() - cpu) * 1000


if __name__ == "__main__":
    main()
