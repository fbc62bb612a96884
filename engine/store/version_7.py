"""6 -> 7: the instances that decided whether another one begins; backfills with their times."""

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
_BACKFILL = """
CREATE TABLE backfill (
    id BIGINT NOT NULL PRIMARY KEY, task TEXT{c} NOT NULL, created_at TEXT{c} NOT NULL,
    since TEXT{c} NOT NULL, until TEXT{c} NOT NULL, status TEXT{c} DEFAULT 'running' NOT NULL,
    newest_first BOOLEAN DEFAULT false NOT NULL, parallel BIGINT DEFAULT '1' NOT NULL,
    reprocess TEXT{c} DEFAULT 'missing' NOT NULL, downstream BOOLEAN DEFAULT false NOT NULL,
    ignores_dependencies BOOLEAN DEFAULT false NOT NULL, params TEXT DEFAULT '{{}}' NOT NULL, actor TEXT{c},
    note TEXT{c}, ended_at TEXT{c}, paused_by TEXT{c}, sum BIGINT
)"""
_BACKFILL_STEP = """
CREATE TABLE backfill_step (
    backfill BIGINT NOT NULL, position BIGINT NOT NULL, task TEXT{c} NOT NULL, at TEXT{c} NOT NULL,
    choice TEXT{c} NOT NULL, status TEXT{c} DEFAULT 'pending' NOT NULL, instance BIGINT,
    after TEXT DEFAULT '[]' NOT NULL, reason TEXT{c}, why TEXT, sum BIGINT,
    PRIMARY KEY (backfill, position), FOREIGN KEY(backfill) REFERENCES backfill (id) ON DELETE CASCADE
){without_rowid}"""
_INDEXES = (
    "CREATE INDEX link_by_time ON link (upstream, first_at, last_at)",
    "CREATE INDEX link_by_range ON link (upstream, last_at, first_at) WHERE last_at > first_at",
    "CREATE INDEX backfill_step_by_instance ON backfill_step (instance)",
)


def upgrade(cursor: Cursor) -> None:
    """Within a transaction. Instances of before have no links, and nothing was backfilled."""
    dialect = "sqlite" if isinstance(cursor, sqlite3.Cursor) else "postgresql"
    of_file = dialect == "sqlite"
    collation, rowid = ("", " WITHOUT ROWID") if of_file else (' COLLATE "C"', "")
    made = [each.format(c=collation, without_rowid=rowid) for each in (_LINK, _BACKFILL, _BACKFILL_STEP)]
    tables = [each.replace(" id BIGINT", " id INTEGER") if of_file else each for each in made]
    for statement in (*without_triggers(dialect), *tables, *_INDEXES, *triggers(dialect, 7)):
        cursor.execute(statement)
