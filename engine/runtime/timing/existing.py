"""What was decided of instances and is not durable yet: one that is being made, or gets another state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from engine.model.states import InstanceState
from engine.runtime.services import EngineServices
from engine.store.changes import UNKNOWN
from engine.store.rows import InstanceRow

_HEAD = ("id", "task", "status", "trigger", "scheduled_time", "created_at", "due_at")


def being_made(services: EngineServices, task: str, time: str) -> InstanceRow | None:
    """What was decided, in this turn or the one before, and is not durable for certain yet: its head."""
    turn = services.turn
    for changes in (turn.changes, turn.before):
        for row in changes.inserts.get("instance", {}).values():
            if row["task"] == task and row["scheduled_time"] == time:
                return _head(row)
    return None


def is_being_made(services: EngineServices, task: str, time: str) -> bool:
    """Whether there is such a one."""
    return being_made(services, task, time) is not None


def is_still(services: EngineServices, row: InstanceRow) -> bool:
    """Whether no other state of it was decided, which may wait long for a full disk or a locked database."""
    return services.turn.state("instance", row.id) in (UNKNOWN, row.status)


def is_changing(services: EngineServices, row: InstanceRow) -> bool:
    """Whether more was decided about it than is durable."""
    return not is_still(services, row) or services.being_changed([row.id])


def becoming(services: EngineServices, state: InstanceState) -> Iterator[InstanceRow]:
    """Instances without a run that were given a state, in this turn or the one before, and have it still."""
    turn, seen = services.turn, set[Any]()
    for changes in (turn.changes, turn.before):
        for id in changes.moved("instance"):
            if id in seen or turn.state("instance", id) != state:
                continue
            seen.add(id)
            made = changes.inserts.get("instance", {}).get(id)
            row = _head(made) if made is not None else services.store.instance(int(str(id)))
            if row is not None and row.run == 0:
                yield replace(row, status=str(state))


def _head(row: Mapping[str, Any]) -> InstanceRow:
    return InstanceRow(**{name: row[name] for name in _HEAD if name in row})
