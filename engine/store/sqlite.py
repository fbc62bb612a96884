"""SQLite as a backend: WAL, one connection that writes, pooled ones that read."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Sequence
from contextlib import closing, suppress
from operator import methodcaller
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import quote
from zlib import crc32

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite as dialect

from engine.model.codes import store as codes
from engine.model.disk import disk_of, sync_path
from engine.model.errors import ErrorCode, SkerryError
from engine.store.backend import Connection, Cursor, Durability
from engine.store.checksums import text_hash

BUSY_SECONDS = 10.0
CHECK_SECONDS = 2.0
_CACHE_KIB = 16 * 1024
_READERS_KIB = 4 * 1024  # what they read again is in the system's cache too, and there may be many of them
_WAL_BYTES_KEPT = 64 * 1024 * 1024
_TIDY_PAGES = 4096
_AS_TEXT = methodcaller("decode", "utf-8", "replace")  # one that is no UTF-8 hides no other row
_MEANING: dict[int, ErrorCode] = {
    sqlite3.SQLITE_FULL: codes.DISK_FULL,
    sqlite3.SQLITE_CORRUPT: codes.DAMAGED,
    sqlite3.SQLITE_NOTADB: codes.DAMAGED,
    sqlite3.SQLITE_BUSY: codes.BUSY,
    sqlite3.SQLITE_LOCKED: codes.BUSY,
    sqlite3.SQLITE_READONLY: codes.READ_ONLY,
    sqlite3.SQLITE_PERM: codes.READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: codes.READ_ONLY,
    sqlite3.SQLITE_IOERR: codes.DISK_ERROR,
    sqlite3.SQLITE_CONSTRAINT: codes.FAILED,
}
_CONFLICTS = {sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE}
_CONFLICTS |= {sqlite3.SQLITE_CONSTRAINT_ROWID}


class SqliteBackend:
    """The database file at ``path``."""

    name = "sqlite"
    keeps_readers = True

    def __init__(self, path: Path, durability: Durability, read_only: bool) -> None:
        self.path = path
        self.place = str(path)
        self.dialect: sa.Dialect = dialect.dialect(paramstyle="qmark")
        self._durability: Durability = durability
        self._read_only = read_only

    @property
    def syncs_each(self) -> bool:
        """Whether each transaction is on the disk when it has ended; otherwise a power cut takes some."""
        return self._durability == "full"

    def beside(self, path: Path) -> SqliteBackend:
        """The same for another file."""
        return SqliteBackend(path, self._durability, self._read_only)

    def writer(self) -> sqlite3.Connection:
        """WAL and the durability asked for; deleted pages are returned by ``tidy``."""
        connection = connect(self.path, read_only=False)
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # before the first table, else it is too late
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {self._durability.upper()}")
        connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES_KEPT}")
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    def reader(self) -> sqlite3.Connection:
        """A connection that cannot write.

        On a full or write-protected disk SQLite cannot make the files that readers share: whoever only
        reads then gets the file as it is, without what is still in the WAL.
        """
        try:
            return connect(self.path, read_only=True)
        except sqlite3.OperationalError as error:
            cannot = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR)
            if not (self._read_only and cannot) or out_of_reach(self.path):
                raise
            return connect(self.path, read_only=True, immutable=True)

    def reading_engine(self) -> sa.Engine:
        """Connections that cannot write, kept in a pool."""
        return sa.create_engine("sqlite://", creator=self.reader, poolclass=sa.QueuePool, max_overflow=32)

    def begin(self, connection: Connection, cursor: Cursor) -> None:
        """At once as the writer, so that nothing fails half-way because another one writes."""
        cursor.execute("BEGIN IMMEDIATE")

    def commit(self, connection: Connection, cursor: Cursor) -> None:
        """One write to the WAL, synced with ``full``."""
        cursor.execute("COMMIT")

    def rollback(self, connection: Any) -> None:
        """SQLite has undone it already after some errors (disk full)."""
        with suppress(sqlite3.Error):  # the error that led here is the one to tell
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def lock(self, cursor: Cursor, name: str) -> None:
        """BEGIN IMMEDIATE has it already."""

    def hold(self, cursor: Cursor) -> bool:
        """It belongs to one workspace, and the workspace's lock says which engine that has."""
        return True

    def alive(self, connection: Connection) -> bool:
        """A file does not hang up."""
        return True

    def upsert(self, table: sa.Table) -> Any:
        return dialect.insert(table)

    def translated(self, error: BaseException) -> SkerryError | None:
        """By SQLite's result code; a full disk also shows as other errors of the file system."""
        if not isinstance(error, sqlite3.Error):
            return None
        code = getattr(error, "sqlite_errorcode", None)
        if code is None:  # Python's own: wrong use
            return SkerryError.at(codes.FAILED, "{where}: {error}", self.place, error=error)
        entry = codes.CONFLICT if code in _CONFLICTS else _MEANING.get(code & 0xFF, codes.FAILED)
        if code & 0xFF == sqlite3.SQLITE_CANTOPEN and _may_write(self.path):
            entry = codes.DISK_ERROR  # no rights are missing: room, or descriptors, were
        if entry in (codes.READ_ONLY, codes.DISK_ERROR) and _no_room(self.path):
            entry = codes.DISK_FULL
        if entry is codes.DISK_FULL:
            message = "{where}: {error} ({disk})"
            return SkerryError.at(entry, message, self.place, error=error, disk=disk_of(self.place))
        return SkerryError.at(entry, "{where}: {error}", self.place, error=error)

    def try_again(self, error: BaseException) -> bool:
        """Never: there is one writer."""
        return False

    def damages(self, connection: sa.Connection) -> Sequence[str]:
        """Every page and every index."""
        found = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        return [] if list(found) == ["ok"] else [str(each) for each in found]

    def tidy(self, cursor: Cursor) -> None:
        """Free pages go back to the disk."""
        cursor.execute("PRAGMA freelist_count")
        for _ in range(min(cursor.fetchone()[0], _TIDY_PAGES)):
            cursor.execute("PRAGMA incremental_vacuum(1)")  # Python steps it once, which frees one page


def connect(path: Path, *, read_only: bool, immutable: bool = False) -> sqlite3.Connection:
    """A connection in autocommit mode that any thread may use (one at a time)."""
    options = f"mode={'ro' if read_only else 'rw'}{'&immutable=1' if immutable else ''}"
    uri = f"file:{quote(os.fspath(path))}?{options}"
    connection = sqlite3.connect(
        uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.text_factory = _AS_TEXT
    connection.create_function(
        "skerry_crc", 1, crc32, deterministic=True
    )  # of bytes: a flipped bit may leave no text
    connection.create_function("skerry_hash", 1, text_hash, deterministic=True)
    try:
        connection.execute("PRAGMA trusted_schema = ON")  # the triggers call skerry_crc
        kib = _READERS_KIB if read_only else _CACHE_KIB
        connection.execute(f"PRAGMA cache_size = -{kib}")  # the first to open the file
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def make_file(path: Path) -> None:
    """An empty database file that only its user can read, whatever the umask; an existing one stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def no_plain_file(path: Path) -> Path | None:
    """What is in the place of the database or of a file beside it, and is a folder or a pipe."""
    return next((each for each in _files(path) if _is_strange(each)), None)


def _is_strange(path: Path) -> bool:
    try:  # one look: another connection's WAL may go between two
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:  # the one who opens it says what is wrong
        return False


def out_of_reach(path: Path) -> Path | None:
    """The database or a file beside it that is there, and that we may not read."""
    return next((each for each in _files(path) if each.exists() and not os.access(each, os.R_OK)), None)


def _files(path: Path) -> list[Path]:
    return [Path(f"{path}{suffix}") for suffix in ("", "-wal", "-shm", "-journal")]


def closed_uncleanly(path: Path) -> bool:
    """Whether the last writer did not close it: then its WAL is still there."""
    try:
        return Path(f"{path}-wal").stat().st_size > 0
    except (FileNotFoundError, NotADirectoryError):
        return False


def quick_check(connection: sqlite3.Connection) -> str | None:
    """What is wrong with the file, as far as it can be found within two seconds; None: nothing found."""
    end = monotonic() + CHECK_SECONDS
    connection.set_progress_handler(lambda: monotonic() > end, 100_000)
    try:
        [found] = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        return None
    finally:
        connection.set_progress_handler(None, 0)
    return None if found == "ok" else str(found)


def copy_database(source: Path, target: Path) -> None:
    """A consistent copy, on the disk when this returns, also while others write."""
    make_file(target)
    with closing(connect(source, read_only=True)) as old, closing(connect(target, read_only=False)) as new:
        old.backup(new)
    sync(target)


def sync(path: Path) -> None:
    """The file and its entry in the folder, on the disk."""
    sync_path(path)
    sync_entry(path)


def sync_entry(path: Path) -> None:
    """That the file has this name, on the disk."""
    sync_path(path.parent)


def _may_write(path: Path) -> bool:
    there = [path.parent, *(each for each in _files(path) if each.exists())]
    return all(os.access(each, os.W_OK) for each in there)


def _no_room(path: Path) -> bool:
    try:
        room = os.statvfs(path.parent)
    except OSError:
        return False
    protected = bool(room.f_flag & os.ST_RDONLY)
    return not protected and room.f_bavail * room.f_frsize < 1024 * 1024
