"""The stores that every test of the contract suite runs on, and a clock that does not move."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.store.changes import Changes
from engine.store.opening import open_store
from engine.store.rows import time_text
from engine.store.sql_store import Store

BEGIN = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


class StillClock:
    """Is 2026-11-21 08:00 UTC until it is moved."""

    def __init__(self) -> None:
        self.moment = BEGIN

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return (self.moment - BEGIN).total_seconds()

    def forward(self, **by: float) -> None:
        self.moment += timedelta(**by)


def at(**later: float) -> str:
    """A time after the clock's beginning, as the store writes it."""
    return time_text(BEGIN + timedelta(**later))


Opener = Callable[..., Store]


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/skerry.db"
    return str(request.getfixturevalue("postgres").new_schema())


@pytest.fixture
def reopen(url: str, clock: StillClock) -> Iterator[Opener]:
    """Opens the same database, as often as it is called."""
    opened: list[Store] = []

    def make(**options: Any) -> Store:
        opened.append(open_store(url, clock=clock, **options))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


@pytest.fixture
def store(reopen: Opener) -> Store:
    """A store in an empty database."""
    return reopen()


def an_instance(id: int = 1, **values: Any) -> dict[str, Any]:
    """A row that only says what it must."""
    row = {"id": id, "task": "nightly", "status": "running", "trigger": "manual"}
    return row | {"scheduled_time": at(seconds=id), "created_at": at()} | values


def a_job(id: int = 1, **values: Any) -> dict[str, Any]:
    row = {"id": id, "instance": 1, "run": 1, "node": "look", "job": "look", "status": "pending"}
    return row | {"created_at": at()} | values


def of_version_2(path: Path) -> None:
    """A file as an engine of schema version 2 left it: one run of two jobs, one of which failed."""
    golden(path, 2)


def golden(path: Path, version: int) -> None:
    """A file as an engine of an earlier version left it."""
    with closing(sqlite3.connect(path)) as database:
        text = (Path(__file__).parent / "golden" / f"version_{version}.sql").read_text("utf-8")
        database.executescript(text)
        database.execute("PRAGMA journal_mode = WAL")


def with_instances(store: Store, *rows: dict[str, Any]) -> None:
    """Commit these instances."""
    changes = Changes()
    for row in rows:
        changes.insert("instance", row)
    store.commit(changes)
