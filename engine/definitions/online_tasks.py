"""What of a task must not change while it is online: schedule and dependencies, compared by meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.definitions.notes import Notes
from engine.definitions.schedules import read_dependencies, read_schedule
from engine.model.codes.commands import ONLINE_UNCHANGED
from engine.model.errors import Refused
from engine.model.schedule import Schedule
from engine.model.states import TaskState


def content_of(schedule: Schedule) -> dict[str, Any]:
    """A schedule by its meaning: equal for definitions that say the same in other words."""
    return schedule.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def check_online(task: str, state: str | None, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> None:
    """Refused when a task that is online would have another schedule or other dependencies, or be gone."""
    if state != TaskState.ONLINE:
        return
    if new is None:
        raise Refused.at(ONLINE_UNCHANGED, "task {where!r} is online: take it offline first", task)
    for key in ("schedule", "depends_on"):
        if _meaning(key, old) != _meaning(key, new):
            message = "task {where!r} is online: its {key} cannot change"
            raise Refused.at(ONLINE_UNCHANGED, message, task, key=key)


def _meaning(key: str, tree: Mapping[str, Any]) -> Any:
    """What it comes to, in whatever words; as it is where it cannot be read."""
    notes = Notes()
    schedule = read_schedule(tree.get("schedule"), (), notes)
    if key == "schedule":
        found: Any = content_of(schedule) if isinstance(schedule, Schedule) else schedule
    else:
        found = read_dependencies(tree.get("depends_on") or [], schedule, (), notes)
    return tree.get(key) if notes.errors else found
