"""What becomes of the engine when the window closes."""

from __future__ import annotations

import psutil
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app.desktop.kernel.pulse import Snapshot
from app.desktop.shell.closing import Choice, ask, plain_choice
from app.desktop.shell.engine_link import EngineLink
from app.desktop.shell.window import MainWindow
from tests.api.fake_service import instance

BUSY = Snapshot(instances=(instance(1, "running"),))


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


def test_the_engine_outlives_the_window_when_work_goes_on(engine_window: MainWindow, qtbot: QtBot) -> None:
    link = engine_window.console.link
    assert isinstance(link, EngineLink)
    assert link.engine_pid is not None
    engine = psutil.Process(link.engine_pid)

    engine_window.console.pulse.latest = BUSY
    engine_window.choose = lambda *_: Choice.STAY
    assert not engine_window.close()
    engine_window.choose = lambda *_: Choice.KEEP
    assert engine_window.close()

    assert engine.is_running()
    engine.terminate()
    engine.wait(20)
