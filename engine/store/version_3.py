"""2 -> 3: checksums also of definitions, statistics, settings and ids; a sum that does not fit stays so."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import chain

from engine.store.backend import Cursor
from engine.store.checksums import SUMMED, expression, triggers
from engine.store.schema import SUM
from engine.store.version_columns import COLUMNS, later_columns, later_tables

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


def _fresh() -> list[str]:
    """The tables that get sums with this version."""
    return [name for name in SUMMED if name not in _STATE and name not in later_tables(3)]


def _columns() -> Iterator[str]:
    yield from added(3)
    yield from (f'ALTER TABLE "{name}" ADD COLUMN {SUM} BIGINT' for name in _fresh())


def add_columns(cursor: Cursor, version: int) -> None:
    """A step that only adds columns. Rows that were damaged before stay recognizable as such."""
    dialect = "sqlite" if isinstance(cursor, sqlite3.Cursor) else "postgresql"
    steps = (without_triggers(dialect), added(version), resummed(dialect, version))
    for statement in (*chain(*steps), *triggers(dialect, version)):
        cursor.execute(statement)


def added(version: int) -> Iterator[str]:
    """The statements that add the columns of a version."""
    for table, columns in COLUMNS[version].items():
        yield from (f'ALTER TABLE "{table}" ADD COLUMN "{name}" {kind}' for name, kind in columns.items())


def resummed(dialect: str, version: int) -> Iterator[str]:
    """New sums of the rows that fit theirs, with the columns of this version; later ones no row has yet."""
    same, later = "IS" if dialect == "sqlite" else "IS NOT DISTINCT FROM", later_columns(version)
    for name, columns in COLUMNS[version].items():
        table, not_yet = SUMMED[name], later.get(name, set())
        before = expression(dialect, table, f'"{name}"', without=columns.keys() | not_yet)
        now = expression(dialect, table, f'"{name}"', without=not_yet)
        yield f'UPDATE "{name}" SET sum = CASE WHEN sum {same} {before} THEN {now} END'


def _sums(dialect: str) -> Iterator[str]:
    later = later_columns(3)
    for name in _fresh():
        now = expression(dialect, SUMMED[name], f'"{name}"', without=later.get(name, ()))
        yield f'UPDATE "{name}" SET sum = {now}'
    yield from resummed(dialect, 3)
