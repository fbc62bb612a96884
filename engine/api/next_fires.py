"""The fire times to come, of a task or of a cron expression, as documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from engine.api.documents import Document
from engine.definitions.notes import Notes
from engine.definitions.schedules import read_dependencies, read_schedule
from engine.model.calendar import Calendar
from engine.model.codes.commands import TIME_INVALID, WRONG_USE
from engine.model.codes.definitions import CRON_SYNTAX
from engine.model.cron import cron_problem
from engine.model.errors import Invalid
from engine.model.fire_note import WORDS
from engine.model.schedule import Dependency, Schedule
from engine.model.times import known_zone, moment_within
from engine.planning.schedules.fire_times import Fire, next_fire, noted_fires
from engine.planning.schedules.levels import cron_text
from engine.planning.schedules.pairing import Paired, level_of, pairing
from engine.planning.schedules.timetable import Timetable, read_timetable
from engine.planning.schedules.windows import wanted
from engine.planning.schedules.working_days import WorkingDays, working_days

if TYPE_CHECKING:
    from engine.api.documents import FireQuery
    from engine.store.sql_store import Store


@dataclass(frozen=True, slots=True)
class FireSources:
    """Where definitions come from: a store, or what is being edited.

    ``task`` and ``calendars`` give trees; ``held`` the zone of an online task, and since when it is online.
    """

    task: Callable[[str], Any]
    calendars: Callable[[], Mapping[str, Any]]
    held: Callable[[str], tuple[str, str] | None] = lambda _task: None


def stored(store: Store) -> FireSources:
    """The definitions of a workspace."""

    def task(id: str) -> Any:
        row = store.definition("task", id)
        return row.content if row else None

    @cache
    def all_held() -> dict[str, tuple[str, str]]:
        return {row.task: (row.zone, row.since) for row in store.schedules()}

    def held(id: str) -> tuple[str, str] | None:
        return all_held().get(id)

    return FireSources(task, lambda: {row.id: row.content for row in store.definitions("calendar")}, held)


class ScheduledTask:
    """A task's schedule and dependencies, as far as they can be read."""

    def __init__(self, id: str, tree: Mapping[str, Any]) -> None:
        notes = Notes()
        self.id = id
        self.schedule = read_schedule(tree.get("schedule"), (), notes)
        self.readable = notes.errors == 0  # the schedule
        listed = tree.get("depends_on") or []
        self.dependencies: tuple[Dependency, ...] = read_dependencies(listed, self.schedule, (), Notes())


def _beside_cron(schedule: Schedule | str | None) -> Document:
    """What says when a schedule fires that is no expression."""
    if isinstance(schedule, Schedule) and schedule.level == "interval":
        return {"level": "interval", "interval": schedule.interval}
    level = "none" if schedule is None else level_of(schedule)
    return {"level": level} if level in ("once", "condition", "manual", "none") else {}


class FireTimes:
    """Answers from definitions; ``zone``: where a schedule names none."""

    def __init__(self, sources: FireSources, zone: ZoneInfo, now: datetime) -> None:
        self._sources = sources
        self._zone = zone
        self._now = now

    def with_calendars(self, other: Mapping[str, Any]) -> FireTimes:
        """The same with these trees in place of the calendars of their ids."""
        calendars = self._sources.calendars
        sources = replace(self._sources, calendars=lambda: {**calendars(), **other})
        return FireTimes(sources, self._zone, self._now)

    def document(self, query: FireQuery) -> Document:
        """``{"zone", "cron", "times"}``; Invalid for an unknown task or zone, or a wrong expression.

        Where there is no expression also ``level`` and, of an interval, ``interval`` in seconds.
        """
        task = self._asked(query)
        table = self.timetable(task, query.timezone)
        after = self._after(query.since, table.zone)
        cron = cron_text(task.schedule) if isinstance(task.schedule, Schedule) else None
        times = [
            {
                "time": None if fire.left_out else iso(fire.at, table.zone),
                **_noted(fire, table),
                "upstream": self._upstream(task, table, fire) if query.dependencies else None,
            }
            for fire in counted(table, after, query.count)
        ]
        return {"zone": table.zone.key, "cron": cron, "times": times, **_beside_cron(task.schedule)}

    def _asked(self, query: FireQuery) -> ScheduledTask:
        if (query.task is None) == (query.cron is None):
            raise Invalid(WRONG_USE, "name a task, or give --cron EXPR")
        if query.cron is not None:
            if problem := cron_problem(query.cron):
                raise Invalid(CRON_SYNTAX, "`cron`: {problem}", where=query.cron, problem=problem)
            return ScheduledTask("", {"schedule": {"cron": query.cron}})
        return self.task(str(query.task)) or ScheduledTask("", {})

    def task(self, id: str) -> ScheduledTask | None:
        """None where there is no task of this id."""
        tree = self._sources.task(id)
        return ScheduledTask(id, tree) if isinstance(tree, Mapping) else None

    def timetable(self, task: ScheduledTask, zone: str | None = None) -> Timetable:
        """Of a task that is online in the zone and since the moment at which it went online."""
        held = self._sources.held(task.id)
        schedule = task.schedule
        if zone is not None and isinstance(schedule, Schedule):
            schedule = schedule.model_copy(update={"timezone": _zone(zone).key})
        elif zone is not None:
            return Timetable(None, _zone(zone))
        default = ZoneInfo(held[0]) if held else self._zone
        since = datetime.fromisoformat(held[1]) if held else self._now
        return read_timetable(schedule, default, self._calendars, since)

    @cached_property
    def _calendars(self) -> dict[str, WorkingDays]:
        found = self._sources.calendars()
        return {id: working_days(id, Calendar.model_validate(tree)) for id, tree in found.items()}

    def _after(self, text: str | None, zone: ZoneInfo) -> datetime:
        if text is None:
            return self._now
        try:
            given = moment_within(text)
        except ValueError as problem:
            raise Invalid.at(TIME_INVALID, "{where!r} is not a time in ISO 8601", text) from problem
        return given if given.tzinfo else given.replace(tzinfo=zone)

    def _upstream(self, task: ScheduledTask, table: Timetable, fire: Fire) -> list[Document]:
        """``{"task", "time"}`` of each instance that the one of this time waits for."""
        if fire.left_out:
            return []
        return [found for each in task.dependencies for found in self.waits_for(each, task, table, fire.at)]

    def waits_for(
        self, dependency: Dependency, task: ScheduledTask, table: Timetable, time: datetime
    ) -> Iterator[Document]:
        """``{"task", "time"}`` of each instance that a dependency is matched on at one time of the task."""
        other = task if dependency.self_ else self.task(str(dependency.task))
        paired = pairing(dependency, level_of(task.schedule), level_of(other.schedule)) if other else None
        if other is None or not isinstance(paired, Paired):
            return
        upstream = table if dependency.self_ else self.timetable(other)
        for moment in wanted(paired, time, table.zone, upstream, itself=dependency.self_):
            yield {"task": other.id, "time": iso(moment, upstream.zone)}


def iso(moment: datetime, zone: ZoneInfo) -> str:
    """A time of a document: with offset and microseconds."""
    return moment.astimezone(zone).isoformat(timespec="microseconds")


def _noted(fire: Fire, table: Timetable) -> Document:
    """``note``: what clock change or calendar did, in English; ``why``: the same as kind and facts."""
    if fire.note is None:
        return {"note": None, "why": None}
    facts = fire.note.facts(table.days.id if table.days else None)
    return {"note": WORDS[fire.note.kind].format(**facts), "why": {"kind": fire.note.kind, **facts}}


def counted(table: Timetable, after: datetime, count: int) -> Iterator[Fire]:
    """As many as have a time, with those left out before each of them."""
    while count > 0 and (following := next_fire(table, after)) is not None:
        yield from noted_fires(table, after, following)
        after, count = following, count - 1


def _zone(name: str) -> ZoneInfo:
    if (found := known_zone(name)) is None:
        raise Invalid.at(TIME_INVALID, "{where!r} is not a time zone such as Asia/Shanghai", name)
    return found
