"""What the run mode shows of an instance follows the engine, whenever something happens."""

from __future__ import annotations

import threading

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.run.session import Session
from engine.api.documents import RunDocument
from tests.api.fake_service import instance, job
from tests.desktop.conftest import FakeLink, PlayedService

RUNNING = instance(1, jobs=[job("load", "running")])
FAILED = instance(1, "failed", jobs=[job("load", "failed")])


class SlowService(PlayedService):
    """Its first reading of an instance is answered when ``go`` is set, with what was there before."""

    def __init__(self) -> None:
        super().__init__()
        self.reading, self.go = threading.Event(), threading.Event()

    def instance(self, instance: int) -> RunDocument:
        document = super().instance(instance)
        self.reading.set()
        self.go.wait(30)
        return document


@pytest.mark.parametrize(
    "event", [{"kind": "instance", "instance": 1, "status": "failed"}, {"kind": "resync"}]
)
def test_what_happens_during_the_first_reading_is_shown(qtbot: QtBot, event: dict[str, object]) -> None:
    # given an instance that is being read for the first time
    service = SlowService()
    service.found[1] = RUNNING
    link = FakeLink(service)
    session = Session(link)
    session.open(1)
    assert service.reading.wait(30)

    # when it ends before that reading arrives
    service.found[1] = FAILED
    link.emit(event)
    service.go.set()

    # then its end is shown, although nothing else happens
    qtbot.waitUntil(lambda: session.look is not None and session.look.run["status"] == "failed")
    link.close()


def test_a_selection_that_no_person_made_goes_to_what_fails_meanwhile(qtbot: QtBot) -> None:
    # given a run that is shown at the job that runs
    service = PlayedService()
    service.found[1] = instance(1, jobs=[job("extract", "running"), job("load", "pending")])
    link = FakeLink(service)
    session = Session(link)
    session.open(1)
    qtbot.waitUntil(lambda: session.selection.now.node == "extract")

    # when a later one fails
    service.found[1] = instance(1, "failed", jobs=[job("extract", "succeeded"), job("load", "failed")])
    link.emit({"kind": "resync"})

    # then that one is shown, until a person selects another
    qtbot.waitUntil(lambda: session.selection.now.node == "load")
    session.selection.choose(node="extract")
    session.refresh()
    with qtbot.waitSignal(session.looked):
        pass
    assert session.selection.now.node == "extract"
    link.close()
