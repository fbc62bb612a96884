"""Whether the instance of a task at a scheduled time is there: durable, or decided a moment ago."""

from __future__ import annotations

from engine.runtime.services import EngineServices
from engine.store.rows import InstanceRow

_HEAD = ("id", "task", "status", "trigger", "scheduled_time", "created_at", "due_at")


def being_made(services: EngineServices, task: str, time: str) -> InstanceRow | None:
    """What was decided, in this turn or the one before, and is not durable for certain yet: its head."""
    turn = services.turn
    for changes in (turn.changes, turn.before):
        for row in changes.inserts.get("instance", {}).values():
            if row["task"] == task and row["scheduled_time"] == time:
                return InstanceRow(**{name: row[name] for name in _HEAD if name in row})
    return None


def is_being_made(services: EngineServices, task: str, time: str) -> bool:
    """Whether there is such a one."""
    return being_made(services, task, time) is not None
