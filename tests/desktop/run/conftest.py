"""The run mode alone, over the real engine, as tests use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Console, Nowhere
from app.desktop.run.mode import RunMode
from engine.api.documents import InstanceQuery, RunRequest
from engine.api.service import Service
from tests.desktop.conftest import load_example

PATIENCE = 20_000  # milliseconds


@pytest.fixture
def nowhere(engine_console: Console) -> Nowhere:
    """Where the mode leads to: written down."""
    engine_console.navigator = found = Nowhere()
    return found


@pytest.fixture
def mode(engine_console: Console, nowhere: Nowhere, qtbot: QtBot) -> Iterator[RunMode]:
    """The mode in a window of its own, shown."""
    mode = RunMode(engine_console)
    mode.resize(1600, 900)
    with qtbot.waitExposed(mode):
        mode.show()
    mode.activateWindow()
    mode.entered()
    yield mode
    mode.let_go()
    mode.close()
    mode.deleteLater()
    QApplication.processEvents()


@pytest.fixture
def ran(engine_service: Service, qtbot: QtBot) -> Callable[..., int]:
    """Load an example, run one of its tasks to the end, and give the instance."""

    def run(example: str, task: str, **params: Any) -> int:
        load_example(engine_service, example)
        number = engine_service.run(RunRequest(task=task, params=params))
        ended = ("succeeded", "failed", "cancelled")
        qtbot.waitUntil(lambda: engine_service.instance(number)["status"] in ended, timeout=PATIENCE)
        return number

    return run


@pytest.fixture
def newest(engine_service: Service) -> Callable[[], dict[str, Any]]:
    """The instance that was made last, in a word."""
    return lambda: dict(engine_service.instances(InstanceQuery(limit=1))[0])
