"""What surrounds a command may be closed, full or read-only: it is reported in one line, or harmless."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.model.codes.commands import WORKSPACE_UNUSABLE
from engine.model.codes.store import DISK_FULL, READ_ONLY
from tests.cli.conftest import Skerry

TASK = "skerry: 1\ntasks: {quick: {nodes: {a: {type: shell, process: 'echo quick'}}}}\n"


def _shell(line: str, workspace: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SKERRY_WORKSPACE": str(workspace), "PYTHON": sys.executable}
    return subprocess.run(["sh", "-c", line], env=environment, capture_output=True, text=True)


def test_streams_that_the_caller_closed_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "quick.yaml").write_text(TASK)
    command = f"$PYTHON -m app.cli.main run {tmp_path}/quick.yaml"

    for closed in (">&-", "<&- >&- 2>&-"):
        assert _shell(f"{command} {closed}", tmp_path / "ws").returncode == 0

    logs = (tmp_path / "ws").glob("instances/*/jobs/*/job.log")
    assert [each.read_text() for each in logs] == ["quick\n", "quick\n"]


def test_output_that_finds_no_room_is_an_error_of_the_disk(tmp_path: Path) -> None:
    answer = _shell("$PYTHON -m app.cli.main errors > /dev/full", tmp_path / "ws")

    assert answer.returncode == 4
    assert answer.stderr.startswith(f"error {DISK_FULL.number}: the output: No space left")


@pytest.mark.parametrize("command", ["run {file}", "run {file} --detach", "serve", "load {file}"])
def test_a_workspace_that_can_only_be_read_refuses_work(
    command: str, skerry: Skerry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "quick.yaml").write_text(TASK)
    skerry("list")
    monkeypatch.setattr(os, "access", lambda *_: False)

    answer = skerry(*command.format(file=tmp_path / "quick.yaml").split(), "--json")

    assert answer.status == 3
    assert answer.document["error"]["code"] == READ_ONLY.number


def test_a_file_that_may_not_be_written_is_no_mistake_of_the_program(
    skerry: Skerry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied", "/ws/.lock")

    monkeypatch.setattr("engine.runtime.workspace.Workspace.own", refuse)

    answer = skerry("rebuild")

    assert answer.status == 3
    assert answer.err.startswith(f"error {READ_ONLY.number}: /ws/.lock: Permission denied")


def test_a_workspace_whose_path_is_no_text_is_wrong_use(skerry: Skerry, tmp_path: Path) -> None:
    answer = skerry("--workspace", f"{tmp_path}/bad\udcff", "list")

    assert answer.status == 2
    assert answer.err.startswith(f"error {WORKSPACE_UNUSABLE.number}: {tmp_path}/bad\\udcff: the path is not")


def test_what_is_in_the_way_within_a_workspace_is_named(skerry: Skerry, tmp_path: Path) -> None:
    (tmp_path / "instances").touch()

    answer = skerry("--workspace", str(tmp_path), "tasks")

    assert answer.status == 2
    assert answer.err == f"error {WORKSPACE_UNUSABLE.number}: {tmp_path}/instances: File exists\n"
