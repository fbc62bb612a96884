"""2 -> 3: checksums also of definitions, statistics, settings and ids; a sum that does not fit stays so.

Further columns of this version are listed in ``_NEW``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from engine.store.backend import Cursor
from engine.store.checksums import SUMMED, expression, triggers
from engine.store.schema import SUM

_NEW: dict[str, dict[str, str]] = {  # table -> column -> its SQL type, with what the rows of before get
    "job_run": {"log_size": "BIGINT", "error_log_size": "BIGINT"},
}
_STATE = ("instance", "run", "job_instance", "job_run", "exception", "alert")  # had sums before


def upgrade(cursor: Cursor) -> None:
    """Within a transaction. Rows that were damaged before stay recognizable as such."""
    dialect = "sqlite" if isinstance(cursor, sqlite3.Cursor) else "postgresql"
    for statement in (*_without_triggers(dialect), *_columns(), *_sums(dialect), *triggers(dialect)):
        cursor.execute(statement)


def _without_triggers(dialect: str) -> Iterator[str]:
    for name in _STATE:
        if dialect == "sqlite":
            yield f"DROP TRIGGER IF EXISTS {name}_sum_insert"
            yield f"DROP TRIGGER IF EXISTS {name}_sum_update"
        else:
            yield f"DROP FUNCTION IF EXISTS {name}_sum() CASCADE"


def _columns() -> Iterator[str]:
    for table, columns in _NEW.items():
        yield from (f'ALTER TABLE "{table}" ADD COLUMN "{name}" {kind}' for name, kind in columns.items())
    yield from (f'ALTER TABLE "{name}" ADD COLUMN {SUM} BIGINT' for name in SUMMED if name not in _STATE)


def _sums(dialect: str) -> Iterator[str]:
    same = "IS" if dialect == "sqlite" else "IS NOT DISTINCT FROM"
    for name, table in SUMMED.items():
        now = expression(dialect, table, f'"{name}"')
        if name not in _STATE:
            yield f'UPDATE "{name}" SET sum = {now}'
        elif new := _NEW.get(name):
            before = expression(dialect, table, f'"{name}"', without=new)
            yield f'UPDATE "{name}" SET sum = CASE WHEN sum {same} {before} THEN {now} END'
