"""The dependencies of all tasks, read from their definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engine.definitions.notes import Notes
from engine.definitions.schedules import read_dependencies, read_schedule
from engine.model.schedule import Dependency, Schedule
from engine.planning.schedules.pairing import Paired, level_of, pairing
from engine.store.rows import DefinitionRow


class DefinitionWait(NamedTuple):
    """A dependency of a task that can be matched."""

    upstream: str
    window: str
    paired: Paired
    itself: bool
    by_hand: bool  # the upstream is started by hand alone


def read_waits(rows: Mapping[str, DefinitionRow], task: str) -> tuple[DefinitionWait, ...]:
    """Those of one of the tasks."""
    content = rows[task].content or {}
    if not content.get("depends_on"):
        return ()
    own = read_schedule(content.get("schedule"), (), Notes())
    return tuple(_matched(rows, task, own, read_dependencies(content["depends_on"], own, (), Notes())))


def _matched(
    rows: Mapping[str, DefinitionRow], task: str, own: Schedule | str | None, listed: tuple[Dependency, ...]
) -> Iterator[DefinitionWait]:
    for each in listed:
        upstream = task if each.self_ else str(each.task)
        row = rows.get(upstream)
        schedule = read_schedule((row.content or {}).get("schedule"), (), Notes()) if row else None
        schedule = own if each.self_ else schedule
        paired = pairing(each, level_of(own), level_of(schedule))
        if isinstance(paired, Paired):
            by_hand = schedule == "manual"
            yield DefinitionWait(upstream, str(each.window), paired, each.self_, by_hand)
