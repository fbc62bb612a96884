"""Every pane of every mode, with what a real engine has to show, fits on screens of four sizes, in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QTabWidget
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.mode import Mode
from app.desktop.shell.modes import MODES
from app.desktop.shell.window import MainWindow
from engine.api.documents import RunRequest, Source
from engine.api.service import Service
from tests.desktop.bundles.test_loop import case_at_desk, desk, exported, failed
from tests.desktop.conftest import load_example
from tests.desktop.test_sizes import SIZES, wrong

__all__ = ["desk", "failed"]
LONG = "A name that is longer than any list or node has room for, so that it is cut somewhere"
LOOKS = [*((size, 1.0) for size in reversed(SIZES)), ((1280, 720), 1.5)]
WAITING = f"""
skerry: 1
tasks:
  waits:
    name: {LONG}
    schedule: {{level: day, every: 1, at: '03:00'}}
    nodes:
      load: {{type: shell, process: 'exit 3', retry: {{times: 4, interval: 600}}}}
      report: {{type: shell, process: 'true', after: [load]}}
      ask: {{type: approve, question: 'May the ship leave?'}}
      a_node_with_an_id_that_is_longer_than_its_box_on_any_canvas: {{type: wait, for: 900}}
  {"n" * 64}:
    depends_on: [{{task: waits}}]
    schedule: {{level: day, every: 1, at: '04:00'}}
    nodes: {{go: {{type: shell, process: 'true'}}}}
"""


@pytest.fixture
def runs(engine_service: Service, failed: int, qtbot: QtBot) -> tuple[int, int]:
    """One that failed, and one that waits for several things."""
    load_example(engine_service, "tour")
    engine_service.load([Source(name="waits.yaml", text=WAITING)])
    for task in ("waits", "n" * 64):
        engine_service.set_state(task, "online")
    waiting = engine_service.run(RunRequest(task="waits"))
    qtbot.waitUntil(lambda: engine_service.instance(waiting)["status"] == "running")
    return failed, waiting


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize(("size", "scale"), LOOKS)
def test_every_pane_with_real_data_fits(
    engine_window: MainWindow, runs: tuple[int, int], qtbot: QtBot, tmp_path: Path,
    size: tuple[int, int], scale: float, language: str,
) -> None:  # fmt: skip
    window = engine_window
    window.console.language.switch(language)
    window.console.theme.switch(scale=scale)
    window.resize(*size)

    found = []
    for name in shown(window, runs, qtbot):
        found += wrong(window, f"{name}-{size[0]}-{scale}-{language}", tmp_path, qtbot)

    assert not found, "\n".join(found)


def shown(window: MainWindow, runs: tuple[int, int], qtbot: QtBot) -> Iterator[str]:
    """Each pane, page and shelf is in front once; its name."""
    failed, waiting = runs
    targets = {
        "design": (
            Target("task", "nightly", "load"),
            Target("task", "waits"),
            Target("job"),
            Target("resource"),
        ),
        "run": (Target("instance", str(failed), "load"), Target("instance", str(waiting), "ask")),
    }
    for entry in MODES:
        mode = window.show_mode(entry.key)
        for number, target in enumerate(targets.get(entry.key, (Target("mode", entry.key),))):
            window.go(target)
            qtbot.wait(200)  # its answers come
            for part in parts(mode):
                yield f"{entry.key}-{number}-{part}"


def parts(mode: Mode) -> Iterator[str]:
    for name in mode.docks:
        mode.raise_dock(name)
        yield name
    for tabs in (each for each in mode.findChildren(QTabWidget) if each.isVisible()):
        for at in range(tabs.count()):
            tabs.setCurrentIndex(at)
            yield f"{tabs.accessibleName()}-{at}"
    yield "whole"


def test_a_case_is_as_large_as_its_screen_lets_it_be_and_as_small_as_the_window(
    engine_console: Console, failed: int, desk: Console, qtbot: QtBot, tmp_path: Path
) -> None:
    case = case_at_desk(desk, exported(engine_console, failed, tmp_path / "stick.skerry", qtbot), qtbot)
    screen = case.screen().availableSize()
    qtbot.waitUntil(lambda: case.run.docks["findings"].isVisible())
    qtbot.waitUntil(lambda: case.run.docks["findings"] in case.run.tabifiedDockWidgets(case.run.docks["job"]))

    opened = case.size()
    case.resize(800, 500)
    qtbot.waitUntil(lambda: case.run.settled)
    small = case.size()
    case.close()

    assert opened == opened.boundedTo(screen)
    assert small == QSize(800, 500)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_window_of_a_case_fits(
    engine_console: Console, failed: int, desk: Console, qtbot: QtBot, tmp_path: Path, language: str
) -> None:
    bundle = exported(engine_console, failed, tmp_path / "stick.skerry", qtbot)
    case = case_at_desk(desk, bundle, qtbot)
    case.console.language.switch(language)
    found = []
    for size, scale in LOOKS:
        case.console.theme.switch(scale=scale)
        case.resize(*size)
        for name in parts(case.run):
            found += wrong(case, f"case-{name}-{size[0]}-{scale}-{language}", tmp_path, qtbot)
    case.console.language.switch("en")  # the application's, not the case's alone
    case.close()

    assert not found, "\n".join(found)
