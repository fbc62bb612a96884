"""Readings that are asked for too often are gathered, and never run beside one another."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.kernel.link import Request
from app.desktop.run.throttle import Throttle
from tests.desktop.conftest import FakeLink, PlayedService


class Readings:
    """Each reading waits until ``go`` is set."""

    def __init__(self) -> None:
        self.link = FakeLink(PlayedService())
        self.go, self.begun, self.answers = threading.Event(), 0, 0

    def read(self) -> Request:
        """Begin one."""
        self.begun += 1
        return self.link.ask(lambda _: self.go.wait(30), self._answered, owner=self.link)

    def _answered(self, _: bool) -> None:
        self.answers += 1


@pytest.fixture
def readings(qtbot: QtBot) -> Iterator[Readings]:
    found = Readings()
    yield found
    found.go.set()
    found.link.close()


def test_what_is_asked_during_a_reading_is_read_once_after_it(readings: Readings, qtbot: QtBot) -> None:
    # given a reading that is under way
    throttle = Throttle(readings.read, 1, readings.link)
    throttle.now()

    # when more is asked for before its answer
    throttle.ask()
    throttle.now()
    begun_meanwhile = readings.begun
    readings.go.set()

    # then nothing runs beside it, and one more reading follows
    qtbot.waitUntil(lambda: readings.answers == 2)
    assert (begun_meanwhile, readings.begun) == (1, 2)


def test_a_forgotten_reading_brings_no_answer_and_holds_up_no_other(readings: Readings, qtbot: QtBot) -> None:
    # given a reading that is under way
    throttle = Throttle(readings.read, 1, readings.link)
    throttle.now()

    # when it is forgotten and another one is asked for
    throttle.forget()
    throttle.now()
    begun = readings.begun
    readings.go.set()

    # then the other one begins at once, and only its answer comes
    qtbot.waitUntil(lambda: readings.answers > 0)
    assert (begun, readings.answers) == (2, 1)


def test_after_a_slow_reading_the_next_one_waits_longer(readings: Readings) -> None:
    # given a reading that took 7 ms, and a tenth of the time for readings
    request = Request(lambda _: None, readings.link, lambda _: None, lambda _: None)
    throttle = Throttle(lambda: request, 1, readings.link, share=10)
    throttle.now()
    request.took = 7

    # when another one is asked for
    throttle.ask()

    # then it begins ten times as long after that one
    assert throttle.interval == 70
