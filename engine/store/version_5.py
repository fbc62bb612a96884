"""4 -> 5: schedules that hold, with the next fire time of each; when the time of an instance was reached."""

from __future__ import annotations

import sqlite3

from engine.store.backend import Cursor
from engine.store.checksums import triggers
from engine.store.version_3 import added, resummed, without_triggers

_SCHEDULE = """
CREATE TABLE schedule (
    id BIGINT NOT NULL PRIMARY KEY, task TEXT{c} NOT NULL, since TEXT{c} NOT NULL, level TEXT{c} NOT NULL,
    zone TEXT{c} NOT NULL, until TEXT{c}, cron TEXT{c}, content TEXT DEFAULT '{{}}' NOT NULL,
    last_at TEXT{c}, next_at TEXT{c}, was_true BOOLEAN, sum BIGINT
)"""
_INDEXES = (
    "CREATE INDEX schedule_that_holds ON schedule (task) WHERE until IS NULL",
    "CREATE INDEX schedule_by_task ON schedule (task, since)",
)


def upgrade(cursor: Cursor) -> None:
    """Within a transaction. Rows that were damaged before stay recognizable as such."""
    dialect = "sqlite" if isinstance(cursor, sqlite3.Cursor) else "postgresql"
    collation, id_kind = ("", "INTEGER") if dialect == "sqlite" else (' COLLATE "C"', "BIGINT")
    statements = (
        *without_triggers(dialect),
        *added(5),
        _SCHEDULE.format(c=collation).replace("id BIGINT", f"id {id_kind}"),
        *_INDEXES,
        *resummed(dialect, 5),
        *triggers(dialect, 5),
    )
    for statement in statements:
        cursor.execute(statement)
