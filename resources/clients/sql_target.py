"""Where a database is, how to get in, and what its errors mean; no secret gets into a message."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.model.codes.resources import RESOURCE_UNFIT
from engine.model.errors import ErrorCode, SkerryError
from engine.model.message import Message
from engine.model.quantities import seconds
from engine.plugins.resource_type import ResolvedResource
from engine.secrets.masking import ValueMasker
from resources.clients.sql_codes import SqlCodes

if TYPE_CHECKING:
    from sqlalchemy import URL
    from sqlalchemy.exc import DBAPIError

_CONNECT = 10.0  # seconds
_DRIVERS = {
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
    "mysql": "mysql+pymysql",
    "mariadb": "mariadb+pymysql",
    "oracle": "oracle+oracledb",
    "mssql": "mssql+pymssql",
    "dm": "dm+dmPython",
}
# Errors of MySQL and MariaDB that speak of the moment: lock wait, deadlock, too many connections, disk full.
_MOMENTARY = frozenset({1021, 1040, 1053, 1114, 1158, 1159, 1160, 1161, 1203, 1205, 1213, 1226})


@dataclass(frozen=True)
class DatabaseTarget:
    """Where a database is and how to get in; ``timeout`` is that of connecting, in seconds."""

    uri: str
    codes: SqlCodes
    user: str | None = None
    secret: str | None = field(default=None, repr=False)
    timeout: float = _CONNECT

    @classmethod
    def of(cls, resource: ResolvedResource | None, codes: SqlCodes) -> DatabaseTarget:
        """The target that a resource describes; ``request.timeout`` limits the wait for a connection.

        SkerryError where a job was given none, which the engine does not do.
        """
        if resource is None:
            raise SkerryError(codes.address, "the job has no resource")
        user = resource.request.get("user")
        timeout = _seconds(resource.request.get("timeout"))
        return cls(resource.uri, codes, str(user) if user else None, resource.secret, timeout)


@contextmanager
def translated(target: DatabaseTarget, *, connecting: bool = False) -> Iterator[None]:
    """Errors of the driver become SkerryErrors without parameters and without the secret."""
    from sqlalchemy.exc import DBAPIError, SQLAlchemyError

    try:
        yield
    except DBAPIError as error:
        entry = target.codes.unreachable if connecting else _entry(target.codes, error)
        raise SkerryError(entry, words(target, error.orig or error)) from None
    except (SQLAlchemyError, ValueError, TypeError, ArithmeticError) as error:
        raise SkerryError(target.codes.refused, words(target, error)) from None


def shown(target: DatabaseTarget) -> str:
    """The address without a password."""
    return url_of(target).render_as_string(hide_password=True)


def sqlite_file(target: DatabaseTarget) -> Path | None:
    """The file of a SQLite database; None for other databases and for one in memory."""
    url = url_of(target)
    name = url.database or ":memory:"
    if url.get_backend_name() != "sqlite" or name == ":memory:" or name.startswith("file:"):
        return None
    return Path(name)


def no_folder(codes: SqlCodes, folder: Path) -> SkerryError:
    """The error for a database file whose folder is missing."""
    return SkerryError.at(codes.folder, "the folder of the database file is not there: {where}", folder)


def url_of(target: DatabaseTarget) -> URL:
    from sqlalchemy import exc, make_url

    try:
        if "\0" in target.uri:
            raise ValueError
        url = make_url(target.uri)
    except (exc.ArgumentError, ValueError):
        message = "the uri is not the address of a database (kind://user@host:port/name)"
        raise SkerryError(target.codes.address, message) from None
    url = url.set(drivername=_DRIVERS.get(url.drivername, url.drivername))
    if target.user:
        url = url.set(username=target.user)
    return url.set(password=target.secret) if target.secret else url


def _entry(codes: SqlCodes, error: DBAPIError) -> ErrorCode:
    """Whether the statement is wrong, or only the moment was."""
    from sqlalchemy import exc

    if isinstance(error, (exc.IntegrityError, exc.ProgrammingError, exc.DataError, exc.NotSupportedError)):
        return codes.refused
    sqlite_code = getattr(error.orig, "sqlite_errorcode", None)
    if sqlite_code is not None:
        return _sqlite_entry(codes, sqlite_code & 0xFF)
    number = next(iter(getattr(error.orig, "args", ())), None)
    if isinstance(number, int):
        return codes.disturbed if number in _MOMENTARY or number >= 2000 else codes.refused
    return codes.disturbed


def _sqlite_entry(codes: SqlCodes, number: int) -> ErrorCode:
    if number == sqlite3.SQLITE_CANTOPEN:
        return codes.unreachable
    wrong = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOTADB)
    return codes.refused if number in wrong else codes.disturbed


def words(target: DatabaseTarget, error: BaseException) -> str:
    """The database's message in one line."""
    arguments = error.args
    own = arguments[1] if len(arguments) == 2 and isinstance(arguments[0], int) else error
    lines = [line.strip() for line in str(own).splitlines() if line.strip()]
    secrets = [target.secret, _password(target)]
    return ValueMasker(secrets).text("; ".join(lines) or "it gives no reason")


def _password(target: DatabaseTarget) -> str | None:
    with suppress(SkerryError):
        return url_of(target).password
    return None


def _seconds(timeout: Any) -> float:
    try:
        return _CONNECT if timeout is None else min(seconds(timeout), _CONNECT)
    except ValueError as error:
        problem = Message.of(str(error))
        message = "{where}: {problem}"
        raise SkerryError.at(RESOURCE_UNFIT, message, "request.timeout", problem=problem) from None
