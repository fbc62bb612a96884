"""Whether the instance of a task at a scheduled time is there: durable, or decided a moment ago."""

from __future__ import annotations

from engine.runtime.services import EngineServices


def is_being_made(services: EngineServices, task: str, time: str) -> bool:
    """Whether it was decided, in this turn or the one before, and is not durable for certain yet."""
    turn = services.turn
    return any(
        row["task"] == task and row["scheduled_time"] == time
        for changes in (turn.changes, turn.before)
        for row in changes.inserts.get("instance", {}).values()
    )
