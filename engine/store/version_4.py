"""3 -> 4: what hid in JSON has columns: reasons as data, how runs and jobs are being ended, when runs began.

Of reasons that only words tell the text stays, but for the one thing that an engine goes on with: with which
instance a paused sub-task is paused. The rest is moved for instances that have not ended; of others nobody
reads it.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from engine.store.backend import Cursor
from engine.store.encoding import json_text
from engine.store.version_3 import add_columns

_UNFINISHED = "SELECT id FROM instance WHERE status IN ('running', 'waiting', 'paused')"
_WITH = "paused with instance "  # how version 3 began the reason of such a sub-task


def upgrade(cursor: Cursor) -> None:
    """Within a transaction. Rows that were damaged before stay recognizable as such."""
    add_columns(cursor, 4)
    _paused_with(cursor)
    _stops_of_jobs(cursor)
    _parts_of_runs(cursor)


def _paused_with(cursor: Cursor) -> None:
    cursor.execute("SELECT id, reason FROM instance WHERE status = 'paused'")
    for id, reason in cursor.fetchall():
        number = str(reason).removeprefix(_WITH).partition(",")[0]
        if str(reason).startswith(_WITH) and number.isdecimal():
            why = {"kind": "paused_with", "instance": int(number)}
            _write(cursor, "instance", f"id = {int(id)}", why=why)


def _stops_of_jobs(cursor: Cursor) -> None:
    cursor.execute(f"SELECT id, handling FROM job_instance WHERE instance IN ({_UNFINISHED})")
    for id, text in cursor.fetchall():
        handling = json.loads(text)
        stop, forced = handling.pop("stop", None), handling.pop("forced", None)
        if stop is not None:
            payload = stop if forced is None else {**stop, "forced": forced}
            _write(cursor, "job_instance", f"id = {int(id)}", handling=handling, stop=payload)


def _parts_of_runs(cursor: Cursor) -> None:
    cursor.execute(f"SELECT instance, run, selection FROM run WHERE instance IN ({_UNFINISHED})")
    for instance, run, text in cursor.fetchall():
        selection = json.loads(text)
        clock = selection.pop("clock", None) or {}
        parts = {name: selection.pop(name, None) for name in ("stop", "follows")}
        parts |= {"boot_id": clock.get("boot"), "start_ticks": clock.get("ticks")}
        here = f"instance = {int(instance)} AND run = {int(run)}"
        _write(cursor, "run", here, selection=selection, **parts)


def _write(cursor: Cursor, table: str, here: str, **values: Any) -> None:
    given = {name: value for name, value in values.items() if value is not None}
    mark = "?" if isinstance(cursor, sqlite3.Cursor) else "%s"
    columns = ", ".join(f"{name} = {mark}" for name in given)
    texts = [json_text(value) if isinstance(value, dict) else value for value in given.values()]
    cursor.execute(f"UPDATE {table} SET {columns} WHERE {here}", texts)
