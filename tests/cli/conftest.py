"""A workspace with an engine that is played, and a way to give command lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.cli.main import cli
from engine.api.listener import Listener
from tests.api.fake_service import FakeService


@dataclass(frozen=True)
class Answer:
    """What a command line returned."""

    status: int
    out: str
    err: str
    raw: bytes

    @property
    def document(self) -> Any:
        """Standard output as the one JSON document that it must be."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """Standard output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


Skerry = Callable[..., Answer]
_BUSY = {"the engine does not answer yet: waiting for it", "it goes on"}


def complaints(errors: str) -> str:
    """Standard error without what only tells how busy the machine is."""
    return "".join(line for line in errors.splitlines(keepends=True) if line.strip() not in _BUSY)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def service(workspace: Path) -> Iterator[FakeService]:
    """The engine behind the workspace's socket."""
    service = FakeService()
    with Listener(service, workspace / "engine.sock"):
        yield service


@pytest.fixture
def skerry(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Skerry:
    """Run ``skerry`` with these arguments in this process."""
    monkeypatch.setenv("SKERRY_WORKSPACE", str(workspace))
    monkeypatch.setenv("LANG", "C.UTF-8")
    for name in ("LC_ALL", "DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)

    def run(*args: str, input: str | None = None) -> Answer:
        result = CliRunner().invoke(cli, list(args), input=input, prog_name="skerry")
        raw = result.stdout_bytes
        return Answer(result.exit_code, raw.decode("utf-8", "replace"), result.stderr, raw)

    return run
