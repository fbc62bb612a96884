"""``workers.json`` of a workspace: what is registered of workers, for a database that was lost and rebuilt.

It follows the database with each change; only a database without any worker reads what it has of workers.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.execution.files import replace
from engine.model.disk import read_file
from engine.model.errors import SkerryError
from engine.model.plain_words import wording
from engine.model.states import WorkerState
from engine.runtime.services import EngineServices
from engine.store.changes import Changes
from engine.store.rows import WorkerRow

VOUCHED = "vouched"  # the setting that has how often a person vouched that nothing lives on a worker
LEASES = "leases"  # the setting that has whose leases are whose, and on which workers they have no end
_NAME = "workers.json"
_KEPT = ("name", "kind", "created_at", "wanted", "content", "host_keys")


def keep(services: EngineServices, **settings: Any) -> None:
    """Write these settings with the turn, and them and what is registered now into the file after it."""
    for name, value in settings.items():
        services.changes.setting(name, value)
    rows = [asdict(live.row) for live in services.workers if live.stored]
    workers = [{name: row[name] for name in _KEPT} for row in rows]
    services.loop.after_commit(lambda: _write(services, {"workers": workers, **settings}))


def leases(services: EngineServices) -> dict[str, Any]:
    """Whose leases are whose, by the file where the database is older: hosts follow no earlier term."""
    inside: dict[str, Any] = services.store.setting(LEASES, {})
    beside: object = None
    with suppress(OSError, ValueError):  # then there is only the database
        beside = _read(services.workspace.root / _NAME).get(LEASES)
    if isinstance(beside, dict) and isinstance(term := beside.get("term"), int):
        return beside if term > inside.get("term", 0) else inside
    return inside


def recover(services: EngineServices) -> None:
    """Put what the file has into a database without any worker, before anything else is done."""
    if services.store.workers():
        return
    try:
        tree, found = _read(services.workspace.root / _NAME), Changes()
        for each in tree.get("workers", ()):
            found.insert("worker", asdict(_row(each, services.now())))
        for name in (VOUCHED, LEASES):
            if name in tree and services.store.setting(name, None) is None:
                found.setting(name, tree[name])
        if found:
            services.store.commit(found)
    except (OSError, ValueError, TypeError, KeyError, SkerryError) as problem:
        services.say(f"{_NAME} cannot be read: {wording(problem)}", logging.WARNING)


def _row(tree: Mapping[str, Any], now: str) -> WorkerRow:
    state = WorkerState.ONLINE if tree["kind"] == "local" else WorkerState.UNTRUSTED
    made = WorkerRow(since=now, state=str(state), **{name: tree[name] for name in _KEPT})
    assert made.worker is not None  # what it registers can be read
    return made


def _write(services: EngineServices, sections: Mapping[str, Any]) -> None:
    path = services.workspace.root / _NAME
    try:
        before = _read(path)
        after = {**before, **sections}
        if after != before:
            replace(str(path), json.dumps(after, ensure_ascii=False, indent=1).encode() + b"\n", durable=True)
    except (OSError, ValueError) as problem:
        services.say(f"{_NAME} cannot be written: {wording(problem)}", logging.WARNING)


def _read(path: Path) -> dict[str, Any]:
    try:
        tree = json.loads(read_file(path))
    except FileNotFoundError:
        return {}
    return tree if isinstance(tree, dict) else {}
