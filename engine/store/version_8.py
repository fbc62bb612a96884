"""7 -> 8: workers."""

from __future__ import annotations

import sqlite3

from engine.store.backend import Cursor
from engine.store.checksums import triggers
from engine.store.version_3 import without_triggers

_WORKER = """
CREATE TABLE worker (
    name TEXT{c} NOT NULL PRIMARY KEY, kind TEXT{c} NOT NULL, created_at TEXT{c} NOT NULL,
    since TEXT{c} NOT NULL, state TEXT{c} DEFAULT 'untrusted' NOT NULL,
    wanted TEXT{c} DEFAULT 'online' NOT NULL, content TEXT DEFAULT '{{}}' NOT NULL,
    host_keys TEXT DEFAULT '{{}}' NOT NULL, reason TEXT{c}, why TEXT, sum BIGINT
)"""


def upgrade(cursor: Cursor) -> None:
    """Within a transaction. Before, jobs ran on this machine alone."""
    dialect = "sqlite" if isinstance(cursor, sqlite3.Cursor) else "postgresql"
    collation = "" if dialect == "sqlite" else ' COLLATE "C"'
    for statement in (*without_triggers(dialect), _WORKER.format(c=collation), *triggers(dialect, 8)):
        cursor.execute(statement)
