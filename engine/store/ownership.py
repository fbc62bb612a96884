"""Which workspace a database belongs to: to one, so that no two engines take up the same jobs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from engine.store.backend import Cursor
from engine.store.encoding import content_hash, json_text

NAME = "owner"  # in meta
READ = f"SELECT value FROM meta WHERE name = '{NAME}'"
_REMOVE = f"DELETE FROM meta WHERE name = '{NAME}'"


class Owner(NamedTuple):
    """A workspace as a database knows it."""

    id: str  # its identity; copied and moved with its folder
    path: str
    host: str
    home: bool  # the database lies within the workspace's folder, and goes where that goes


Decide = Callable[[Owner | None], Owner]  # who owns it from now on; raises when it may not be taken


def owner_of(text: object) -> Owner | None:
    """What the row says; None when there is none, or when it is not what was written."""
    hash, _, content = (text if isinstance(text, str) else "").partition(" ")
    if not content or content_hash(content) != hash:
        return None
    return Owner(**json.loads(content))


def settle(cursor: Cursor, mark: str, decide: Decide) -> None:
    """Within a transaction that nobody else has at the same time; ``mark`` is a placeholder of SQL."""
    cursor.execute(READ)
    row = cursor.fetchone()
    before = owner_of(row[0] if row else None)
    after = decide(before)
    if after != before:
        content = json_text(after._asdict())
        cursor.execute(_REMOVE)
        values = (NAME, f"{content_hash(content)} {content}")
        cursor.execute(f"INSERT INTO meta (name, value) VALUES ({mark}, {mark})", values)
