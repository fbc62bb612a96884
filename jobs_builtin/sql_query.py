"""The ``sql_query`` job type: the rows of one query, however many they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, cast

from pydantic import Field

from engine.model.base import Id, Int
from engine.model.job import JobKeys
from engine.plugins.job_type import Call, CallType, ResultField
from resources.clients import sql
from resources.clients.sql_codes import SqlCodes
from resources.clients.sql_target import DatabaseTarget

CODES = SqlCodes(-1_20_07_000_000)


class SqlQueryKeys(JobKeys):
    """``resource``: a database; ``statement``: the query; ``max_rows``: further rows are not read."""

    resource: Id
    statement: Annotated[str, Field(min_length=1)]
    max_rows: Annotated[Int, Field(ge=1)] | None = None


class SqlQuery(CallType):
    """Rows come from the server in pieces and go to a file when they are many."""

    kind = "sql_query"
    label = ("SQL query", "SQL 查询")
    help = (
        (
            "Gives the rows of a query. `:name` is the parameter of that name, bound as a value. Up to "
            "1,000 rows are held in `rows`; when there are more, all of them are in the file result "
            "`rows.csv` (UTF-8, with a line of column names) and `rows` holds the first 1,000. Times are "
            "ISO 8601 texts, intervals too (`P1M2DT3H`); decimals with places are texts as exact as the "
            "database has them, other numbers are numbers; bytes are base64. A second "
            "column of the same name is called `name_2`."
        ),
        (
            "给出查询的行。`:名称` 是同名参数，作为值绑定。`rows` 最多保存 1,000 行；"
            "行数更多时，全部行写入结果文件 `rows.csv`（UTF-8，首行为列名），`rows` 保存前 1,000 行。"
            "时间和间隔为 ISO 8601 文本（如 `P1M2DT3H`）；"
            "带小数位的十进制数为文本，精度与数据库一致，其他数字为数字；"
            "二进制为 base64。同名的第二列称为 `名称_2`。"
        ),
    )
    keys = SqlQueryKeys
    resource_type = "database"
    results = (
        ResultField(
            "rows",
            "list",
            "The rows as maps by column, the first 1,000.",
            "行，每行为按列名的映射，最多前 1,000 行。",
        ),
        ResultField("columns", "list", "The names of the columns.", "各列的名称。"),
        ResultField("rowcount", "number", "The number of rows that were read.", "读取的行数。"),
    )
    codes = tuple(CODES)
    meanings = {
        "resource": ("The database, a resource.", "数据库资源。"),
        "statement": ("The query; `:name` is a parameter.", "查询语句；`:名称` 表示参数。"),
        "max_rows": (
            "Rows beyond that number are not read (default: all are).",
            "超过该数目的行不再读取（默认：全部读取）。",
        ),
    }
    example = """\
type: sql_query
resource: ledger
params: {since: "2026-11-01"}
statement: "select day, note from visit where day >= :since order by day"
max_rows: 100000
"""

    def call(self, call: Call) -> Mapping[str, Any]:
        """``rows``, ``columns`` and ``rowcount``. Raises SkerryError."""
        keys = cast(SqlQueryKeys, call.settings)
        target = DatabaseTarget.of(call.resource, CODES)
        with sql.session(
            target, intent="query", on_cancel=call.cancel.on_cancel, seconds=call.timeout
        ) as session:
            answer = session.execute(keys.statement, call.params, in_pieces=True, most=keys.max_rows)
            table = session.table(answer, keys.max_rows, call.outputs / "rows.csv")
            answer.close()
            session.commit()
        if table.cut:
            call.progress(f"only the first {table.rowcount:,} rows were read (max_rows)")
        return table.results()
