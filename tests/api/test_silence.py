"""An engine that is stopped: every command says so within seconds, and nothing is carried out afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.api.client import Client
from engine.model.codes.commands import NO_ANSWER
from tests import commands
from tests.waiting import until

TASK = "skerry: 1\ntasks: {quick: {nodes: {a: {type: shell, process: 'true'}}}}\n"


def _skerry(root: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [*commands.skerry(), "--workspace", str(root), *arguments]
    environment = {**os.environ, "LANG": "C.UTF-8"}
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """An engine at work in ``w`` that was asked once."""
    (tmp_path / "quick.yaml").write_text(TASK)
    serving = _skerry(tmp_path / "w", "serve")
    assert serving.stdout is not None
    assert serving.stdout.readline() == "ready\n"
    Client(tmp_path / "w" / "engine.sock").load(
        [{"name": "kept.yaml", "text": TASK.replace("quick", "kept")}]
    )
    assert _skerry(tmp_path / "w", "run", str(tmp_path / "quick.yaml")).wait() == 0
    yield serving
    os.kill(commands.pid(serving), signal.SIGCONT)
    serving.terminate()
    serving.communicate()


def test_every_command_says_that_the_engine_is_stopped_and_nothing_is_carried_out_later(
    engine: subprocess.Popen[str], tmp_path: Path
) -> None:
    # given an engine that is stopped
    root, file = tmp_path / "w", str(tmp_path / "quick.yaml")
    pid = commands.pid(engine)
    os.kill(pid, signal.SIGSTOP)
    until(lambda: Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")

    # when it is asked for something, then the command ends and says so
    asking = [["list"], ["show", "1"], ["queue"], ["load", file], ["cancel", "1"], ["rerun", "1", "--all"]]
    asking += [["tasks", "delete", "kept"], ["run", file], ["run", file, "--detach"]]
    asked = [_skerry(root, *each) for each in asking]
    for each in asked:
        output = each.communicate()[1]
        assert each.returncode == 4
        assert f"error {NO_ANSWER.number}" in output
        assert "is stopped" in output

    # and when it goes on, then nothing of it is done
    os.kill(pid, signal.SIGCONT)
    listed = _skerry(root, "list").communicate()[0].splitlines()
    assert len(listed) == 2, "the head and the first run"
    shown = _skerry(root, "show", "1", "--json").communicate()[0]
    assert '"run":1' in shown
    tasks = _skerry(root, "tasks").communicate()[0]
    assert "quick" not in tasks
    assert "kept" in tasks
