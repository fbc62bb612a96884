"""What becomes of the engine when the window closes."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app import wiring
from app.desktop.kernel.overview import Snapshot
from app.desktop.kernel.settings import WindowSettings
from app.desktop.shell.closing import Choice, ask, plain_choice
from app.desktop.shell.engine_link import EngineLink
from app.desktop.shell.startup import link_to, make_console
from app.desktop.shell.window import MainWindow
from tests.api.fake_service import instance

BUSY = Snapshot(instances=(instance(1, "running"),))


@pytest.fixture
def engines() -> None:
    """Interpreters of their own: their pids and ends are what is asked for."""


def test_an_engine_of_others_stays() -> None:
    assert plain_choice(False, BUSY) is Choice.KEEP


def test_an_idle_engine_of_ours_ends() -> None:
    assert plain_choice(True, Snapshot(instances=(instance(1, "succeeded"),))) is Choice.STOP


def test_work_and_plans_are_asked_about() -> None:
    assert plain_choice(True, BUSY) is Choice.ASK
    assert plain_choice(True, Snapshot(coming=(instance(2, "planned"),))) is Choice.ASK


def _press(word: str) -> None:
    def press() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        next(each for each in box.findChildren(QPushButton) if each.text() == word).click()

    QTimer.singleShot(0, press)


def test_the_question_has_three_answers(window: MainWindow) -> None:
    for word, choice in (
        ("Work goes on", Choice.KEEP),
        ("Stop the engine", Choice.STOP),
        ("Do not close", Choice.STAY),
    ):
        _press(word)
        assert ask(window, BUSY) is choice


def test_an_engine_that_an_earlier_window_started_is_ours(
    engine_link: EngineLink, workspace: Path, settings: WindowSettings, looks: QApplication, qtbot: QtBot
) -> None:
    first = MainWindow(make_console(looks, workspace, engine_link, settings))
    qtbot.waitUntil(lambda: first._ours == engine_link.engine_pid, timeout=10_000)
    joined = link_to(wiring.open_workspace(workspace))
    second = MainWindow(make_console(looks, workspace, joined, settings))
    joined.start()

    qtbot.waitUntil(lambda: second._ours == engine_link.engine_pid, timeout=20_000)

    assert not joined.started_it
    for window in (second, first):
        window.choose = lambda *_: Choice.KEEP
        window.console.overview.latest = BUSY
        assert window.close()
    engine = psutil.Process(engine_link.engine_pid)
    engine.terminate()
    engine.wait(20)


def test_the_engine_outlives_the_window_when_work_goes_on(engine_window: MainWindow, qtbot: QtBot) -> None:
    link = engine_window.console.link
    assert isinstance(link, EngineLink)
    assert link.engine_pid is not None
    engine = psutil.Process(link.engine_pid)
    qtbot.waitUntil(lambda: engine_window._ours == link.engine_pid, timeout=10_000)

    engine_window.console.overview.latest = BUSY
    engine_window.choose = lambda *_: Choice.STAY
    assert not engine_window.close()
    engine_window.choose = lambda *_: Choice.KEEP
    assert engine_window.close()

    assert engine.is_running()
    engine.terminate()
    engine.wait(20)
