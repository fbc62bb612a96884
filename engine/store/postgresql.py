"""PostgreSQL as a backend, through psycopg: several engines may write at once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from zlib import crc32

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import psycopg as dialect

from engine.model.codes import store as codes
from engine.model.errors import ErrorCode, SkerryError
from engine.store.backend import Connection, Cursor, Durability

_CONNECT_SECONDS = 10
_LOCK_SPACE = 0x736B  # "sk": our advisory locks among those of other programs
_MEANING: dict[str, ErrorCode] = {
    "23505": codes.CONFLICT,
    "53100": codes.DISK_FULL,
    "XX001": codes.DAMAGED,
    "XX002": codes.DAMAGED,
    "25006": codes.READ_ONLY,
    "42501": codes.READ_ONLY,
    "55P03": codes.BUSY,
    "58030": codes.DISK_ERROR,
}
_TRY_AGAIN = {"40001", "40P01"}


class PostgresqlBackend:
    """The database that a URL ``postgresql+psycopg://…`` names."""

    name = "postgresql"
    keeps_readers = False  # the server may have been restarted

    def __init__(self, url: sa.URL, durability: Durability) -> None:
        self._url = url
        self.place = url.render_as_string(hide_password=True)
        self.dialect: sa.Dialect = dialect.dialect(paramstyle="format")  # type: ignore[no-untyped-call]
        self._durability = durability

    def writer(self) -> Any:
        """With ``normal`` the server acknowledges before its own disk write."""
        import psycopg

        arguments, options = self.dialect.create_connect_args(self._url)
        connection = psycopg.connect(*arguments, **{"connect_timeout": _CONNECT_SECONDS, **options})
        mode = "on" if self._durability == "full" else "off"
        connection.execute(f"SET synchronous_commit = {mode}")
        connection.commit()
        return connection

    def reading_engine(self) -> sa.Engine:
        """Pooled connections in autocommit mode: a read is one round trip."""
        return sa.create_engine(
            self._url,
            isolation_level="AUTOCOMMIT",
            max_overflow=16,
            pool_pre_ping=True,  # the server may have been restarted
            connect_args={"connect_timeout": _CONNECT_SECONDS},
        )

    def begin(self, connection: Connection, cursor: Cursor) -> None:
        """psycopg begins by itself with the first statement."""

    def commit(self, connection: Any, cursor: Cursor) -> None:
        """Synced by the server, with ``full``."""
        connection.commit()

    def rollback(self, connection: Any) -> None:
        """Nothing is left to undo where the connection is lost."""
        import psycopg

        with suppress(psycopg.Error):  # the error that led here is the one to tell
            connection.rollback()

    def lock(self, cursor: Cursor, name: str) -> None:
        """An advisory lock until the end of the transaction."""
        number = crc32(name.encode()) & 0x7FFFFFFF
        cursor.execute("SELECT pg_advisory_xact_lock(%s::int, %s::int)", (_LOCK_SPACE, number))

    def hold(self, cursor: Cursor) -> bool:
        """An advisory lock of the connection: it goes when the engine goes, and its server knows."""
        number = "hashtext('engine ' || current_schema())"
        cursor.execute(f"SELECT pg_try_advisory_lock({_LOCK_SPACE}, {number})")
        return bool(cursor.fetchone()[0])

    def alive(self, connection: Any) -> bool:
        """False once the server has gone away."""
        return not connection.closed and not connection.broken

    def upsert(self, table: sa.Table) -> Any:
        return postgresql.insert(table)

    def translated(self, error: BaseException) -> SkerryError | None:
        """By SQLSTATE; a connection that is lost or refused has none."""
        import psycopg

        if not isinstance(error, psycopg.Error):
            return None
        state = error.sqlstate or ("08000" if isinstance(error, psycopg.OperationalError) else "")
        away = state[:2] in ("08", "28", "57")  # the connection, the login, a server going down
        entry = codes.UNREACHABLE if away else _MEANING.get(state, codes.FAILED)
        return SkerryError.at(entry, "{where}: {error}", self.place, error=str(error).partition("\n")[0])

    def try_again(self, error: BaseException) -> bool:
        """Two engines met in the same rows."""
        return getattr(error, "sqlstate", None) in _TRY_AGAIN

    def damages(self, connection: sa.Connection) -> Sequence[str]:
        """The server looks after its own files."""
        return []

    def tidy(self, cursor: Cursor) -> None:
        """Autovacuum does."""
