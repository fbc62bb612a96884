"""Bringing an older database up to date: always on a copy, so that a failure or a kill changes nothing."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from engine.model.codes import store as codes
from engine.model.errors import SkerryError
from engine.model.plain_words import wording
from engine.store.audit import begin
from engine.store.backend import Backend, Cursor
from engine.store.replacement import fresh_beside, keep_as
from engine.store.schema import READ_VERSION
from engine.store.sqlite import connect, copy_database, sync
from engine.store.version_3 import add_columns
from engine.store.version_3 import upgrade as _to_version_3
from engine.store.version_4 import upgrade as _to_version_4
from engine.store.version_5 import upgrade as _to_version_5
from engine.store.version_7 import upgrade as _to_version_7
from engine.store.version_8 import upgrade as _to_version_8

Migration = Callable[[Cursor], None]  # from the version it is filed under to the next one
_KEPT_BACKUPS = 3
_TRIES, _PAUSE = 60, 0.05  # seconds between two tries


def _add_audit(cursor: Cursor) -> None:
    """1 -> 2: what was done before is in revisions and context logs alone."""
    columns = ", ".join(
        f"{name} TEXT NOT NULL" for name in ("time", "actor", "action", "subject", "details", "hash")
    )
    cursor.execute(f"CREATE TABLE audit (seq BIGINT NOT NULL PRIMARY KEY, {columns})")
    begin(cursor)


MIGRATIONS: Mapping[int, Migration] = {
    1: _add_audit,
    2: _to_version_3,
    3: _to_version_4,
    4: _to_version_5,
    5: partial(add_columns, version=6),  # what messages are made from; NULL for those of before
    6: _to_version_7,
    7: _to_version_8,
}


def upgrade_file(
    path: Path, version: int, target: int, now: datetime, migrations: Mapping[int, Migration] = MIGRATIONS
) -> Path:
    """Bring a closed SQLite file from ``version`` to ``target``; gives the path of the backup that is kept.

    Whenever it is killed, either the old or the new database is at ``path``, whole.
    """
    copy, backup = fresh_beside(path), Path(f"{path}.v{version}.{now:%Y%m%dT%H%M%S%f}")
    try:
        _settle_wal(path)
        copy_database(path, copy)
        with closing(connect(copy, read_only=False)) as connection:
            _change_copy(connection, version, target, migrations)
        sync(copy)
        keep_as(path, backup)
    except (sqlite3.Error, OSError) as error:
        fresh_beside(path)
        message = "{where}: {error}; it is unchanged"
        raise SkerryError.at(codes.UPGRADE_FAILED, message, path, error=wording(error)) from error
    copy.replace(path)
    sync(path)
    _drop_old_backups(path)
    return backup


def upgrade_server(backend: Backend, target: int) -> None:
    """Bring a server's database up to date: there, changes of tables are part of the transaction."""
    connection: Any = backend.writer()
    with closing(connection):
        cursor = connection.cursor()
        backend.lock(cursor, "schema")
        cursor.execute(READ_VERSION)  # as it is now: another engine may have been quicker
        _run(cursor, int(cursor.fetchone()[0]), target, MIGRATIONS)
        backend.commit(connection, cursor)


def _settle_wal(path: Path) -> None:
    """All of it into the one file: a WAL left behind would be played into the new one.

    Whoever looks at the file just now is waited for: SQLite itself does not wait for this lock.
    """
    for _ in range(_TRIES):
        with suppress(sqlite3.OperationalError):
            return _settle_now(path)
        time.sleep(_PAUSE)
    return _settle_now(path)


def _settle_now(path: Path) -> None:
    with closing(connect(path, read_only=False)) as connection:
        [mode] = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        if mode != "delete":
            raise sqlite3.OperationalError("another program has the database open")


def _change_copy(
    connection: sqlite3.Connection, version: int, target: int, migrations: Mapping[int, Migration]
) -> None:
    connection.execute("PRAGMA synchronous = OFF")  # a copy; it is synced as a whole
    connection.execute("BEGIN")
    _run(connection.cursor(), version, target, migrations)
    connection.execute("COMMIT")
    found = connection.execute("PRAGMA integrity_check").fetchall()
    broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    if found != [("ok",)] or broken:
        raise sqlite3.DatabaseError(f"the upgraded copy does not pass its check: {found[:3]} {broken[:3]}")


def _run(cursor: Cursor, version: int, target: int, migrations: Mapping[int, Migration]) -> None:
    for step in range(version, target):
        migrations[step](cursor)
    cursor.execute(f"UPDATE meta SET value = '{int(target)}' WHERE name = 'schema_version'")
    if isinstance(cursor, sqlite3.Cursor):
        cursor.execute(f"PRAGMA user_version = {int(target)}")


def _drop_old_backups(path: Path) -> None:
    backups = sorted(path.parent.glob(f"{path.name}.v*.*"), key=lambda each: each.stat().st_mtime_ns)
    for each in backups[:-_KEPT_BACKUPS]:
        each.unlink()
