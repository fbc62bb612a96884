"""Open questions are listed over HTTP as in the process, and without an engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from engine.api.client import Client
from engine.api.listener import Listener
from engine.api.local import LocalService
from engine.api.read_only import ReadOnlyService
from engine.api.service import Service
from engine.runtime.interventions.question_answers import Reply
from tests.runtime.site import Site, task


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "workspace").start()
    yield site
    site.close()


@pytest.fixture(params=["local", "client", "alone"])
def service(request: pytest.FixtureRequest, site: Site, tmp_path: Path) -> Iterator[Service]:
    """The engine in this process and over its socket, and its store alone."""
    if request.param == "alone":
        yield ReadOnlyService(site.engine.store, site.engine.workspace)
        return
    local = LocalService(site.engine, actor="ann")
    if request.param == "local":
        yield local
        return
    with Listener(local, tmp_path / "engine.sock"):
        yield Client(tmp_path / "engine.sock")


def _asking(site: Site, question: str, **keys: Any) -> int:
    number = site.begin(task({"ask": {"type": "approve", "question": question, **keys}}))
    site.until_state(number, "ask", "waiting")
    return number


def test_the_nearest_deadline_comes_first_and_what_is_answered_is_gone(site: Site, service: Service) -> None:
    first = _asking(site, "First?")
    later = _asking(site, "Later?", deadline="2h", choices=["yes", "no"], fails_on=["no"], value="number")
    soon = _asking(site, "Soon?", deadline="1h")
    site.begin(task({"pause": {"type": "wait", "for": "1h"}}))

    found = service.questions()

    assert [each["instance"] for each in found] == [soon, later, first]
    kept = {
        name: found[1][name] for name in ("task", "node", "index", "attempt", "question", "value", "note")
    }
    assert kept == {
        "task": "t", "node": "ask", "index": None, "attempt": 1, "question": "Later?", "value": "number",
        "note": "optional",
    }  # fmt: skip
    assert (found[1]["choices"], found[1]["fails_on"]) == (["yes", "no"], ["no"])
    assert found[0]["until"] > found[0]["since"]
    assert found[2]["until"] is None

    site.engine.approve(soon, Reply("ask", "approve"), "anna")
    assert [each["instance"] for each in service.questions()] == [later, first]


def test_an_answer_that_waits_for_an_engine_is_no_open_question(tmp_path: Path) -> None:
    site = Site(tmp_path / "workspace").start()
    number = _asking(site, "Go on?")
    site.close()

    with wiring.open_engine(tmp_path / "workspace", resume=False) as engine:
        alone = ReadOnlyService(engine.store, engine.workspace)
        assert [each["instance"] for each in alone.questions()] == [number]
        engine.approve(number, Reply("ask", "approve"), "anna")
        assert alone.questions() == []
