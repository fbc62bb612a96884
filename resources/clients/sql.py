"""A session with a database: opened by URL and secret, one transaction, broken off at the server itself."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import quote

from engine.model.errors import SkerryError
from resources.clients import sql_times
from resources.clients.breaking import Breaker, breakable
from resources.clients.checking import OnCancel
from resources.clients.sql_rows import PIECE, ResultTable, collect
from resources.clients.sql_target import DatabaseTarget, no_folder, sqlite_file, translated, url_of, words
from resources.clients.sql_text import Family, MissingParameter, first_word, prepare

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, CursorResult, Engine

Intent = Literal["look", "query", "change"]
Result = TypeVar("Result")

_PATIENCE = 30.0  # seconds of waiting for a locked SQLite file
_FAMILIES: dict[str, Family] = {
    "postgresql": "postgresql",
    "mysql": "mysql",
    "mariadb": "mysql",
    "sqlite": "sqlite",
}

_CHANGES = re.compile(r"\b(?:insert|update|delete|merge|into)\b", re.IGNORECASE)


class SqlSession:
    """An open transaction. Made by ``session``."""

    def __init__(self, connection: Connection, target: DatabaseTarget, breaker: Breaker) -> None:
        self._connection = connection
        self._target = target
        self.breaker = breaker

    def execute(
        self, statement: str, params: Mapping[str, Any], *, in_pieces: bool = False, most: int | None = None
    ) -> Answer:
        """Run one statement with its ``:name`` parameters; SkerryError with the database's own words.

        ``in_pieces``: the rows stay at the server until they are fetched, where it can do so. ``most``: no
        more than one row above that will be looked at, so the server need not make them.
        """
        dialect = self._connection.dialect
        family = _FAMILIES.get(dialect.name, "other")
        try:
            ready = prepare(statement, params, family, dialect.paramstyle)
        except MissingParameter as error:
            message = "the statement names {where}, which is no parameter of the job"
            raise SkerryError.at(self._target.codes.parameter, message, f":{error}") from None
        self._limit(family, most)
        self.breaker.check()
        options = {"stream_results": in_pieces and _is_plain_query(statement)}

        def run() -> Answer:
            return self._connection.exec_driver_sql(ready.statement, ready.values, execution_options=options)

        with translated(self._target):
            return _patiently(run, self.breaker)

    def pieces(self, answer: Answer, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of an answer, ``size`` at a time."""
        while True:
            self.breaker.check()
            with translated(self._target):
                rows = answer.fetchmany(size)
            if not rows:
                return
            yield [tuple(row) for row in rows]

    def table(self, answer: Answer, most: int | None, file: Path) -> ResultTable:
        """The rows of an answer, at most ``most``; many of them go to ``file``."""
        if not answer.returns_rows:
            return ResultTable([], [], max(answer.rowcount, 0))
        return collect(answer.keys(), self.pieces(answer, PIECE), most, file)

    def has_table(self, name: str) -> bool:
        """Whether there is a table or view ``name`` or ``schema.name``."""
        from sqlalchemy import inspect

        schema, _, table = name.rpartition(".")
        with translated(self._target):
            return inspect(self._connection).has_table(table, schema=schema or None)

    def commit(self) -> None:
        self.breaker.check()
        with translated(self._target):
            _patiently(self._connection.commit, self.breaker)

    def _limit(self, family: Family, most: int | None) -> None:
        """MySQL sends every row of a query to the end, needed or not, unless it is limited before."""
        if family == "mysql" and most is not None:
            with translated(self._target):
                self._connection.exec_driver_sql(f"SET SQL_SELECT_LIMIT={int(most) + 1}")


if TYPE_CHECKING:
    Answer = CursorResult[Any]


@contextmanager
def session(
    target: DatabaseTarget,
    *,
    intent: Intent = "change",
    on_cancel: OnCancel | None = None,
    seconds: float | None = None,
) -> Iterator[SqlSession]:
    """A transaction that is rolled back unless ``commit`` was called.

    ``intent``: to "look" (the database itself refuses changes), to "query", or to "change" (a SQLite file
    is reserved at once, so that no other writer comes between). ``seconds`` limits the whole session. A
    cancel and the end of the time stop the running statement at the server, and raise SkerryError.
    """
    engine = _engine(target, intent)
    holder: list[Connection] = []
    strike = _striker(engine, holder)
    with breakable(strike, on_cancel, seconds, target.codes.timed_out) as breaker:
        connection = _connected(target, engine)
        holder.append(connection)
        try:
            _begin(target, connection, intent, breaker)
            yield SqlSession(connection, target, breaker)
        finally:
            breaker.close()
            _hang_up(connection)


def _is_plain_query(statement: str) -> bool:
    """Only such can be the query of a cursor at the server."""
    word = first_word(statement)
    return word in ("select", "values", "table", "with") and not _CHANGES.search(statement)


def _engine(target: DatabaseTarget, intent: Intent) -> Engine:
    from sqlalchemy import create_engine, exc, pool

    url = url_of(target)
    own: dict[str, Any] = {"connect_args": _connect_args(url, target.timeout)}
    file = sqlite_file(target)
    if file is not None:
        own = {"creator": _sqlite(target, file, intent)}
    try:
        return create_engine(url, poolclass=pool.NullPool, hide_parameters=True, **own)
    except (ImportError, exc.NoSuchModuleError):
        message = "no driver for {kind!r} is installed here"
        raise SkerryError(target.codes.driver, message, kind=url.drivername) from None
    except (exc.ArgumentError, TypeError, ValueError) as error:
        raise SkerryError(target.codes.address, words(target, error)) from None


def _connect_args(url: URL, timeout: float) -> dict[str, Any]:
    patience = {"connect_timeout": max(round(timeout), 1)}
    if url.drivername.endswith("+pymysql"):
        return {**patience, "conv": sql_times.mysql_readers()}
    if url.drivername.endswith("+psycopg"):
        return patience
    return {"check_same_thread": False} if url.get_backend_name() == "sqlite" else {}


def _sqlite(target: DatabaseTarget, file: Path, intent: Intent) -> Callable[[], sqlite3.Connection]:
    """Connections whose transactions this module begins: Python would do so only before some statements."""
    if not file.parent.is_dir():
        raise no_folder(target.codes, file.parent)
    mode = "ro" if intent == "look" else "rwc"
    place = f"file:{quote(os.path.abspath(file))}?mode={mode}"
    return lambda: sqlite3.connect(
        place, uri=True, timeout=1.0, isolation_level=None, check_same_thread=False
    )


def _connected(target: DatabaseTarget, engine: Engine) -> Connection:
    with translated(target, connecting=True):
        connection = engine.connect()
    if engine.dialect.driver == "psycopg":
        sql_times.read_as_texts(connection.connection.dbapi_connection)
    return connection


def _begin(target: DatabaseTarget, connection: Connection, intent: Intent, breaker: Breaker) -> None:
    name = connection.dialect.name
    if name == "postgresql" and intent == "look":
        connection.execution_options(postgresql_readonly=True)
    begin = {
        ("sqlite", "look"): "BEGIN",
        ("sqlite", "query"): "BEGIN",
        ("sqlite", "change"): "BEGIN IMMEDIATE",
        ("mysql", "look"): "SET SESSION TRANSACTION READ ONLY",
        ("mariadb", "look"): "SET SESSION TRANSACTION READ ONLY",
    }.get((name, intent))
    if begin:
        with translated(target):
            _patiently(lambda: connection.exec_driver_sql(begin), breaker)


def _patiently(step: Callable[[], Result], breaker: Breaker) -> Result:
    """Try a locked SQLite file again, since its own waiting cannot be interrupted."""
    from sqlalchemy.exc import OperationalError

    for _ in range(round(_PATIENCE)):
        try:
            return step()
        except OperationalError as error:
            locked = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in (
                sqlite3.SQLITE_BUSY,
                sqlite3.SQLITE_LOCKED,
            )
            if not locked or not breaker.wait(0.05):
                raise
    return step()


def _striker(engine: Engine, holder: list[Connection]) -> Callable[[], None]:
    """What stops the statement that runs on the connection in ``holder``, from another thread."""

    def strike() -> None:
        if not holder:
            return
        raw: Any = holder[0].connection.dbapi_connection
        if engine.dialect.name in ("mysql", "mariadb"):
            with engine.connect() as other:
                other.exec_driver_sql(f"KILL QUERY {int(raw.thread_id())}")
        elif engine.dialect.name == "sqlite":
            raw.interrupt()
        else:
            (getattr(raw, "cancel_safe", None) or getattr(raw, "cancel", raw.close))()

    return strike


def _hang_up(connection: Connection) -> None:
    """Roll back and close; a connection that does not answer any more is simply dropped."""
    try:
        connection.close()
    except Exception:
        connection.invalidate()
