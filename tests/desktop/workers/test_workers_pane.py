"""The workers in Queue mode: how they are, what is done to them, with a real engine and a real sshd."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app.desktop.kernel.subject import Subject
from app.desktop.shell.window import MainWindow
from app.desktop.subjects.table import refusal
from app.desktop.workers.checked_worker import CheckedWorker
from app.desktop.workers.words import Row
from app.desktop.workers.workers_pane import WorkersPane
from engine.api.documents import RunRequest, Source
from engine.api.service import Service

TASK = """
skerry: 1
tasks:
  far: {nodes: {a: {type: shell, on: {workers: [build]}, process: 'sleep 300'}}}
"""


def state(pane: WorkersPane, name: str = "build") -> str:
    return next((str(row["state"]) for row in pane.table.shown if row["name"] == name), "")


def press(pane: WorkersPane, id: str) -> None:
    action = pane._console.actions.get(id)
    assert action.isVisible(), id
    assert action.isEnabled(), id
    action.trigger()


def answer(word: str, fill: Callable[[QDialog], None] = lambda _: None) -> None:
    """Fill the dialog that comes and press a button in it."""

    def act() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, QDialog | QMessageBox):
            return QTimer.singleShot(10, act)
        fill(dialog)
        found = [each for each in dialog.findChildren(QPushButton) if each.text().replace("&", "") == word]
        found[0].click()

    QTimer.singleShot(0, act)


def test_alone_this_machine_is_explained(pane: WorkersPane) -> None:
    assert [row["name"] for row in pane.table.shown] == ["local"]
    assert pane.summary.text() == "1 worker, ready: 1"
    assert pane.alone.isVisible()
    assert "nothing is installed" in pane.alone.text()


def test_a_worker_is_shown_with_how_it_is_and_what_is_registered(
    pane: WorkersPane, build: str, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: state(pane) == "online")

    def row() -> Row:
        return next(each for each in pane.table.shown if each["name"] == build)

    qtbot.waitUntil(lambda: row()["load"] is not None, timeout=60_000)
    assert row()["slots"] == 2
    qtbot.waitUntil(lambda: pane.facts.rowCount() > 3)
    assert not pane.alone.isVisible()


def test_what_becomes_of_a_worker_is_shown_when_it_happens(
    pane: WorkersPane, build: str, engine_service: Service, qtbot: QtBot
) -> None:
    # given a window that takes no picture by itself
    qtbot.waitUntil(lambda: state(pane) == "online")
    pane._console.overview._always.stop()

    # when somebody else changes it, and then removes it
    engine_service.want_worker(build, "paused", "new disk")
    qtbot.waitUntil(lambda: state(pane) == "paused")
    assert "new disk" in pane.why.text()
    engine_service.remove_worker(build)

    # then it is seen
    qtbot.waitUntil(lambda: [row["name"] for row in pane.table.shown] == ["local"])


def test_it_drains_pauses_and_goes_on(pane: WorkersPane, build: str, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: state(pane) == "online")
    answer("Drain", lambda dialog: dialog.findChild(QLineEdit).setText("new disk"))
    press(pane, "worker.drain")
    qtbot.waitUntil(lambda: state(pane) == "draining")
    assert "new disk" in pane.why.text()

    answer("Pause")
    press(pane, "worker.pause")
    qtbot.waitUntil(lambda: state(pane) == "paused")

    press(pane, "worker.resume")
    qtbot.waitUntil(lambda: state(pane) == "online")


def test_what_runs_there_is_listed_and_opens_and_a_busy_worker_is_not_removed(
    pane: WorkersPane, build: str, engine_service: Service, engine_window: MainWindow, qtbot: QtBot
) -> None:
    engine_service.load([Source(name="far.yaml", text=TASK)])
    run = engine_service.run(RunRequest(task="far"))
    qtbot.waitUntil(lambda: [row["node"] for row in pane.there.shown] == ["a"])

    said: list[str] = []

    def read() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        said.append(box.text())
        box.reject()

    QTimer.singleShot(0, read)
    press(pane, "worker.remove")
    assert "Drain it first" in said[0]

    pane.there.chosen.emit(pane.there.shown[0])
    assert engine_window.front == "run"
    engine_service.cancel(run)


def test_gone_needs_a_reason_and_says_what_it_vouches_for(
    pane: WorkersPane, build: str, engine_service: Service, qtbot: QtBot
) -> None:
    def fill(dialog: QDialog) -> None:
        assert "would run twice" in dialog.text.text()  # type: ignore[attr-defined]
        assert not dialog.do.isEnabled()  # type: ignore[attr-defined]
        dialog.findChild(QLineEdit).setText("its disk was taken out")

    answer("I vouch for it", fill)
    press(pane, "worker.gone")

    qtbot.waitUntil(lambda: "its disk was taken out" in pane.why.text())
    assert state(pane) == "paused"


def test_an_idle_worker_is_removed_after_a_question(pane: WorkersPane, build: str, qtbot: QtBot) -> None:
    answer("Remove")
    press(pane, "worker.remove")

    qtbot.waitUntil(lambda: [row["name"] for row in pane.table.shown] == ["local"])


def test_a_check_says_of_each_step_what_was_found(pane: WorkersPane, build: str, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: state(pane) == "online")
    press(pane, "worker.check")

    def shown() -> list[CheckedWorker]:
        return [each for each in pane.window().findChildren(CheckedWorker) if each.isVisible()]

    qtbot.waitUntil(lambda: len(shown()) == 1)
    [dialog] = shown()
    lines = [dialog.remarks.topLevelItem(at) for at in range(dialog.remarks.topLevelItemCount())]
    assert {"login", "folder"} <= {line.text(0) for line in lines}
    assert "lets the user in" in lines[0].text(2)
    dialog.reject()


LOCAL = {"name": "local", "kind": "local", "state": "online"}
FAR = {"name": "far", "kind": "ssh", "state": "online"}


@pytest.mark.parametrize("what", ["check", "gone", "remove", "trust"])
def test_this_machine_is_neither_trusted_nor_gone_nor_removed(what: str) -> None:
    assert refusal(f"worker.{what}", Subject(worker=LOCAL)) == "This machine is always a worker."
    assert refusal(f"worker.{what}", Subject(worker=FAR)) == ""
    assert refusal(f"worker.{what}", Subject(worker=FAR), "no engine") == "no engine"
    assert refusal(f"worker.{what}", Subject("nightly", 1)) == "No worker is selected."


def test_what_is_so_already_is_not_asked_for() -> None:
    states = {"drain": "draining", "pause": "paused", "resume": "online"}

    for what, state in states.items():
        assert refusal(f"worker.{what}", Subject(worker={**FAR, "state": state}))
        assert not refusal(
            f"worker.{what}", Subject(worker={**FAR, "state": "paused" if what != "pause" else "online"})
        )
