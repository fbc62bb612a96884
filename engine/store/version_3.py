"""2 -> 3: checksums also of definitions, statistics, settings and ids; a sum that does not fit stays so.

Further columns of this version are listed in ``_NEW``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping

from engine.store.backend import Cursor
from engine.store.checksums import SUMMED, expression
from engine.store.schema import SUM

NewColumns = Mapping[str, Mapping[str, str]]  # table -> column -> its SQL type

_NEW: NewColumns = {
    "job_run": {"log_size": "BIGINT", "error_log_size": "BIGINT"},
}
LATER: NewColumns = {  # of version 4
    "instance": {"why": "TEXT"},
    "job_instance": {"stop": "TEXT", "why": "TEXT"},
    "run": {"boot_id": "TEXT", "start_ticks": "BIGINT", "stop": "TEXT", "follows": "TEXT"},
}
_STATE = ("instance", "run", "job_instance", "job_run", "exception", "alert")  # had sums before


def upgrade(cursor: Cursor) -> None:
    """Within a transaction. Rows that were damaged before stay recognizable as such.

    The triggers are made by the next step, which adds columns to the same tables.
    """
    dialect = "sqlite" if isinstance(cursor, sqlite3.Cursor) else "postgresql"
    for statement in (*without_triggers(dialect), *_columns(), *_sums(dialect)):
        cursor.execute(statement)


def without_triggers(dialect: str) -> Iterator[str]:
    """So that the rows can be changed as they are."""
    for name in SUMMED:
        if dialect == "sqlite":
            yield f"DROP TRIGGER IF EXISTS {name}_sum_insert"
            yield f"DROP TRIGGER IF EXISTS {name}_sum_update"
        else:
            yield f"DROP FUNCTION IF EXISTS {name}_sum() CASCADE"


def _columns() -> Iterator[str]:
    yield from added(_NEW)
    yield from (f'ALTER TABLE "{name}" ADD COLUMN {SUM} BIGINT' for name in SUMMED if name not in _STATE)


def added(new: NewColumns) -> Iterator[str]:
    """The statements that add these columns."""
    for table, columns in new.items():
        yield from (f'ALTER TABLE "{table}" ADD COLUMN "{name}" {kind}' for name, kind in columns.items())


def resummed(dialect: str, new: NewColumns, later: NewColumns) -> Iterator[str]:
    """New sums of the rows that fit theirs; ``later`` are columns that no row has yet."""
    same = "IS" if dialect == "sqlite" else "IS NOT DISTINCT FROM"
    for name, columns in new.items():
        table, not_yet = SUMMED[name], later.get(name, {}).keys()
        before = expression(dialect, table, f'"{name}"', without=columns.keys() | not_yet)
        now = expression(dialect, table, f'"{name}"', without=not_yet)
        yield f'UPDATE "{name}" SET sum = CASE WHEN sum {same} {before} THEN {now} END'


def _sums(dialect: str) -> Iterator[str]:
    for name in SUMMED.keys() - set(_STATE):
        now = expression(dialect, SUMMED[name], f'"{name}"')
        yield f'UPDATE "{name}" SET sum = {now}'
    yield from resummed(dialect, _NEW, LATER)
