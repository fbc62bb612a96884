"""3 -> 4: the reason of an instance and of a job is data beside its words.

What only words tell stays text, but for the one thing that an engine goes on with: with which instance a
paused sub-task is paused.
"""

from __future__ import annotations

import json
import sqlite3

from engine.store.backend import Cursor
from engine.store.checksums import triggers
from engine.store.version_3 import LATER, added, resummed, without_triggers

_WITH = "paused with instance "  # how version 3 began the reason of such a sub-task


def upgrade(cursor: Cursor) -> None:
    """Within a transaction. Rows that were damaged before stay recognizable as such."""
    dialect = "sqlite" if isinstance(cursor, sqlite3.Cursor) else "postgresql"
    statements = (
        *without_triggers(dialect),
        *added(LATER),
        *resummed(dialect, LATER, {}),
        *triggers(dialect),
    )
    for statement in statements:
        cursor.execute(statement)
    _paused_with(cursor)


def _paused_with(cursor: Cursor) -> None:
    cursor.execute("SELECT id, reason FROM instance WHERE status = 'paused'")
    for id, reason in cursor.fetchall():
        number = str(reason).removeprefix(_WITH).partition(",")[0]
        if str(reason).startswith(_WITH) and number.isdecimal():
            why = json.dumps({"kind": "paused_with", "instance": int(number)})
            cursor.execute(f"UPDATE instance SET why = '{why}' WHERE id = {int(id)}")
