"""Fixtures: an engine on a workspace of its own, a gate to hold jobs with, a journal for them to write in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from engine.model.errors import SkerryError
from engine.runtime.engine import Engine
from engine.runtime.upkeep.worker_hosts import WorkerHosts
from tests.runtime.site import DEFAULTS, Gate, Site, close_quietly


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A workspace whose engine works."""
    site = Site(tmp_path / "workspace").start()
    yield site
    with suppress(SkerryError):
        close_quietly(site)


@pytest.fixture
def make_site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Makes workspaces whose settings differ (``places``, ``monitor`` …), engines at work."""
    made: list[Site] = []

    def make(**settings: object) -> Site:
        written = {**DEFAULTS, **settings}
        text = "".join(f"{name}: {json.dumps(value)}\n" for name, value in written.items())
        made.append(Site(tmp_path / f"workspace{len(made) + 2}", text).start())
        return made[-1]

    yield make
    for site in made:
        with suppress(SkerryError):
            close_quietly(site)


@pytest.fixture
def engine(site: Site) -> Engine:
    return site.engine


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path / "gate")


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A file that jobs append to."""
    file = tmp_path / "journal"
    file.touch()
    return file


@pytest.fixture
def namesakes_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registered workers are this machine by other names (``workers_of_site``): none is connected to."""
    monkeypatch.setattr(WorkerHosts, "_have", lambda _hosts, _live: None)
