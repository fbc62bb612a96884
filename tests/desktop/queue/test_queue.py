"""The queue's handles, used on the real engine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, Qt, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QSpinBox,
    QStyledItemDelegate,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Console, Target
from app.desktop.queue.add_job import AddJob
from app.desktop.queue.columns import RUNNING, WAITING
from app.desktop.queue.mode import QueueMode
from app.desktop.widgets.questions import Asking
from engine.api.documents import RunRequest, Source
from engine.api.service import Service

TASK = """
skerry: 1
jobs:
  hello: {type: shell, params: {who: {value: world}}, process: 'echo "hello ${who}"'}
tasks:
  wide:
    params: {held: null}
    nodes:
      a: {type: shell, process: 'cat "${held}"', params: {held: "$.TASK.PARAMS['held']"}}
      b: {type: shell, process: 'true'}
      c: {type: shell, process: 'true'}
      d: {type: shell, process: 'true'}
"""


class Seen(QStyledItemDelegate):
    """Keeps what is painted."""

    def __init__(self, texts: list[str], parent: QWidget) -> None:
        super().__init__(parent)
        self._texts = texts

    def displayText(self, value: object, locale: QLocale | QLocale.Language) -> str:
        self._texts.append(str(value))
        return str(value)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Path]:
    """A pipe: what reads it waits until the test ends, however it ends."""
    pipe = tmp_path / "held"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR)
    yield pipe
    os.close(end)


@pytest.fixture
def mode(held: Path, engine_console: Console, engine_service: Service, qtbot: QtBot) -> QueueMode:
    """One job runs, three wait."""
    engine_service.queue_size(1)
    engine_service.load([Source(name="wide.yaml", text=TASK)])
    engine_service.run(RunRequest(task="wide", params={"held": str(held)}))
    mode = QueueMode(engine_console)
    qtbot.addWidget(mode)
    mode.show()
    qtbot.waitUntil(lambda: len(mode.waiting.shown) == 3, timeout=15_000)
    return mode


def press(mode: QueueMode, id: str) -> None:
    action = mode.console.actions.get(id)
    assert action.isEnabled(), id
    action.trigger()


def answer(word: str, fill: Callable[[QDialog], None] = lambda _: None) -> None:
    """Fill the dialog that comes and press a button in it."""

    def act() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, QDialog | QMessageBox):
            return QTimer.singleShot(10, act)
        fill(dialog)
        next(each for each in dialog.findChildren(QPushButton) if each.text() == word).click()

    QTimer.singleShot(0, act)


def test_it_shows_what_runs_and_what_waits(mode: QueueMode) -> None:
    assert [row["node"] for row in mode.running.shown] == ["a"]
    assert {row["node"] for row in mode.waiting.shown} == {"b", "c", "d"}
    assert mode.places.text().startswith("On this machine 1 of 1 slots taken, a fixed number")


def test_pausing_and_resuming(mode: QueueMode, engine_service: Service, qtbot: QtBot) -> None:
    press(mode, "queue.pause")
    qtbot.waitUntil(lambda: "paused" in mode.places.text(), timeout=10_000)
    assert engine_service.queue()["paused"]

    press(mode, "queue.resume")
    qtbot.waitUntil(lambda: "paused" not in mode.places.text(), timeout=10_000)
    assert not engine_service.queue()["paused"]


def test_a_priority_moves_a_job_to_the_front(mode: QueueMode, qtbot: QtBot) -> None:
    last = mode.waiting.shown[-1]["job_instance"]
    mode.waiting.select(last)
    answer("Set", lambda dialog: dialog.findChild(QSpinBox).setValue(9))

    press(mode, "queue.priority")

    qtbot.waitUntil(lambda: mode.waiting.shown[0]["job_instance"] == last, timeout=10_000)
    assert mode.waiting.current is not None
    assert mode.waiting.current["job_instance"] == last


def test_one_is_taken_out_after_a_question(mode: QueueMode, qtbot: QtBot) -> None:
    taken = mode.waiting.current
    assert taken is not None
    answer("Do nothing")
    press(mode, "queue.remove")
    answer("Take out")
    press(mode, "queue.remove")

    qtbot.waitUntil(lambda: len(mode.waiting.shown) == 2, timeout=10_000)
    assert taken["node"] not in {row["node"] for row in mode.waiting.shown}


def test_everything_is_taken_out_once_it_is_said_what_becomes_of_it(mode: QueueMode, qtbot: QtBot) -> None:
    said: list[str] = []
    answer("Clear", lambda dialog: said.extend(each.text() for each in dialog.findChildren(QLabel)))

    press(mode, "queue.clear")

    qtbot.waitUntil(lambda: mode.waiting.shown == [], timeout=10_000)
    [text] = [each for each in said if "All 3 jobs" in each]
    assert "They fail with a code" in text
    assert "What runs goes on." in text


def test_long_ones_are_ended(mode: QueueMode, engine_service: Service, qtbot: QtBot) -> None:
    answer("End them", lambda dialog: dialog.findChild(QDoubleSpinBox).setValue(0))

    press(mode, "queue.clean")

    qtbot.waitUntil(lambda: "a" not in {row["node"] for row in mode.running.shown}, timeout=20_000)


def test_the_number_of_slots_is_set(mode: QueueMode, qtbot: QtBot) -> None:
    answer("Set", lambda dialog: dialog.findChild(QSpinBox).setValue(4))

    press(mode, "queue.size")

    qtbot.waitUntil(lambda: "of 4 slots" in mode.places.text(), timeout=10_000)


def test_a_job_is_queued_by_hand(mode: QueueMode, engine_service: Service, qtbot: QtBot) -> None:
    def fill(dialog: QDialog) -> None:
        assert isinstance(dialog, AddJob)
        assert dialog.fields["who"].placeholderText() == "world"
        dialog.fields["who"].setText("you")

    answer("Queue it", fill)
    press(mode, "queue.add")

    qtbot.waitUntil(lambda: "hello" in {row["job"] for row in mode.waiting.shown}, timeout=10_000)


def test_a_target_selects_its_job_and_enter_leads_to_it(mode: QueueMode, qtbot: QtBot) -> None:
    row = mode.waiting.shown[1]

    mode.open(Target("queue", str(row["job_instance"])))
    qtbot.keyClick(mode.waiting, Qt.Key.Key_Return)

    navigator = mode.console.navigator
    assert navigator.gone == [Target("instance", str(row["instance"]), node=row["node"], detail="why")]  # type: ignore[attr-defined]


def test_a_needed_field_holds_the_button_back(console: Console, qtbot: QtBot) -> None:
    asked = Asking(QueueMode(console), "t", "text", "do")
    field = asked.line("Reason", needed=True)
    assert not asked.do.isEnabled()
    field.setText("because")
    assert asked.do.isEnabled()


def test_a_job_that_is_to_run_next_comes_before_all_others(
    mode: QueueMode, engine_service: Service, qtbot: QtBot
) -> None:
    last = mode.waiting.shown[-1]
    mode.waiting.select(last["job_instance"])

    press(mode, "queue.next")

    qtbot.waitUntil(lambda: mode.waiting.shown[0]["job_instance"] == last["job_instance"], timeout=10_000)
    assert engine_service.queue()["waiting"][0]["job_instance"] == last["job_instance"]


def test_how_long_each_has_waited_is_beside_since_when(mode: QueueMode) -> None:
    column = next(each for each in WAITING if each.title == "How long")

    assert float(column.text(mode.waiting.shown[0]).split()[0]) >= 0  # also weeks: 1.0
    assert column.text({"since": None}) == ""


def test_how_long_each_has_run_grows_before_anything_happens(mode: QueueMode, qtbot: QtBot) -> None:
    mode.resize(1400, 800)
    mode.console.overview.blockSignals(True)
    painted = list[str]()
    mode.running.setItemDelegateForColumn(len(RUNNING) - 1, Seen(painted, mode))

    qtbot.waitUntil(lambda: len(set(painted)) > 1)

    assert RUNNING[-1].title == "How long"


def test_a_job_is_held_and_released(mode: QueueMode, qtbot: QtBot) -> None:
    next_one = mode.waiting.shown[0]["job_instance"]
    mode.waiting.select(next_one)
    answer("Hold it", lambda dialog: dialog.findChild(QLineEdit).setText("the disk is full"))

    press(mode, "queue.hold")

    qtbot.waitUntil(lambda: mode.waiting.shown[-1].get("held") is True, timeout=10_000)
    assert mode.waiting.current is not None
    assert mode.waiting.current["job_instance"] == next_one
    assert WAITING[-1].text(mode.waiting.current).endswith(": the disk is full.")
    actions = mode.console.actions
    assert not actions.get("queue.next").isEnabled()
    assert actions.refusal("queue.next") == "The job is held: release it first."

    press(mode, "queue.release")

    qtbot.waitUntil(lambda: mode.waiting.shown[0]["job_instance"] == next_one, timeout=10_000)


def test_a_job_is_moved_by_key_and_by_drag(mode: QueueMode, qtbot: QtBot) -> None:
    first, second, third = (row["job_instance"] for row in mode.waiting.shown)
    mode.waiting.select(third)

    press(mode, "queue.earlier")

    order = lambda: [row["job_instance"] for row in mode.waiting.shown]  # noqa: E731
    qtbot.waitUntil(lambda: order() == [first, third, second], timeout=10_000)
    mode.waiting.drop_at(second, mode.waiting.visualRect(mode.waiting.model().index(0, 0)).top() + 2)
    qtbot.waitUntil(lambda: order() == [second, first, third], timeout=10_000)
    mode.waiting.drop_at(second, mode.waiting.viewport().height() - 2)
    qtbot.waitUntil(lambda: order() == [first, third, second], timeout=10_000)


def test_a_job_that_begins_while_it_is_dragged_moves_no_other(mode: QueueMode, qtbot: QtBot) -> None:
    # given a job that has begun under the mouse, and another one that is selected now
    began, *others = mode.waiting.shown
    mode.waiting.show_rows(others)
    mode.waiting.select(others[1]["job_instance"])

    # when it is let go above the first
    with qtbot.assertNotEmitted(mode.waiting.moved):
        mode.waiting.drop_at(began["job_instance"], 2)


def test_a_form_that_is_refused_stays_open_with_the_message(mode: QueueMode, qtbot: QtBot) -> None:
    shown: list[str] = []
    row = {**mode.waiting.shown[0], "job_instance": 4711}
    mode.waiting.show_rows([row])
    mode.waiting.select(4711)

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, Asking) or not dialog.problem.isVisible():
            return QTimer.singleShot(20, look)
        shown.append(dialog.problem.text())
        dialog.reject()
        return None

    answer("Set", lambda dialog: dialog.findChild(QSpinBox).setValue(9))
    QTimer.singleShot(50, look)
    press(mode, "queue.priority")

    assert shown == ["job instance 4711 does not wait in the queue"]
