"""The engine behind the window, as its link sees it: at work, stopped, not there."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from pytestqt.qtbot import QtBot

from app import wiring
from app.desktop.kernel.link import LinkState
from app.desktop.shell.engine_link import EngineLink
from app.desktop.shell.startup import link_to, open_reader
from engine.api.documents import InstanceQuery, RunRequest
from engine.api.service import Service
from engine.model.errors import SkerryError
from tests.desktop.conftest import load_example


def test_what_happens_arrives_in_batches(
    engine_link: EngineLink, engine_service: Service, workspace: Path, qtbot: QtBot
) -> None:
    batches: list[tuple[dict[str, object], ...]] = []
    load_example(engine_service, "tour")
    link = link_to(wiring.open_workspace(workspace))
    link.changed.connect(batches.append)
    link.start()
    qtbot.waitUntil(lambda: bool(batches))

    number = engine_service.run(RunRequest(task="tour"))
    qtbot.waitUntil(lambda: _status(engine_service, number) == "succeeded", timeout=30_000)

    qtbot.waitUntil(lambda: any(event.get("instance") == number for batch in batches for event in batch))
    assert {"kind": "resync"} in batches[0]
    link.close()


def _status(service: Service, number: int) -> str:
    return service.instance(number)["status"]


def test_an_engine_that_is_stopped_is_called_silent_and_its_store_read_until_it_goes_on(
    engine_link: EngineLink, engine_service: Service, qtbot: QtBot
) -> None:
    load_example(engine_service, "tour")
    pid = engine_link.engine_pid
    assert pid is not None
    heard: list[tuple[dict[str, object], ...]] = []
    tasks: list[str] = []
    refused: list[SkerryError] = []

    os.kill(pid, signal.SIGSTOP)
    try:
        qtbot.waitUntil(lambda: engine_link.state is LinkState.SILENT, timeout=10_000)
        assert f"kill -CONT {pid}" in engine_link.words
        assert not engine_link.writable
        ask = engine_link.ask
        ask(lambda s: [str(row["id"]) for row in s.definitions("task")], tasks.extend, owner=engine_link)
        ask(lambda s: s.cancel(1), heard.append, owner=engine_link, failed=refused.append)
        qtbot.waitUntil(lambda: "tour" in tasks and bool(refused))
        engine_link.changed.connect(heard.append)
    finally:
        os.kill(pid, signal.SIGCONT)

    qtbot.waitUntil(lambda: engine_link.state is LinkState.CONNECTED, timeout=10_000)
    qtbot.waitUntil(lambda: any({"kind": "resync"} in batch for batch in heard))
    assert engine_link.service().about()["pid"] == pid


def test_an_engine_that_was_stopped_before_the_window_opened_is_called_silent(
    engine_link: EngineLink, workspace: Path, qtbot: QtBot
) -> None:
    pid = engine_link.engine_pid
    assert pid is not None
    second = link_to(wiring.open_workspace(workspace))

    os.kill(pid, signal.SIGSTOP)
    try:
        second.start()
        qtbot.waitUntil(lambda: second.state is LinkState.SILENT, timeout=10_000)
    finally:
        os.kill(pid, signal.SIGCONT)

    qtbot.waitUntil(lambda: second.state is LinkState.CONNECTED, timeout=20_000)
    second.close()


def test_without_an_engine_the_store_is_read(workspace: Path, qtbot: QtBot) -> None:
    with wiring.open_engine(workspace):
        pass

    def refuses(_workspace: object) -> object:
        raise OSError("no engine today")

    link = EngineLink(wiring.open_workspace(workspace), refuses, open_reader)  # type: ignore[arg-type]
    found: list[object] = []
    errors: list[SkerryError] = []
    link.start()
    link.ask(lambda service: service.instances(InstanceQuery()), found.append, owner=link)
    link.ask(lambda service: service.cancel(1), found.append, owner=link, failed=errors.append)
    qtbot.waitUntil(lambda: bool(found) and bool(errors), timeout=10_000)

    assert found == [[]]
    assert link.state is LinkState.READ_ONLY
    assert link.words == "no engine today"
    assert not link.writable
    link.close()
