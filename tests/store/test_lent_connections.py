"""Connections for plain SQL: lent again as long as they are good, never to two readers at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.store.lent_connections import LentConnections
from engine.store.sqlite import SqliteBackend, make_file


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[sa.Engine]:
    make_file(tmp_path / "skerry.db")
    pool = SqliteBackend(tmp_path / "skerry.db", "full", False).reading_engine()
    yield pool
    pool.dispose()


def at_hand(pool: sa.Engine) -> int:
    assert isinstance(pool.pool, sa.QueuePool)
    return pool.pool.checkedin()


def test_the_same_one_is_lent_again(pool: sa.Engine) -> None:
    lent = LentConnections(pool, kept=True)

    with lent.one() as first:
        pass
    with lent.one() as again:
        pass

    assert again is first
    assert at_hand(pool) == 0


def test_two_readers_at_once_have_one_each(pool: sa.Engine) -> None:
    lent = LentConnections(pool, kept=True)

    with lent.one() as first, lent.one() as other:
        assert first.driver_connection is not other.driver_connection


def test_one_that_may_go_bad_is_looked_at_by_its_pool_each_time(pool: sa.Engine) -> None:
    lent = LentConnections(pool, kept=False)

    with lent.one():
        pass

    assert at_hand(pool) == 1


def test_after_an_error_it_goes_back_to_its_pool(pool: sa.Engine) -> None:
    lent = LentConnections(pool, kept=True)

    with pytest.raises(sqlite3.OperationalError), lent.one() as connection:
        connection.cursor().execute("SELECT * FROM nothing")

    assert at_hand(pool) == 1


def test_what_is_idle_serves_the_pool_as_well(pool: sa.Engine) -> None:
    lent = LentConnections(pool, kept=True)
    with lent.one():
        pass

    lent.give_one_back()

    assert at_hand(pool) == 1


def test_one_that_is_in_use_at_the_end_goes_back_afterwards(pool: sa.Engine) -> None:
    lent = LentConnections(pool, kept=True)

    with lent.one():
        lent.close()

    assert at_hand(pool) == 1
