"""What only the old database knew, taken from a damaged file as far as it is what was written.

Definitions that never ran, rules, the states of tasks, what was deleted, and settings: rows that fit their
checksums, and texts that fit their hashes.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from engine.model.errors import SkerryError
from engine.model.names import sections_of
from engine.store.changes import Changes
from engine.store.checksums import SUMMED, fits
from engine.store.encoding import content_hash
from engine.store.sql_store import Store
from engine.store.sqlite import connect

ACTOR = "rebuild"


def salvage(old: Path, store: Store) -> int:
    """Add to a rebuilt store what the old file still has; gives how many definitions that were."""
    try:
        with closing(connect(old, read_only=True)) as connection:
            connection.row_factory = sqlite3.Row
            heads = {(row["kind"], row["id"]): row for row in _sound_rows(connection, "definition")}
            contents = {
                (row["kind"], row["id"], row["revision"]): row["content"]
                for row in _sound_rows(connection, "definition_revision")
                if row["content"] is not None and content_hash(row["content"]) == row["hash"]
            }
            settings = {row["name"]: row["value"] for row in _sound_rows(connection, "setting")}
    except sqlite3.Error:
        return 0
    _keep_settings(settings, store)
    return _define(heads, contents, store)


def _sound_rows(connection: sqlite3.Connection, name: str) -> Iterator[sqlite3.Row]:
    """The rows that fit their sums, up to a damaged page and back to it from the end."""
    table = SUMMED[name]
    for direction in ("ASC", "DESC"):
        order = ", ".join(f'"{each.name}" {direction}' for each in table.primary_key)
        sound = fits("sqlite", table, f'"{name}"')
        with suppress(sqlite3.Error, UnicodeDecodeError):
            yield from connection.execute(f'SELECT * FROM "{name}" WHERE {sound} ORDER BY {order}')
            return


def _keep_settings(settings: dict[str, str], store: Store) -> None:
    changes = Changes()
    for name, value in settings.items():
        with suppress(ValueError):
            changes.setting(name, json.loads(value))
    store.commit(changes)


def _define(
    heads: dict[tuple[str, str], Any], contents: dict[tuple[str, str, int], str], store: Store
) -> int:
    """Each in the place that it had: the order of a file is that of its definitions."""
    added = 0
    for (kind, id_), head in sorted(heads.items(), key=lambda each: each[1]["position"]):
        with suppress(SkerryError, ValueError):
            text = contents.get((kind, id_, head["revision"]))
            if head["hash"] is None and store.definition(kind, id_) is not None:
                store.delete_definition(kind, id_, actor=ACTOR)
            elif text is not None:
                raw = sections_of({(kind, id_): json.loads(text)})
                added += sum(each.new for each in store.save_definitions(raw, actor=ACTOR))
            if kind == "task" and head["hash"] is not None and head["state"]:
                store.set_task_state(id_, head["state"], actor=ACTOR)
    return added
