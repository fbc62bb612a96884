"""The fire times to come, of a task or of a cron expression, as documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
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
from engine.planning.schedules.fire_times import Fire, next_fire, noted_fires
from engine.planning.schedules.levels import cron_text
from engine.planning.schedules.pairing import Paired, level_of, pairing
from engine.planning.schedules.timetable import Timetable, read_timetable
from engine.planning.schedules.windows import wanted
from engine.planning.schedules.working_days import WorkingDays, working_days

if TYPE_CHECKING:
    from engine.api.documents import FireQuery
    from engine.store.sql_store import Store


class _Scheduled:
    """A task's schedule and dependencies, as far as they can be read."""

    def __init__(self, id: str, tree: Mapping[str, Any]) -> None:
        self.id = id
        self.schedule = read_schedule(tree.get("schedule"), (), Notes())
        listed = tree.get("depends_on") or []
        self.dependencies: tuple[Dependency, ...] = read_dependencies(listed, self.schedule, (), Notes())


def _beside_cron(schedule: Schedule | str | None) -> Document:
    """What says when a schedule fires that is no expression."""
    if isinstance(schedule, Schedule) and schedule.level == "interval":
        return {"level": "interval", "interval": schedule.interval}
    level = level_of(schedule)
    return {"level": level} if level in ("once", "condition", "manual") else {}


class FireTimes:
    """Answers from the definitions of a store; ``zone``: where a schedule names none."""

    def __init__(self, store: Store, zone: ZoneInfo, now: datetime) -> None:
        self._store = store
        self._zone = zone
        self._now = now

    def document(self, query: FireQuery) -> Document:
        """``{"zone", "cron", "times"}``; Invalid for an unknown task or zone, or a wrong expression.

        Where there is no expression also ``level`` and, of an interval, ``interval`` in seconds.
        """
        task = self._asked(query)
        table = self._timetable(task, query.timezone)
        after = self._after(query.since, table.zone)
        cron = cron_text(task.schedule) if isinstance(task.schedule, Schedule) else None
        times = [
            {
                "time": None if fire.left_out else iso(fire.at, table.zone),
                **_noted(fire, table),
                "upstream": self._upstream(task, table, fire) if query.dependencies else None,
            }
            for fire in _counted(table, after, query.count)
        ]
        return {"zone": table.zone.key, "cron": cron, "times": times, **_beside_cron(task.schedule)}

    def _asked(self, query: FireQuery) -> _Scheduled:
        if (query.task is None) == (query.cron is None):
            raise Invalid(WRONG_USE, "name a task, or give --cron EXPR")
        if query.cron is not None:
            if problem := cron_problem(query.cron):
                raise Invalid(CRON_SYNTAX, "`cron`: {problem}", where=query.cron, problem=problem)
            return _Scheduled("", {"schedule": {"cron": query.cron}})
        return self._task(str(query.task)) or _Scheduled("", {})

    def _task(self, id: str) -> _Scheduled | None:
        row = self._store.definition("task", id)
        return _Scheduled(id, row.content) if row and isinstance(row.content, Mapping) else None

    def _timetable(self, task: _Scheduled, zone: str | None = None) -> Timetable:
        """Of a task that is online in the zone and since the moment at which it went online."""
        held = next((row for row in self._store.schedules() if row.task == task.id), None)
        schedule = task.schedule
        if zone is not None and isinstance(schedule, Schedule):
            schedule = schedule.model_copy(update={"timezone": _zone(zone).key})
        elif zone is not None:
            return Timetable(None, _zone(zone))
        default = ZoneInfo(held.zone) if held else self._zone
        since = datetime.fromisoformat(held.since) if held else self._now
        return read_timetable(schedule, default, self._calendars(), since)

    def _calendars(self) -> dict[str, WorkingDays]:
        rows = self._store.definitions("calendar")
        return {row.id: working_days(row.id, Calendar.model_validate(row.content)) for row in rows}

    def _after(self, text: str | None, zone: ZoneInfo) -> datetime:
        if text is None:
            return self._now
        try:
            given = datetime.fromisoformat(text)
        except ValueError as problem:
            raise Invalid.at(TIME_INVALID, "{where!r} is not a time in ISO 8601", text) from problem
        return given if given.tzinfo else given.replace(tzinfo=zone)

    def _upstream(self, task: _Scheduled, table: Timetable, fire: Fire) -> list[Document]:
        """``{"task", "time"}`` of each instance that the one of this time waits for."""
        if fire.left_out:
            return []
        return [found for each in task.dependencies for found in self._waits_for(each, task, table, fire.at)]

    def _waits_for(
        self, dependency: Dependency, task: _Scheduled, table: Timetable, time: datetime
    ) -> Iterator[Document]:
        other = task if dependency.self_ else self._task(str(dependency.task))
        paired = pairing(dependency, level_of(task.schedule), level_of(other.schedule)) if other else None
        if other is None or not isinstance(paired, Paired):
            return
        upstream = table if dependency.self_ else self._timetable(other)
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


def _counted(table: Timetable, after: datetime, count: int) -> Iterator[Fire]:
    """As many as have a time, with those left out before each of them."""
    while count > 0 and (following := next_fire(table, after)) is not None:
        yield from noted_fires(table, after, following)
        after, count = following, count - 1


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError) as problem:  # ZoneInfoNotFoundError is a KeyError
        message = "{where!r} is not a time zone such as Asia/Shanghai"
        raise Invalid.at(TIME_INVALID, message, name) from problem
