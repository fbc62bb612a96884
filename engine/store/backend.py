"""What differs between the databases: how to connect, begin and end, and what their errors mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import sqlalchemy as sa

from engine.model.errors import SkerryError

Durability = Literal["full", "normal"]


class Cursor(Protocol):
    """The part of a DBAPI cursor that is used."""

    @property
    def rowcount(self) -> int:
        """Rows touched by the last statement."""

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        """Run one statement."""

    def executemany(self, sql: str, rows: Any, /) -> Any:
        """Run one statement for each row of values."""

    def fetchone(self) -> Any:
        """The next row, or None."""

    def fetchall(self) -> Sequence[Any]:
        """All rows."""


class Connection(Protocol):
    """The part of a DBAPI connection that is used."""

    def cursor(self) -> Any:
        """A cursor for statements of one transaction after the other."""

    def close(self) -> None:
        """Let the database go."""


class Backend(Protocol):
    """One kind of database. ``translated`` makes SkerryErrors of the driver's errors."""

    name: str
    dialect: sa.Dialect
    place: str  # the file, or the server without a password: for messages
    keeps_readers: bool  # whether a connection that only reads is good as long as the store is open

    def writer(self) -> Connection:
        """The connection that writes."""

    def reading_engine(self) -> sa.Engine:
        """Pooled connections that only read."""

    def begin(self, connection: Connection, cursor: Cursor) -> None:
        """Start a transaction that will write."""

    def commit(self, connection: Connection, cursor: Cursor) -> None:
        """Make it durable."""

    def rollback(self, connection: Connection) -> None:
        """Undo it; never raises."""

    def lock(self, cursor: Cursor, name: str) -> None:
        """Within a transaction: one at a time for everybody who writes that name."""

    def hold(self, cursor: Cursor) -> bool:
        """For as long as this connection lives: the only engine on this database. False: there is another."""

    def alive(self, connection: Connection) -> bool:
        """Whether the connection can be used after an error."""

    def upsert(self, table: sa.Table) -> Any:
        """An INSERT with the ON CONFLICT clauses of this database."""

    def translated(self, error: BaseException) -> SkerryError | None:
        """Our error for one of the driver's; None if it is none of the driver's."""

    def try_again(self, error: BaseException) -> bool:
        """Whether the same transaction may well succeed when it is run again (a deadlock)."""

    def damages(self, connection: sa.Connection) -> Sequence[str]:
        """What the database itself finds wrong with its files."""

    def tidy(self, cursor: Cursor) -> None:
        """Give space of removed rows back, a bounded piece at a time."""
