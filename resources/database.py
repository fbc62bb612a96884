"""The ``database`` resource: anything that SQLAlchemy reaches."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from engine.model.base import Bool, Frozen, Id, Seconds
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.model.plain_words import quoted
from engine.plugins.resource_type import ResolvedResource
from resources.clients import sql, sql_rows
from resources.clients.checking import CheckedAnswer, CheckedType, OnCancel, read_keys
from resources.clients.comparing import alike
from resources.clients.sql_codes import SqlCodes
from resources.clients.sql_target import DatabaseTarget, no_folder, shown, sqlite_file
from resources.codes import NO_TABLE, UNEXPECTED

CODES = SqlCodes(-1_30_02_000_000)


class DatabaseRequest(Frozen):
    """How to get in. ``timeout`` in seconds is that of connecting and of the check as a whole."""

    user: str | None = None
    secret: Id | None = None
    timeout: Seconds = 30.0


class DatabaseCheck(Frozen):
    """``connect`` alone, a ``table`` that must be there, a ``query`` whose first value is ``expect``."""

    connect: Bool = True
    table: str | None = None
    query: str | None = None
    expect: Any = None


class Database(CheckedType):
    """SQLite, PostgreSQL, MariaDB and MySQL; others with their driver."""

    kind = "database"
    label = ("Database", "数据库")
    help = (
        (
            "A database by its URL: `sqlite:////data/a.db`, `postgresql://host/name`, `mariadb://host/name`. "
            "`request.user` and `request.secret` (the name of a stored secret) get in. The check connects; "
            "`table` must be there; `query` must give a row, and with `expect` its first value must be that "
            "one (a list: the whole first row). The check cannot change anything. A SQLite file that is not "
            "there yet is in order as long as it can be made."
        ),
        (
            "以 URL 表示的数据库：`sqlite:////data/a.db`、`postgresql://host/name`、`mariadb://host/name`。"
            "用 `request.user` 和 `request.secret`（已存机密的名称）登录。检查会进行连接；"
            "`table` 指定的表必须存在；`query` 必须返回行，给出 `expect` 时其第一个值必须与之相同"
            "（列表则比较整个首行）。检查不会改动任何内容。尚不存在的 SQLite 文件，只要可以建立即视为正常。"
        ),
    )
    check_keys = DatabaseCheck
    request_keys = DatabaseRequest
    codes = (*CODES, NO_TABLE, UNEXPECTED)
    meanings: ClassVar[Mapping[str, tuple[str, str]]] = {
        "connect": ("Whether a connection is made (it always is for the others).", "是否建立连接。"),
        "table": ("A table or view that must be there.", "必须存在的表或视图。"),
        "query": ("A query that must give a row.", "必须返回一行的查询。"),
        "expect": (
            "What the first value of the query's row must be; a list: the whole row.",
            "查询结果第一个值应有的内容；为列表时比较整行。",
        ),
        "user": ("The user, when the uri names none.", "用户名（uri 中未写明时）。"),
        "secret": ("The name of the stored secret that holds the password.", "保存密码的机密的名称。"),
        "timeout": ("How long the whole check may take.", "整个检查的时限。"),
    }
    example = """\
type: database
uri: postgresql://db.example/ledger
request: {user: clerk, secret: ledger_password}
check: {table: visit, query: "select count(*) > 0 from visit", expect: true}
"""

    def look(self, resource: ResolvedResource, on_cancel: OnCancel | None) -> CheckedAnswer:
        """Connect, and look for what ``check`` wants."""
        keys = read_keys(DatabaseCheck, resource.check, "check")
        request = read_keys(DatabaseRequest, resource.request, "request")
        target = DatabaseTarget.of(resource, CODES)
        details: dict[str, Any] = {"uri": shown(target)}
        file = sqlite_file(target)
        if not (keys.connect or keys.table or keys.query):
            return CheckedAnswer("nothing is looked for", details)
        if file is not None and not file.exists() and not (keys.table or keys.query):
            return _can_be_made(file, details)
        with sql.session(target, intent="look", on_cancel=on_cancel, seconds=request.timeout) as session:
            # SQLite looks into the file only when it must
            session.execute("select 1" if file is None else "select count(*) from sqlite_master", {})
            if keys.table and not session.has_table(keys.table):
                said = Message.of("there is no table {table!r}", table=keys.table)
                raise SkerryError(NO_TABLE, said, details={"table": keys.table})
            if keys.query:
                details["value"] = _queried(session, keys.query, keys)
        return CheckedAnswer("the database answers", details)


def _can_be_made(file: Path, details: dict[str, Any]) -> CheckedAnswer:
    folder = file.parent
    if not folder.is_dir():
        raise no_folder(CODES, folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SkerryError(CODES.unreachable, "no database file can be made in {folder}", folder=folder)
    return CheckedAnswer("the database file is not there yet and can be made", {**details, "exists": False})


def _queried(session: sql.SqlSession, query: str, keys: DatabaseCheck) -> Any:
    answer = session.execute(query, {}, in_pieces=True, most=1)
    rows = next(session.pieces(answer, 1), []) if answer.returns_rows else []
    answer.close()
    if not rows:
        raise SkerryError(UNEXPECTED, "the query gives no row")
    row = [sql_rows.as_json(value) for value in rows[0]]
    found = row if isinstance(keys.expect, list) else row[0]
    if "expect" in keys.model_fields_set and not alike(found, keys.expect):
        said = Message.of(
            "the query gives {value}, expected was {expect}", value=quoted(found), expect=quoted(keys.expect)
        )
        raise SkerryError(UNEXPECTED, said, details={"value": found, "expect": keys.expect})
    return found
