"""What of a task must not change while it is online: schedule and dependencies, compared by meaning."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import Any

from engine.definitions.notes import Notes
from engine.definitions.schedules import read_dependencies, read_schedule
from engine.model.schedule import Schedule
from engine.model.times import moment_within

_DATE = len("2026-11-21")  # as an end it is the whole day
_DEFAULTS = {"at": (0, 0, 0), "max": 100}


def content_of(schedule: Schedule) -> dict[str, Any]:
    """A schedule as it is kept."""
    return schedule.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two schedules as they are kept say the same, perhaps in other words."""
    return _plain_words(one) == _plain_words(other)


def _plain_words(content: Mapping[str, Any]) -> dict[str, Any]:
    found = {key: _plain(key, value) for key, value in content.items()}
    return {key: value for key, value in found.items() if value != _DEFAULTS.get(key)}


def changed_keys(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """Which of schedule and dependencies mean something else in another tree of the same task."""
    return tuple(key for key in ("schedule", "depends_on") if _meaning(key, old) != _meaning(key, new))


def _meaning(key: str, tree: Mapping[str, Any]) -> Any:
    """What it comes to, in whatever words; as it is where it cannot be read."""
    notes = Notes()
    schedule = read_schedule(tree.get("schedule"), (), notes)
    waits = read_dependencies(tree.get("depends_on") or [], schedule, (), notes) if key != "schedule" else ()
    if notes.errors:
        return tree.get(key)
    if key != "schedule":
        return frozenset(waits)
    return _plain_words(content_of(schedule)) if isinstance(schedule, Schedule) else schedule


def _plain(key: str, value: Any) -> Any:
    match key:
        case "at":
            return _clock(value)
        case "hours" | "days" | "months":
            return frozenset(value)
        case "cron":
            return value.upper().split()
        case "first" | "once" | "start" | "end" if key != "end" or len(value) > _DATE:
            given = moment_within(value)
            return given.astimezone(UTC) if given.tzinfo else given
    return value


def _clock(text: str) -> tuple[int, ...]:
    hour, minute, *second = map(int, text.split(":"))
    return hour, minute, second[0] if second else 0
