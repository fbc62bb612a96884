"""Queue mode over a real engine, beside a real sshd."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.queue.mode import QueueMode
from app.desktop.shell.window import MainWindow
from app.desktop.workers.workers_pane import WorkersPane
from engine.api.service import Service
from engine.model.worker_request import WorkerRequest
from tests.servers.ssh_workers import Sshd


@pytest.fixture
def pane(engine_window: MainWindow, qtbot: QtBot) -> WorkersPane:
    """The pane of Queue mode in the whole window."""
    mode = engine_window.show_mode("queue")
    assert isinstance(mode, QueueMode)
    found = mode.pane("workers", WorkersPane)
    qtbot.waitUntil(lambda: len(found.table.shown) == 1)
    return found


@pytest.fixture
def way(ssh_workers: Sshd, tmp_path: Path) -> WorkerRequest:
    """How that sshd is reached."""
    where = f"{getpass.getuser()}@127.0.0.1:{ssh_workers.port}"
    return WorkerRequest(ssh=where, key=str(ssh_workers.key), root=str(tmp_path / "remote"), slots="2")


@pytest.fixture
def build(pane: WorkersPane, way: WorkerRequest, engine_service: Service, qtbot: QtBot) -> str:
    """A worker of that name that is trusted, reached and selected."""
    engine_service.add_worker("build", way)
    engine_service.trust_worker("build")
    pane._console.overview.soon()
    qtbot.waitUntil(lambda: [row["name"] for row in pane.table.shown] == ["local", "build"])
    pane.open("build")
    return "build"
