"""The direct neighbours of an instance: its sub-tasks, its parent, tasks that depend on it.

A rerun is refused while any of them waits or runs (seed 001, 4.1): it would read what is being made again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

from engine.definitions.notes import Notes
from engine.definitions.schedules import read_dependencies, read_schedule
from engine.model.codes.recovery import NEIGHBOUR_AT_WORK
from engine.model.errors import Refused
from engine.model.message import Message
from engine.model.schedule import Dependency, Schedule
from engine.model.states import InstanceState
from engine.planning.neighbours import BY_TIME, InstanceTime, matching, window
from engine.store.filters import InstanceFilter

if TYPE_CHECKING:
    from engine.store.rows import InstanceRow
    from engine.store.sql_store import Store

_AT_WORK = tuple(str(each) for each in InstanceState if not each.ended and each is not InstanceState.PLANNED)
_MOST = 10_000  # instances of one task that are looked at


class Wish(NamedTuple):
    """What a task depends on; ``level`` and ``zone`` are its schedule's."""

    task: str
    level: str | None
    zone: ZoneInfo
    dependencies: tuple[Dependency, ...]


class Neighbourhood:
    """Looks around in one store; reads only."""

    def __init__(self, store: Store, zone: ZoneInfo) -> None:
        self._store = store
        self._known: dict[str, list[InstanceTime]] = {}
        made = (_wish(row.id, row.content, zone) for row in store.definitions("task"))
        self._wishes = {wish.task: wish for wish in made if wish is not None}

    def refuse(self, row: InstanceRow, batch: Collection[int] = ()) -> None:
        """Refused while a direct neighbour is at work; those of one ``batch`` do not forbid each other."""
        for other, how in self._at_work(row):
            if other.id not in batch:
                message = "instance {where} of {task!r}, {how}, is {status}: wait for its end"
                raise Refused.at(
                    NEIGHBOUR_AT_WORK,
                    message,
                    other.id,
                    task=other.task,
                    how=Message.of(how),
                    status=other.status,
                )

    def dependants(self, row: InstanceRow) -> list[InstanceRow]:
        """The instances of other tasks that ran, or will, on what this one gave; in the order of their times.

        Those that were never begun are left out: what they depend on is matched when their time comes.
        """
        users = [wish for wish in self._wishes.values() if _names(wish, row.task)]
        found = {slot for wish in users for slot in self._slots_after(row, wish)}
        rows = (self._store.instance(slot.instance) for slot in sorted(found, key=BY_TIME))
        return [each for each in rows if each is not None and each.run > 0]

    def _at_work(self, row: InstanceRow) -> Iterator[tuple[InstanceRow, str]]:
        yield from ((each, "which started it") for each in self._starter(row))
        yield from ((each, "which it started") for each in self._started(row))
        mine = self._wishes.get(row.task)
        for each in self._store.unfinished():
            if mine is not None and self._waits_for(mine, _time(row), each):
                yield each, "which it depends on"
            begun = each.run > 0  # one that has not begun will read the new outcome
            wish = self._wishes.get(each.task) if begun else None
            if wish is not None and self._waits_for(wish, _time(each), row):
                yield each, "which depends on it"

    def _starter(self, row: InstanceRow) -> Iterator[InstanceRow]:
        job = self._store.job(row.parent) if row.parent is not None else None
        found = self._store.instance(job.instance) if job is not None else None
        if found is not None and found.status in _AT_WORK:
            yield found

    def _started(self, row: InstanceRow) -> Iterator[InstanceRow]:
        for job in self._store.jobs(row.id):
            if job.type == "task":
                yield from (each for each in self._store.children(job.id) if each.status in _AT_WORK)

    def _waits_for(self, wish: Wish, time: datetime, other: InstanceRow) -> bool:
        """Whether an instance at ``time`` of the wishing task waits for ``other``."""
        return any(
            slot.instance == other.id
            for dependency in wish.dependencies
            if _upstream(wish, dependency) == other.task
            for slot in self._matched(wish, dependency, time)
        )

    def _matched(self, wish: Wish, dependency: Dependency, time: datetime) -> Sequence[InstanceTime]:
        wanted = window(dependency, time, wish.level, wish.zone)
        if dependency.self_:
            wanted = wanted._replace(end=min(wanted.end, time))  # never itself, nor what comes later
        return matching(self._slots(_upstream(wish, dependency)), wanted)

    def _slots(self, task: str) -> list[InstanceTime]:
        if task not in self._known:
            rows = self._store.instances(InstanceFilter(task=task), limit=_MOST)
            self._known[task] = sorted((InstanceTime(row.id, _time(row)) for row in rows), key=BY_TIME)
        return self._known[task]

    def _slots_after(self, row: InstanceRow, wish: Wish) -> Iterator[InstanceTime]:
        """The instances of a task that waited for this one."""
        for slot in self._slots(wish.task):
            if slot.instance != row.id and self._waits_for(wish, slot.time, row):
                yield slot


def _names(wish: Wish, task: str) -> bool:
    return any(_upstream(wish, each) == task for each in wish.dependencies)


def _upstream(wish: Wish, dependency: Dependency) -> str:
    return wish.task if dependency.self_ else str(dependency.task)


def _time(row: InstanceRow) -> datetime:
    return datetime.fromisoformat(row.scheduled_time)


def _wish(id: str, tree: Any, zone: ZoneInfo) -> Wish | None:
    """None for a task that depends on nothing."""
    raw = tree if isinstance(tree, dict) else {}
    if not raw.get("depends_on"):
        return None
    schedule = read_schedule(raw.get("schedule"), (), Notes())
    own = schedule if isinstance(schedule, Schedule) else Schedule()
    listed = read_dependencies(raw["depends_on"], schedule, (), Notes())
    return Wish(id, own.level, ZoneInfo(own.timezone) if own.timezone else zone, listed)
