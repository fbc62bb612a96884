"""What SQLAlchemy compiles for a database, and its tables, are the same for every one of that kind: made once for many."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import sqlalchemy as sa

from engine.store import opening, sql_store
from engine.store.backend import Backend
from engine.store.sqlite import SqliteBackend
from engine.store.statements import Statements


@contextmanager
def compiled_once() -> Iterator[None]:
    """While entered, stores that are opened share their statements, those on SQLite also their queries and tables."""
    with (
        patch.object(sql_store, "Statements", _statements),
        patch.object(sql_store, "Revisions", partial(_writer, sql_store.Revisions)),
        patch.object(sql_store, "Audit", partial(_writer, sql_store.Audit)),
        patch.object(SqliteBackend, "reading_engine", _reading_engine),
        patch.object(opening, "_fill", _fill),
    ):
        yield


def _fill(backend: SqliteBackend) -> None:
    with closing(backend.writer()) as connection:
        _filled().backup(connection)


@cache
def _filled() -> sqlite3.Connection:
    """A database in memory with the tables of a new one."""
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    memory.execute("PRAGMA auto_vacuum = INCREMENTAL")
    opening._create(SqliteBackend(Path(":memory:"), "normal", False), memory.cursor())
    return memory


def _statements(backend: Backend) -> Statements:
    known = _known()
    return known.get(type(backend)) or known.setdefault(type(backend), Statements(backend))


def _writer(kind: type[Any], backend: Backend, statements: Statements) -> Any:
    """What writes one part of the rows: it knows how, not into which database."""
    key, known = (kind, type(backend)), _writers()
    return known[key] if key in known else known.setdefault(key, kind(backend, statements))


@cache
def _writers() -> dict[tuple[type[Any], type[Backend]], Any]:
    return {}


@cache
def _known() -> dict[type[Backend], Statements]:
    return {}


def _reading_engine(backend: SqliteBackend) -> sa.Engine:
    first = _first_engine()
    pool = sa.QueuePool(backend.reader, max_overflow=32, dialect=first.dialect)
    engine = sa.Engine(pool, first.dialect, first.url)
    return engine.execution_options(compiled_cache=_queries())


@cache
def _first_engine() -> sa.Engine:
    return sa.create_engine("sqlite://")


@cache
def _queries() -> dict[Any, Any]:
    return {}
