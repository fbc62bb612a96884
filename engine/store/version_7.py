"""6 -> 7: the instances that decided whether another one begins."""

from __future__ import annotations

import sqlite3

from engine.store.backend import Cursor
from engine.store.checksums import triggers
from engine.store.version_3 import without_triggers

_LINK = """
CREATE TABLE link (
    instance BIGINT NOT NULL, upstream TEXT{c} NOT NULL, "window" TEXT{c} NOT NULL, first_at TEXT{c},
    last_at TEXT{c}, partners BIGINT DEFAULT '0' NOT NULL, decided_at TEXT{c}, released TEXT{c}, sum BIGINT,
    PRIMARY KEY (instance, upstream), FOREIGN KEY(instance) REFERENCES instance (id) ON DELETE CASCADE
){without_rowid}"""
_INDEXES = (
    "CREATE INDEX link_by_time ON link (upstream, first_at, last_at)",
    "CREATE INDEX link_by_range ON link (upstream, last_at, first_at) WHERE last_at > first_at",
)


def upgrade(cursor: Cursor) -> None:
    """Within a transaction. Instances of before have no links."""
    dialect = "sqlite" if isinstance(cursor, sqlite3.Cursor) else "postgresql"
    collation, rowid = ("", " WITHOUT ROWID") if dialect == "sqlite" else (' COLLATE "C"', "")
    table = _LINK.format(c=collation, without_rowid=rowid)
    for statement in (*without_triggers(dialect), table, *_INDEXES, *triggers(dialect, 7)):
        cursor.execute(statement)
