"""The process of the engine behind the window: started, joined, left alone, started again."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app import wiring
from app.desktop.kernel.link import LinkState
from app.desktop.shell.engine_link import EngineLink
from app.desktop.shell.startup import link_to


@pytest.fixture
def engines() -> None:
    """Interpreters of their own: their pids and ends are what is asked for."""


def test_an_engine_that_dies_is_shown_and_started_again(engine_link: EngineLink, qtbot: QtBot) -> None:
    seen: list[LinkState] = []
    engine_link.state_changed.connect(seen.append)
    assert engine_link.engine_pid is not None

    os.kill(engine_link.engine_pid, signal.SIGKILL)

    qtbot.waitUntil(lambda: LinkState.LOST in seen, timeout=10_000)
    qtbot.waitUntil(lambda: engine_link.state is LinkState.CONNECTED, timeout=30_000)


def test_an_engine_that_runs_is_joined_and_left_alone(
    engine_link: EngineLink, workspace: Path, qtbot: QtBot
) -> None:
    second = link_to(wiring.open_workspace(workspace))
    second.start()
    qtbot.waitUntil(lambda: second.state is LinkState.CONNECTED, timeout=20_000)

    assert not second.started_it
    second.close()

    assert engine_link.service().about()["pid"] == engine_link.engine_pid


def test_closing_while_the_engine_starts_ends_both(workspace: Path) -> None:
    link = link_to(wiring.open_workspace(workspace))
    link.start()

    link.close(stop=True)

    assert link.state is LinkState.CLOSED
