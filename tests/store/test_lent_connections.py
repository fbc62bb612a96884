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


def test_a_reading_that_was_interrupted_keeps_no_later_one_in_the_past(
    pool: sa.Engine, tmp_path: Path
) -> None:
    # given a Ctrl-C between two rows of a reading, and a traceback that knows the cursor for as long as it is handled
    lent = LentConnections(pool, kept=True)
    changes = sqlite3.connect(tmp_path / "skerry.db", isolation_level=None)
    changes.execute("PRAGMA journal_mode = wal")
    changes.execute("CREATE TABLE t AS SELECT 1 AS n UNION SELECT 2")
    with pytest.raises(KeyboardInterrupt) as interrupted:
        _interrupted_after_a_row(lent)

    # when something changes meanwhile
    changes.execute("UPDATE t SET n = 7")
    changes.close()

    # then who reads next sees it
    with lent.one() as connection:
        assert connection.cursor().execute("SELECT n FROM t").fetchall() == [(7,), (7,)]
    assert interrupted.tb is not None


def _interrupted_after_a_row(lent: LentConnections) -> None:
    with lent.one() as connection:
        cursor = connection.cursor()
        assert cursor.execute("SELECT n FROM t").fetchone() == (1,)
        raise KeyboardInterrupt


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
