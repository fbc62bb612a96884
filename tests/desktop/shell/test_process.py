"""The window as a process: started by the command, started twice, asked to end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engine.api.client import Client
from tests.waiting import until

_PATIENCE = 60.0


class Started:
    """``skerry`` on a workspace, without a display."""

    def __init__(self, root: Path) -> None:
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(root / "config")}
        self.command = [sys.executable, "-m", "app.cli.main", "--workspace", str(root)]
        self.environment = environment
        self.process = subprocess.Popen(self.command, env=environment, stderr=subprocess.DEVNULL)
        self.engine = Client(root / "engine.sock")
        self.sign = root / "window.sock"

    def again(self) -> int:
        """A second start; its exit status."""
        return subprocess.run(self.command, env=self.environment, timeout=_PATIENCE, check=False).returncode


@pytest.fixture
def started(workspace: Path) -> Iterator[Started]:
    found = Started(workspace)
    until(lambda: found.sign.exists() and found.engine.alive(), "the window and its engine come")
    yield found
    if found.process.poll() is None:
        found.process.kill()
    found.process.wait()
    if found.engine.alive():
        engine = psutil.Process(found.engine.about()["pid"])
        engine.terminate()
        engine.wait(30)


def test_a_second_start_ends_at_once_and_well(started: Started) -> None:
    assert started.again() == 0
    assert started.process.poll() is None


def test_asked_to_end_it_leaves_the_engine_at_work(started: Started) -> None:
    started.process.send_signal(signal.SIGTERM)

    assert started.process.wait(_PATIENCE) == 0
    assert started.engine.alive()
    assert not started.sign.exists()


def test_a_window_that_is_killed_hurts_nothing(started: Started) -> None:
    pid = started.engine.about()["pid"]
    started.process.kill()
    started.process.wait()

    assert started.engine.about()["pid"] == pid
    started.sign.unlink()
    next_one = Started(started.sign.parent)
    try:
        until(next_one.sign.exists, "the next window has the workspace")
        assert next_one.again() == 0
        assert next_one.process.poll() is None
        assert next_one.engine.about()["pid"] == pid
    finally:
        next_one.process.kill()
        next_one.process.wait()
