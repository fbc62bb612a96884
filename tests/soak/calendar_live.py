"""``examples/calendar-live.yaml`` under a real ``serve``, watched in Plan: it fires, waits, fails, is repaired, goes on.

    python -m tests.soak.calendar_live [--to FOLDER]

The backfill is that of the window's assistant. Writes a picture of the day while ``hourly`` fails, and one after
the repair; ends with 1 where something is not as it is to be.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtTest import QTest

from app import wiring
from app.desktop.kernel.link import LinkState
from app.desktop.kernel.settings import WindowSettings
from app.desktop.plan.backfill_assistant import BackfillAssistant
from app.desktop.plan.mode import PlanMode
from app.desktop.shell.closing import Choice
from app.desktop.shell.startup import link_to, make_console
from app.desktop.shell.window import MainWindow
from app.desktop.shell.window_process import the_application
from engine.store.rows import InstanceRow

EXAMPLE = Path(__file__).parents[2] / "examples/calendar-live.yaml"
PATIENCE = 120.0  # seconds: a busy machine starts programs late
SKERRY = (sys.executable, "-m", "app.cli.main", "--workspace")


class Life:
    """The workspace, what is read of it, and the window on it."""

    def __init__(self, root: Path, to: Path) -> None:
        self.root, self.storm, self._to = root, root / "storm", to
        self.application = the_application()
        self.link = link_to(wiring.open_workspace(root))
        self.link.start()
        self.until(lambda: self.link.state is LinkState.CONNECTED, "the window is connected")
        settings = WindowSettings(root.parent / "console.ini")
        self.window = MainWindow(make_console(self.application, root, self.link, settings))
        self.window.choose = lambda *_: Choice.KEEP
        self.window.resize(1280, 800)
        self.window.show()
        mode = self.window.show_mode("plan")
        assert isinstance(mode, PlanMode)
        self.plan = mode

    def rows(self, task: str, *states: str) -> list[InstanceRow]:
        """Of a task, by scheduled time: those in one of the states, without any all whose time has come."""
        store = wiring.open_reader(self.root)
        try:
            found = [row for row in store.instances(limit=10_000) if row.task == task]
        finally:
            store.close()
        known = [row for row in found if (row.status in states if states else row.status != "planned")]
        return sorted(known, key=lambda row: row.scheduled_time)

    def until(self, condition: Callable[[], object], what: str) -> None:
        """The window lives meanwhile."""
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(what)
            self.live(0.2)
        sys.stdout.write(f"{what}\n")

    def live(self, seconds: float) -> None:
        """Answers arrive, and are painted."""
        QTest.qWait(int(seconds * 1000))

    def picture(self, name: str) -> None:
        view = self.plan.day.view
        view.fit()
        view.zoom(800, view.scale().x(time.time() - 40))  # the view is about two minutes wide
        self.live(1.5)
        self.window.grab().save(str(self._to / f"{name}-en-light-1280.png"), "PNG", 20)

    def repair(self) -> int:
        """The number of the backfill that the window's assistant began."""
        self.plan.begin()
        self.until(lambda: self.plan.assistant is not None, "the assistant is open")
        assistant, begun = self.plan.assistant, list[int]()
        assert isinstance(assistant, BackfillAssistant)
        assistant.started.connect(begun.append)
        assistant.task.setCurrentText("hourly")
        assistant.first.setDate(assistant.first.maximumDate())
        assistant.last.setDate(assistant.last.maximumDate())
        assistant.reprocess.setCurrentIndex(assistant.reprocess.findData("failed"))
        assistant.downstream.setChecked(True)
        self.until(assistant.start_button.isEnabled, "the dry run is shown")
        assistant.start_button.click()
        self.until(lambda: begun, "the backfill is begun")
        return begun[0]


def play(life: Life) -> None:
    """What the README tells; AssertionError where it is otherwise."""
    life.until(lambda: len(life.rows("hourly_on_third", "succeeded")) >= 3, "it fires, in order")
    life.storm.touch()
    life.until(lambda: life.rows("hourly", "failed"), "an upstream fails")
    life.until(lambda: life.rows("every_third_hour", "waiting"), "what waits for it waits")
    life.until(lambda: len(life.rows("hourly_on_third", "waiting")) >= 2, "and what waits for that")
    life.picture("storm")
    life.storm.unlink()
    failed = [row.id for row in life.rows("hourly", "failed")]
    number = life.repair()
    service = life.link.service()
    life.until(lambda: service.backfill(number)["status"] == "succeeded", "the backfill succeeds")
    repaired = {row.id: row for row in life.rows("hourly")}
    assert all((repaired[id].status, repaired[id].run) == ("succeeded", 2) for id in failed)
    now = datetime.now().astimezone()
    life.until(lambda: _has_gone_on(life, now), "it goes on")
    life.picture("repaired")
    _check(life)


def _has_gone_on(life: Life, since: datetime) -> bool:
    tasks = ("hourly", "every_third_hour", "hourly_on_third", "working_hours", "daily", "monthly")
    return all(
        any(datetime.fromisoformat(row.scheduled_time) > since for row in life.rows(task, "succeeded"))
        for task in tasks
    )


def _check(life: Life) -> None:
    """No time twice; no start before what it waits for; the slow task was passed over, and only that one."""
    for task in life.plan.console.link.service().definitions("task"):
        times = Counter(row.scheduled_time for row in life.rows(task["id"]))
        assert set(times.values()) <= {1}, task["id"]
    hours = life.rows("hourly")
    for row in life.rows("every_third_hour", "succeeded"):
        [*_, partner] = [each for each in hours if each.scheduled_time <= row.scheduled_time]
        assert str(partner.ended_at) <= str(row.started_at), (row, partner)
    assert _gaps(hours) == {5.0}
    assert max(_gaps(life.rows("minutely"))) >= 4.0


def _gaps(rows: list[InstanceRow]) -> set[float]:
    """Seconds between one scheduled time and the next."""
    times = [datetime.fromisoformat(row.scheduled_time) for row in rows]
    return {(after - before).total_seconds() for before, after in pairwise(times)}


@contextmanager
def served(root: Path) -> Iterator[None]:
    """The example is loaded, and an engine of its own fires it."""
    root.mkdir()
    subprocess.run([*SKERRY, str(root), "load", str(EXAMPLE)], check=True, stdout=subprocess.DEVNULL)
    with subprocess.Popen([*SKERRY, str(root), "serve"], stdout=subprocess.PIPE, text=True) as engine:
        try:
            assert engine.stdout is not None
            assert engine.stdout.readline() == "ready\n"
            yield
        finally:
            engine.send_signal(signal.SIGTERM)
            engine.wait(60)


def main() -> int:
    """The status of the program."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--to", type=Path, default=None)
    to = options.parse_args().to
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = folder
        root = Path(folder) / "live"
        with served(root):
            life = Life(root, to or Path(folder))
            try:
                play(life)
            finally:
                life.window.close()
                life.live(0.5)
    return 0


if __name__ == "__main__":
    sys.exit(main())
