"""What of a task must not change while it is online: schedule and dependencies, compared by meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.definitions.notes import Notes
from engine.definitions.schedules import read_dependencies, read_schedule
from engine.model.schedule import Schedule


def content_of(schedule: Schedule) -> dict[str, Any]:
    """A schedule by its meaning: equal for definitions that say the same in other words."""
    return schedule.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def changed_keys(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """Which of schedule and dependencies mean something else in another tree of the same task."""
    return tuple(key for key in ("schedule", "depends_on") if _meaning(key, old) != _meaning(key, new))


def _meaning(key: str, tree: Mapping[str, Any]) -> Any:
    """What it comes to, in whatever words; as it is where it cannot be read."""
    notes = Notes()
    schedule = read_schedule(tree.get("schedule"), (), notes)
    if key == "schedule":
        found: Any = content_of(schedule) if isinstance(schedule, Schedule) else schedule
    else:
        found = read_dependencies(tree.get("depends_on") or [], schedule, (), notes)
    return tree.get(key) if notes.errors else found
