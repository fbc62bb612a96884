"""Opening a store by URL: made if there is none, checked after a crash, brought up to date if older."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from engine.model.clock import Clock
from engine.model.codes import store as codes
from engine.model.errors import Invalid, Refused, SkerryError
from engine.model.message import Message
from engine.model.plain_words import wording
from engine.store import left_wal, schema
from engine.store.audit import begin
from engine.store.backend import Backend, Cursor, Durability
from engine.store.checksums import triggers
from engine.store.replacement import fresh_beside
from engine.store.sql_store import Store
from engine.store.sqlite import (
    SqliteBackend,
    closed_uncleanly,
    connect,
    make_file,
    no_plain_file,
    out_of_reach,
    quick_check,
    sync,
)
from engine.store.structure import made, put_right, version_of

_FILE = "sqlite:///"
_SYSTEMS = {
    errno.ENOSPC: codes.DISK_FULL,
    errno.EDQUOT: codes.DISK_FULL,
    errno.EIO: codes.DISK_ERROR,
    errno.EMFILE: codes.DISK_ERROR,
    errno.ENFILE: codes.DISK_ERROR,
}
_LONG_PATH = 460  # bytes; SQLite takes 512 with all that it adds to a name


def open_store(url: str, *, durability: Durability = "full", read_only: bool = False, clock: Clock) -> Store:
    """``sqlite:///path`` or ``postgresql+psycopg://…``.

    Raises BAD_URL, DAMAGED, NEWER (unless ``read_only``), OLDER (``read_only`` and not up to date), MISSING
    (``read_only`` and nothing there), UPGRADE_FAILED, READ_ONLY, UNREACHABLE or DISK_FULL.
    """
    parsed = _parsed(url)
    if parsed.get_backend_name() == "sqlite":
        file, done = _open_file(Path(parsed.database or ""), durability, read_only, clock)
        return Store(file, clock, read_only=read_only, put_right=done)
    return Store(_open_server(parsed, durability, read_only), clock, read_only=read_only)


def suspect(path: Path) -> Path:
    """The note that says: the database was found damaged; the next engine that opens it rebuilds it."""
    return Path(f"{path}.suspect")


def mark_suspect(url: str, reason: str) -> None:
    """Leave that note; a disk that is full must not be in its way."""
    path = file_of(url)
    if path is not None:
        with suppress(OSError):
            suspect(path).write_text(f"{reason}\n", "utf-8")


def file_of(url: str) -> Path | None:
    """The database file that a URL names; None for a server. BAD_URL if it is no URL that can be used."""
    parsed = _parsed(url)
    return Path(parsed.database or "") if parsed.get_backend_name() == "sqlite" else None


def _parsed(url: str) -> sa.URL:
    if url.startswith(_FILE):  # the path as it is: a ? in it is a letter of a name
        return _usable(sa.URL.create("sqlite", database=url.removeprefix(_FILE)))
    try:
        return _usable(sa.make_url(url))
    except sa.exc.ArgumentError as error:
        raise Invalid.at(codes.BAD_URL, "{where!r} is no database URL", url) from error


def _usable(parsed: sa.URL) -> sa.URL:
    known = parsed.get_backend_name() in ("sqlite", "postgresql")
    if not known or (parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:")):
        shown = parsed.render_as_string(hide_password=True)
        raise Invalid.at(codes.BAD_URL, "{where} cannot be used as the database", shown)
    return parsed


def _open_file(
    path: Path, durability: Durability, read_only: bool, clock: Clock
) -> tuple[SqliteBackend, list[str]]:
    """The file, and what of its structure was not as it was made."""
    backend = SqliteBackend(path, durability, read_only)
    if (strange := no_plain_file(path)) is not None:  # SQLite would wait for a pipe for ever
        raise SkerryError(codes.DAMAGED, "{path}: it is no plain file", where=str(path), path=strange)
    try:
        unclean = closed_uncleanly(path)
        if read_only and not path.exists():
            raise SkerryError.at(codes.MISSING, "{where}: there is no database", path)
        if not read_only and not path.exists():
            _make(backend)
        version, done = _looked_at(backend, read_only, check=unclean and not read_only)
        if _allowed(version, read_only, backend.place):
            _bring_up(backend, version, clock)
            _, done = _looked_at(backend, read_only, check=False)
    except (sqlite3.Error, OSError) as error:  # a full disk, too
        raise _file_error(backend, error) from error
    return backend, done


def _looked_at(backend: SqliteBackend, read_only: bool, *, check: bool) -> tuple[int | None, list[str]]:
    """The version of the file, and what was put right in one of this version that is not only read."""
    # who may write looks as one who writes: what a kill at the making of the file left is undone first
    before = left_wal.before(backend.path)
    opened = backend.reader() if read_only else connect(backend.path, read_only=False)
    with closing(opened) as connection:
        wrong = quick_check(connection) if check else None
        if wrong:
            raise SkerryError.at(codes.DAMAGED, "{where}: {problem}", backend.place, problem=wrong)
        if backend.syncs_each and left_wal.lost_frames(connection, backend.path, before):
            message = Message.of(
                "{where}-wal: transactions in it cannot be read any more", where=backend.place
            )
            mark_suspect(f"{_FILE}{backend.path}", message)  # the index is new now: nobody else will see it
            raise SkerryError(codes.DAMAGED, message, where=backend.place)
        version = version_of(connection, backend.place)
        may_put_right = version == schema.VERSION and not read_only
        return version, put_right(connection) if may_put_right else []


def _make(backend: SqliteBackend) -> None:
    """A new file, made beside and put there whole: nobody ever sees half of one."""
    suffix = f".making-{os.getpid()}-{threading.get_ident()}"
    new = fresh_beside(backend.path, suffix)
    try:
        make_file(new)
        _fill(backend.beside(new))
        sync(new)
        with suppress(FileExistsError):  # another engine was quicker
            _take_free_place(new, backend.path)
        sync(backend.path)
    finally:
        fresh_beside(backend.path, suffix)


def _take_free_place(new: Path, path: Path) -> None:
    try:
        os.link(new, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        new.rename(path)


def _fill(backend: SqliteBackend) -> None:
    with closing(backend.writer()) as connection:
        cursor = connection.cursor()
        backend.begin(connection, cursor)
        _create(backend, cursor)
        backend.commit(connection, cursor)


def _bring_up(backend: SqliteBackend, version: int | None, clock: Clock) -> None:
    if version is None:  # an empty file that was there before
        return _fill(backend)
    with _alone(backend.path):  # who comes second finds it done: his copy would undo what is written by then
        now, _ = _looked_at(backend, read_only=False, check=False)
        if now is not None and now < schema.VERSION:
            _upgrade(backend, now, clock)
    return None


def _upgrade(backend: SqliteBackend, version: int, clock: Clock) -> None:
    from engine.store.migrations import upgrade_file

    try:
        upgrade_file(backend.path, version, schema.VERSION, clock.now())
    except SkerryError as error:
        if (wrong := _wrong_with(backend.path)) is None:
            raise
        raise SkerryError.at(codes.DAMAGED, "{where}: {problem}", backend.place, problem=wrong) from error


def _wrong_with(path: Path) -> str | None:
    try:
        with closing(connect(path, read_only=False)) as connection:
            return quick_check(connection)
    except sqlite3.DatabaseError as error:
        return None if isinstance(error, sqlite3.OperationalError) else str(error)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One at a time, also when several begin at the same moment: who has the folder locked."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _allowed(version: int | None, read_only: bool, place: str) -> bool:
    """Whether something is to be done first; raises when it may not be."""
    if version is not None and version > schema.VERSION and not read_only:
        message = "{where} has schema {version}, this program knows {known}"
        raise Refused.at(codes.NEWER, message, place, version=version, known=schema.VERSION)
    behind = version is None or version < schema.VERSION
    if behind and read_only:
        message = "{where} has schema {version}, not {known}"
        raise Refused.at(codes.OLDER, message, place, version=version or 0, known=schema.VERSION)
    return behind


def _file_error(backend: SqliteBackend, error: Exception) -> SkerryError:
    length = len(os.fsencode(backend.path))
    if length > _LONG_PATH and "unable to open" in str(error):
        message = "{where}: SQLite opens no path as long as this ({length} bytes)"
        return Invalid.at(codes.BAD_URL, message, backend.place, length=length)
    if strange := out_of_reach(backend.path):
        return SkerryError.at(codes.READ_ONLY, "{where} may not be read and written", strange)
    if translated := backend.translated(error):
        return translated
    entry = _SYSTEMS.get(getattr(error, "errno", None) or 0, codes.READ_ONLY)
    return SkerryError.at(entry, "{where}: {error}", backend.place, error=wording(error))


def _open_server(url: sa.URL, durability: Durability, read_only: bool) -> Backend:
    from engine.store.postgresql import PostgresqlBackend

    backend = PostgresqlBackend(url, durability)
    try:
        version = _server_version(backend)
        if _allowed(version, read_only, backend.place):
            _bring_server_up(backend, version)
    except ImportError as error:
        message = "no driver for {where}: {error}"
        raise Invalid.at(codes.BAD_URL, message, backend.place, error=wording(error)) from error
    except Exception as error:
        raise backend.translated(error) or error from error
    return backend


def _server_version(backend: Backend) -> int | None:
    connection: Any = backend.writer()
    with closing(connection):
        cursor = connection.cursor()
        cursor.execute("SELECT to_regclass('meta')")
        if cursor.fetchone()[0] is None:
            return None
        cursor.execute(schema.READ_VERSION)
        return int(cursor.fetchone()[0])


def _bring_server_up(backend: Backend, version: int | None) -> None:
    if version is not None:
        from engine.store.migrations import upgrade_server

        upgrade_server(backend, schema.VERSION)
        return
    connection: Any = backend.writer()
    with closing(connection):
        cursor = connection.cursor()
        backend.lock(cursor, "schema")
        cursor.execute("SELECT to_regclass('meta')")
        if cursor.fetchone()[0] is None:  # else another engine was quicker
            _create(backend, cursor)
        backend.commit(connection, cursor)


def _create(backend: Backend, cursor: Cursor) -> None:
    """All tables in one transaction: there is never half a schema."""
    for statement in (*made(backend.name), *triggers(backend.name)):
        cursor.execute(statement)
    cursor.execute(f"INSERT INTO meta (name, value) VALUES ('schema_version', '{schema.VERSION}')")
    if backend.name == "sqlite":
        cursor.execute(f"PRAGMA user_version = {schema.VERSION}")
    begin(cursor)
