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
from engine.model.codes.runtime import TASK_TIMED_OUT
from engine.model.codes.timing import DEPENDENCY_FAILED, DEPENDENCY_TIMED_OUT
from engine.model.errors import Refused
from engine.model.message import Message
from engine.model.schedule import Dependency, Schedule
from engine.model.states import InstanceState
from engine.planning.neighbours import BY_TIME, InstanceTime, matching, window
from engine.store.filters import InstanceFilter
from engine.store.reading_schedules import BY_TIME as BY_TIME_TRIGGERS

if TYPE_CHECKING:
    from engine.store.rows import InstanceRow
    from engine.store.sql_store import Store

_AT_WORK = tuple(str(each) for each in InstanceState if not each.ended and each is not InstanceState.PLANNED)
_MOST = 10_000  # instances of one task that are looked at
_BY_OTHERS = tuple(each.number for each in (DEPENDENCY_FAILED, DEPENDENCY_TIMED_OUT, TASK_TIMED_OUT))


class Wish(NamedTuple):
    """What a task depends on; ``level`` and ``zone`` are its schedule's."""

    task: str
    level: str | None
    zone: ZoneInfo
    dependencies: tuple[Dependency, ...]


class Neighbourhood:
    """Looks around in one store; reads only.

    An instance that waited for others has links to them. One that was started by hand waited for nothing:
    what it could read is matched on scheduled time.
    """

    def __init__(self, store: Store, zone: ZoneInfo) -> None:
        self._store = store
        self._zone = zone
        self._known: dict[str, list[InstanceTime]] = {}
        self._begun_by_hand: dict[str, list[InstanceTime]] = {}
        self._wishes: dict[str, Wish | None] = {}
        self._users_of: dict[str, list[Wish]] = {}

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

        Also those that came to their end because this one failed, or waited for it too long. Others that
        never began read what it gives when their time comes.
        """
        by_hand = {slot.instance for wish in self._users(row.task) for slot in self._slots_after(row, wish)}
        found = filter(None, map(self._store.instance, self._linked_to(row) | by_hand))
        rows = [each for each in found if each.run > 0 or ended_by_others(each)]
        return sorted(rows, key=lambda each: (_time(each), each.id))

    def _at_work(self, row: InstanceRow) -> Iterator[tuple[InstanceRow, str]]:
        yield from ((each, "which started it") for each in self._starter(row))
        yield from ((each, "which it started") for each in self._started(row))
        yield from ((each, "which it depends on") for each in self._awaited(row) if each.status in _AT_WORK)
        for id in sorted(self._linked_to(row) | self._used_by_hand(row)):
            each = self._store.instance(id)
            if each is not None and each.run > 0 and each.status in _AT_WORK:
                yield each, "which depends on it"  # one that has not begun will read the new outcome

    def _starter(self, row: InstanceRow) -> Iterator[InstanceRow]:
        job = self._store.job(row.parent) if row.parent is not None else None
        found = self._store.instance(job.instance) if job is not None else None
        if found is not None and found.status in _AT_WORK:
            yield found

    def _started(self, row: InstanceRow) -> Iterator[InstanceRow]:
        for job in self._store.jobs(row.id):
            if job.type == "task":
                yield from (each for each in self._store.children(job.id) if each.status in _AT_WORK)

    # -- by links ----------------------------------------------------------------------------------

    def _linked_to(self, row: InstanceRow) -> set[int]:
        """Those that waited for this one and were not let go without it."""
        links = self._store.links_to(row.task, row.scheduled_time)
        return {
            link.instance
            for link in links
            if link.released is None and (link.first_at == link.last_at or row.trigger in BY_TIME_TRIGGERS)
        }

    def _awaited(self, row: InstanceRow) -> Iterator[InstanceRow]:
        """What this one waited for."""
        links = self._store.links(row.id)
        for link in (each for each in links if each.released is None):
            yield from self._store.partners(link)
        wish = None if links or row.trigger in BY_TIME_TRIGGERS else self._wish(row.task)
        for dependency in wish.dependencies if wish is not None else ():
            slots = self._matched(wish, dependency, _time(row)) if wish is not None else ()
            yield from filter(None, (self._store.instance(slot.instance) for slot in slots))

    # -- by time -----------------------------------------------------------------------------------

    def _used_by_hand(self, row: InstanceRow) -> set[int]:
        """Those at work that were started by hand and could read what this one gave."""
        at_work = (each for each in self._store.unfinished() if _is_by_hand(each))
        wishes = ((each, self._wish(each.task)) for each in at_work)
        return {
            each.id for each, wish in wishes if wish is not None and self._waits_for(wish, _time(each), row)
        }

    def _users(self, task: str) -> list[Wish]:
        """The tasks that depend on this one."""
        if task not in self._users_of:
            made = (self._wish(each) for each in self._store.tasks_naming(task))
            self._users_of[task] = [wish for wish in made if wish is not None and _names(wish, task)]
        return self._users_of[task]

    def _wish(self, task: str) -> Wish | None:
        if task not in self._wishes:
            row = self._store.definition("task", task)
            self._wishes[task] = None if row is None else _wish(task, row.content, self._zone)
        return self._wishes[task]

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
        self._read(task)
        return self._known[task]

    def _slots_after(self, row: InstanceRow, wish: Wish) -> Iterator[InstanceTime]:
        """The instances of a task, started by hand, that could read what this one gave."""
        self._read(wish.task)
        for each in self._begun_by_hand[wish.task]:
            if each.instance != row.id and self._waits_for(wish, each.time, row):
                yield each

    def _read(self, task: str) -> None:
        """Look at all of its instances, once: what depends on one of them often does so on many."""
        if task not in self._known:
            rows = self._store.instances(InstanceFilter(task=task), limit=_MOST)
            slots = [(row, InstanceTime(row.id, _time(row))) for row in rows]
            self._known[task] = sorted((slot for _, slot in slots), key=BY_TIME)
            self._begun_by_hand[task] = [slot for row, slot in slots if _is_by_hand(row)]


def ended_by_others(row: InstanceRow) -> bool:
    """Whether it never began because of what it depends on."""
    return row.run == 0 and row.error_code in _BY_OTHERS


def _is_by_hand(row: InstanceRow) -> bool:
    return row.run > 0 and row.trigger not in BY_TIME_TRIGGERS


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
