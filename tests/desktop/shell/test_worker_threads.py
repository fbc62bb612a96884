"""Work off the window's thread: what it refers to goes on the window's thread, and it never outlives its owner."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from app.desktop.kernel.link import LinkState
from app.desktop.kernel.worker_thread import WorkerThread
from engine.model.codes.runtime import INTERNAL
from engine.model.errors import SkerryError
from tests.api.fake_service import FakeService
from tests.desktop.conftest import FakeLink


class Widget:
    """In the role of a widget: it notes the thread that takes it apart."""

    def __init__(self, ends: list[str]) -> None:
        self._ends = ends

    def __del__(self) -> None:
        self._ends.append(threading.current_thread().name)


@pytest.fixture
def link(qtbot: QtBot) -> Iterator[FakeLink]:
    made = FakeLink(FakeService())
    yield made
    made.close()


def test_what_a_call_and_its_answer_refer_to_goes_on_the_windows_thread(link: FakeLink, qtbot: QtBot) -> None:
    ends: list[str] = []
    owner = QObject()
    answers: list[object] = []

    def ask() -> None:
        widget = Widget(ends)
        link.ask(lambda _service: (widget, Widget(ends)), lambda _answer: answers.append(1), owner=owner)

    for _ in range(300):
        ask()
    qtbot.waitUntil(lambda: len(ends) == 600)

    assert len(answers) == 300
    assert set(ends) == {threading.current_thread().name}


def test_what_a_failed_call_went_through_goes_on_the_windows_thread(link: FakeLink, qtbot: QtBot) -> None:
    ends: list[str] = []
    owner = QObject()
    errors: list[int] = []

    def ask() -> None:
        widget = Widget(ends)

        def call(_service: object) -> None:
            raise RuntimeError(str(widget))

        link.ask(call, pytest.fail, owner=owner, failed=lambda error: errors.append(error.code))

    for _ in range(100):
        ask()
    qtbot.waitUntil(lambda: len(ends) == 100)

    assert errors == [INTERNAL.number] * 100
    assert set(ends) == {threading.current_thread().name}


def test_no_answer_comes_once_the_link_is_closed_and_it_stays_closed(qtbot: QtBot) -> None:
    link = FakeLink(FakeService())
    answers: list[object] = []
    link.ask(lambda _service: 1, answers.append, owner=link)
    link.close()
    link.turn(LinkState.CONNECTED)
    link.ask(lambda _service: 2, answers.append, owner=link)
    qtbot.wait(1)

    assert answers == []
    assert link.state is LinkState.CLOSED


def test_work_ends_before_its_owner_does(qtbot: QtBot) -> None:
    begun, seen = threading.Event(), threading.Event()

    def work() -> Iterator[int]:
        begun.set()
        while True:
            yield 1

    def long(_report: object, cancelled: object) -> None:
        while not cancelled():  # type: ignore[operator]
            pass
        seen.set()

    pane = QObject()
    WorkerThread(pane).walk(work)
    WorkerThread(pane).start(long)
    assert begun.wait(30)
    delete(pane)

    assert seen.is_set()
    assert not [each for each in threading.enumerate() if each.name == "worker"]


def test_a_long_task_reports_answers_and_fails_on_the_windows_thread(qtbot: QtBot) -> None:
    heard: list[object] = []
    owner = QObject()
    task = WorkerThread(owner)
    task.reported.connect(lambda what: heard.append((what, threading.current_thread().name)))
    task.done.connect(heard.append)
    task.failed.connect(lambda error: heard.append(error.code))
    here = threading.current_thread().name
    task.start(lambda report, _cancelled: report("half") or "all")  # type: ignore[func-returns-value]
    qtbot.waitUntil(lambda: heard == [("half", here), "all"])

    def broken(_report: object, _cancelled: object) -> None:
        raise SkerryError(INTERNAL, "no")

    task.start(broken)
    qtbot.waitUntil(lambda: heard[2:] == [INTERNAL.number])
    assert not task.busy
