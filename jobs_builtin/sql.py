"""The ``sql`` job type: statements with bound parameters, all in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, Field

from engine.model.base import Id
from engine.model.errors import SkerryError
from engine.model.job import JobKeys
from engine.plugins.job_type import Call, CallType, ResultField
from resources.clients import sql
from resources.clients.sql_codes import SqlCodes
from resources.clients.sql_target import DatabaseTarget

CODES = SqlCodes(-1_20_06_000_000)


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class SqlKeys(JobKeys):
    """``resource``: a database; ``statements``: one text or several."""

    resource: Id
    statements: Annotated[tuple[str, ...], BeforeValidator(_as_list), Field(min_length=1)]


class Sql(CallType):
    """Either every statement is kept or none is."""

    kind = "sql"
    label = ("SQL statements", "SQL 语句")
    help = (
        (
            "Runs statements on a database, in order and in one transaction: when one fails, nothing is "
            "kept (where the database can take back what it did; MySQL and MariaDB keep each `create`, "
            "`alter` and `drop` at once). `:name` is the parameter of that name, bound as a value and "
            "never as text of the statement; lists and maps are bound as JSON text. Colons in quotes, "
            "remarks and casts such as `::text` are left alone, `\\:` is a plain colon. Cancel and timeout "
            "stop the statement at the server."
        ),
        (
            "在数据库上按顺序、在同一事务中执行语句：任何一条失败，全部不保留"
            "（以数据库能够撤回为限；MySQL 和 MariaDB 的 `create`、`alter`、`drop` 立即生效）。"
            "`:名称` 是同名参数，作为值绑定，绝不拼入语句文本；列表和映射以 JSON 文本绑定。"
            "引号、注释和 `::text` 等类型转换中的冒号不受影响，`\\:` 表示普通冒号。"
            "取消和超时会在服务器端停止语句。"
        ),
    )
    keys = SqlKeys
    resource_type = "database"
    results = (
        ResultField(
            "rows",
            "list",
            "The rows of the last statement as maps by column, the first 1,000; all of more than that "
            "are in the file result `rows.csv`.",
            "最后一条语句的行，每行为按列名的映射，最多前 1,000 行；更多时全部行在结果文件 `rows.csv` 中。",
        ),
        ResultField("columns", "list", "The names of their columns.", "各列的名称。"),
        ResultField(
            "rowcount",
            "number",
            "The number of these rows, or of the rows that the last statement changed.",
            "返回的行数，或最后一条语句影响的行数。",
        ),
    )
    codes = tuple(CODES)
    meanings = {
        "resource": ("The database, a resource.", "数据库资源。"),
        "statements": ("The statements; `:name` is a parameter.", "要执行的语句；`:名称` 表示参数。"),
    }
    example = """\
type: sql
resource: ledger
params: {day: "2026-11-21", note: "it's 5 o'clock; drop table -- is only text"}
statements:
  - "create table if not exists visit(day text, note text)"
  - "insert into visit values (:day, :note)"
"""

    def call(self, call: Call) -> Mapping[str, Any]:
        """``rows``, ``columns`` and ``rowcount`` of the last statement. Raises SkerryError."""
        statements = cast(SqlKeys, call.settings).statements
        target = DatabaseTarget.of(call.resource, CODES)
        with sql.session(target, on_cancel=call.cancel.on_cancel, seconds=call.timeout) as session:
            for number, statement in enumerate(statements, 1):
                answer = _execute(session, call, number, statement)
            table = session.table(answer, None, call.outputs / "rows.csv")
            session.commit()
        return table.results()


def _execute(session: sql.SqlSession, call: Call, number: int, statement: str) -> sql.Answer:
    try:
        return session.execute(statement, call.params)
    except SkerryError as error:
        error.reword("statement {number}: {message}", number=number)
        error.where = error.where or f"statements[{number - 1}]"
        raise
