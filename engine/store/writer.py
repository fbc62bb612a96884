"""The one who writes: a connection, transactions on it, and changes turned into statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from engine.model.codes import store as codes
from engine.model.errors import Refused, SkerryError
from engine.store.backend import Backend, Connection, Cursor
from engine.store.changes import Changes
from engine.store.group_commit import ApplyError, GroupCommit, Work
from engine.store.schema import line_id
from engine.store.statements import Compiled, Statements, Values
from engine.store.tables import TABLES

_TRIES = 3


class Writer:
    """Transactions of one process on one connection, opened again when the server went away."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._connection: Connection | None = None
        self._cursor: Any = None
        self._closed = False
        self._alone = False  # no other engine may work with the database meanwhile
        self._commits = GroupCommit(self._transact)

    def run(self, work: Work) -> Any:
        """What ``work(cursor)`` returns, once it is durable; raises SkerryError of domain 70."""
        return self._commits.run(work)

    def alone(self) -> None:
        """From now on only with the database for ourselves; Refused (IN_USE) while another engine has it."""
        self._alone = True
        try:
            self.run(self._hold)
        except BaseException:
            self._alone = False
            raise

    def _hold(self, cursor: Cursor) -> None:
        if not self._backend.hold(cursor):
            raise Refused.at(codes.IN_USE, "another engine works with {where}", self._backend.place)

    def close(self) -> None:
        """After the work that is under way; later work raises CLOSED."""
        if self._connection is not None:
            with suppress(SkerryError):  # a disk that is full does not keep a store from closing
                self._commits.run(self._shut)
        self._closed = True
        self._drop()

    def _shut(self, cursor: Cursor) -> None:
        """From here on no transaction begins, so the connection is nobody's any more."""
        self._closed = True

    def _transact(self, works: Sequence[Work]) -> list[Any]:
        for left in reversed(range(_TRIES)):
            connection, cursor = self._open()
            try:
                return self._attempt(connection, cursor, works)
            except BaseException as error:
                alive = self._undone(connection)
                cause = error.reason if isinstance(error, ApplyError) else error
                again = isinstance(error, ApplyError) and (not alive or self._backend.try_again(cause))
                if not (again and left):
                    raise self._ours(error) from cause
        raise AssertionError("unreachable")

    def _attempt(self, connection: Connection, cursor: Cursor, works: Sequence[Work]) -> list[Any]:
        self._backend.begin(connection, cursor)
        try:
            results = [work(cursor) for work in works]
        except Exception as error:
            raise ApplyError(error) from error
        self._backend.commit(connection, cursor)
        return results

    def _open(self) -> tuple[Connection, Cursor]:
        if self._closed:
            raise SkerryError.at(codes.CLOSED, "{where}: closed", self._backend.place)
        if self._connection is None:
            try:
                self._connection = self._backend.writer()
            except Exception as error:
                raise self._ours(error) from error
            self._cursor = self._connection.cursor()
            if self._alone:
                self._hold_again()
        return self._connection, self._cursor

    def _hold_again(self) -> None:
        """The server was away: meanwhile another engine may have come."""
        try:
            self._hold(self._cursor)
        except BaseException:
            self._drop()
            raise

    def _undone(self, connection: Connection) -> bool:
        """Whether the connection is still good after its transaction was rolled back."""
        self._backend.rollback(connection)
        alive = self._backend.alive(connection)
        if not alive:
            self._drop()
        return alive

    def _drop(self) -> None:
        connection, self._connection, self._cursor = self._connection, None, None
        if connection is not None:
            connection.close()

    def _ours(self, error: BaseException) -> BaseException:
        if isinstance(error, ApplyError):
            return ApplyError(self._backend.translated(error.reason) or error.reason)
        return self._backend.translated(error) or error


class Statement(NamedTuple):
    """One statement for many rows; ``found`` names the table if every row must be there already.

    With ``moves`` each row must also be in the state that its update expects.
    """

    sql: str
    rows: list[Values]
    found: str | None = None
    moves: bool = False

    def run(self, cursor: Cursor) -> None:
        """Raises MISSING when an update found no row, OTHER_STATE when one is in another state."""
        if len(self.rows) == 1:
            cursor.execute(self.sql, self.rows[0])
        else:
            cursor.executemany(self.sql, self.rows)
        if self.found and cursor.rowcount != len(self.rows):
            if self.moves:
                message = "a row of {table} is not there, or in another state than this engine gave it"
                raise SkerryError(codes.OTHER_STATE, message, table=self.found)
            message = "a row of {table} that was to be changed is not there"
            raise SkerryError(codes.MISSING, message, table=self.found)


def steps(changes: Changes, statements: Statements) -> list[Statement]:
    """The statements for these changes, in an order in which rows can refer to each other."""
    kept = [{"hash": k, "content": v} for k, v in changes.snapshots.items()]
    lines = [(line_id(instance, seq), text) for instance, seq, text in changes.lines]
    named = [{"name": k, "value": v} for k, v in changes.settings.items()]
    return [
        *_batch(statements.keep_snapshot, kept),
        *_removals(changes, statements),
        *_inserts(changes, statements),
        *_updates(changes, statements),
        *([Statement(statements.line.sql, lines)] if lines else ()),
        *(_stats(changes, statements) if changes.stats else ()),
        *_batch(statements.put_setting, named),
    ]


def _batch(statement: Compiled, rows: Sequence[dict[str, Any]]) -> Iterator[Statement]:
    if rows:
        yield Statement(statement.sql, [statement.in_order(row) for row in rows])


def _removals(changes: Changes, statements: Statements) -> Iterator[Statement]:
    tables: dict[str, list[Values]] = {}
    for (table, key), state in changes.removals.items():
        row = (*(key if isinstance(key, tuple) else (key,)), state)
        tables.setdefault(table, []).append(row)
    yield from (Statement(statements.remove(name).sql, rows, name, True) for name, rows in tables.items())


def _inserts(changes: Changes, statements: Statements) -> Iterator[Statement]:
    for table in filter(changes.inserts.__contains__, TABLES):
        shapes: dict[str, list[Values]] = {}
        for row in changes.inserts[table].values():
            statement = statements.insert(table, tuple(row))
            shapes.setdefault(statement.sql, []).append(statement.in_order(row))
        yield from (Statement(sql, rows) for sql, rows in shapes.items())


def _updates(changes: Changes, statements: Statements) -> Iterator[Statement]:
    for table in filter(changes.updates.__contains__, TABLES):
        shapes: dict[tuple[str, bool], list[Values]] = {}
        for key, values in changes.updates[table].items():
            if not values:
                continue
            moves = (table, key) in changes.expected
            statement = statements.update(table, tuple(values), expects=moves)
            row = statement.in_order(values) + (key if isinstance(key, tuple) else (key,))
            row = (*row, changes.expected[table, key]) if moves else row
            shapes.setdefault((statement.sql, moves), []).append(row)
        yield from (Statement(sql, rows, table, moves) for (sql, moves), rows in shapes.items())


def _stats(changes: Changes, statements: Statements) -> Iterator[Statement]:
    """In the order of their keys: two engines that add to the same rows must not wait for each other."""
    totals: list[dict[str, Any]] = []
    codes_: list[dict[str, Any]] = []
    for (kind, obj_id), stat in sorted(changes.stats.items()):
        here = {"kind": kind, "id": obj_id}
        totals.append({**here, **stat.totals()})
        codes_.extend({**here, "code": code, "counts": n} for code, n in sorted(stat.codes.items()))
    yield from _batch(statements.add_stat, totals)
    yield from _batch(statements.add_stat_code, codes_)
