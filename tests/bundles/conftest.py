"""Workspaces with runs in them, and bundles of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.wiring import open_engine
from engine.api.documents import RunRequest, Source
from engine.api.local import LocalService
from engine.runtime.clock import SystemClock
from export_import.container import BundleWriter
from export_import.export import export
from export_import.export_request import ExportRequest, Result
from export_import.export_source import InstanceChoice
from export_import.keys import Keys

CLOCK = SystemClock()
TASK = """
skerry: 1
tasks:
  night:
    params: {limit: 10}
    nodes:
      read:
        type: shell
        process: echo "rows=12 from 10.11.12.13"; printf 12 > outputs/rows
        results: {rows: {kind: number}}
      load:
        type: shell
        after: [read]
        params: {rows: "$.JOB['read'].RESULT['rows']", limit: "$.TASK.PARAMS['limit']"}
        process: echo "rows=$rows limit=$limit" >&2; test "$rows" -le "$limit" || exit 3
"""


@dataclass(frozen=True)
class Place:
    """A workspace with one ended run, number 1."""

    root: Path

    @property
    def keys(self) -> Keys:
        return Keys(self.root, CLOCK)

    def export(self, path: Path, **wanted: object) -> Result:
        return export(self.root, path, ExportRequest((InstanceChoice(1),), **wanted), clock=CLOCK)  # type: ignore[arg-type]


def run(root: Path, text: str = TASK, task: str | None = None) -> int:
    """Run a task to its end; the number of its instance."""
    with open_engine(root) as engine:
        number = LocalService(engine).run(RunRequest(task, [Source(name="task.yaml", text=text)]))
        engine.wait(number)
    return number


@pytest.fixture
def site(tmp_path: Path) -> Place:
    root = tmp_path / "site"
    assert run(root) == 1
    return Place(root)


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    (tmp_path / "keys-here").mkdir()
    return Keys(tmp_path / "keys-here", CLOCK)


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, keys: Keys) -> Write:
    """Write a bundle of some files: ``write(name, {file: bytes}, **how)``."""

    def made(name: str, files: dict[str, bytes], *, sealed: bool = False, **how: object) -> Path:
        to = [keys.recipient] if sealed else []
        with BundleWriter(
            tmp_path / name,
            kind="diagnostic",
            keys=keys,
            recipients=to,
            clock=CLOCK,
            **how,  # type: ignore[arg-type]
        ) as writer:
            for each, data in files.items():
                writer.add(each, [data])
            return writer.finish(instances=[])

    return made
