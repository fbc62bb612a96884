"""The workers of the site: what is registered of each and how it was, without what logs in there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from engine.store.rows import WorkerRow
from export_import.collecting import BundleItem
from export_import.export_source import Site

DEADLINE = 60.0
NAME = "rows/workers.json"
_LEAVE = ("key_file", "password_secret")  # of a login: its kind alone is told


def items(site: Site) -> Iterator[BundleItem]:
    """``rows/workers.json``: rows as the store has them; none while there is only this machine."""
    if site.store.workers():
        yield BundleItem(NAME, "workers", 1, 2000, lambda: _written(site), "json")


def _written(site: Site) -> Iterator[bytes]:
    rows = [told(row) for row in site.store.workers()]
    yield json.dumps({"workers": rows}, ensure_ascii=False, separators=(",", ":")).encode()


def told(row: WorkerRow) -> dict[str, Any]:
    """A row without key files, names of secrets and host keys; ``login``: key, agent, password or none."""
    content = {name: value for name, value in row.content.items() if name not in _LEAVE}
    return {
        "name": row.name,
        "kind": row.kind,
        "created_at": row.created_at,
        "since": row.since,
        "state": row.state,
        "wanted": row.wanted,
        "reason": row.reason,
        "why": row.why,
        "content": {**content, "login": _login(row)},
    }


def _login(row: WorkerRow) -> str:
    if row.content.get("key_file"):
        return "key"
    if row.content.get("password_secret"):
        return "password"
    return "agent" if row.content.get("agent") else "none"
