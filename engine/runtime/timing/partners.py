"""The instances of other tasks that one waits for: their times once, their states at each look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from engine.definitions.notes import Notes
from engine.definitions.schedules import read_schedule
from engine.model.codes.planning import DEPENDS_ON, UNKNOWN_TASK
from engine.model.codes.timing import SCHEDULE_UNREADABLE
from engine.model.errors import SkerryError
from engine.model.plain_words import wording
from engine.model.schedule import Dependency, Schedule
from engine.model.states import InstanceState, TaskState
from engine.model.task import Task
from engine.planning.schedules.held_times import HeldTimetable, partner_times
from engine.planning.schedules.pairing import Unpaired, level_of, pairing
from engine.planning.schedules.timetable import read_timetable
from engine.planning.schedules.upstreams import AwaitedTask, Partner, PartnerStanding
from engine.runtime.services import EngineServices
from engine.runtime.timing.kept_schedules import calendars_of
from engine.store.reading_schedules import BY_HAND, BY_TIME
from engine.store.rows import InstanceRow, ScheduleRow, time_text
from engine.store.sql_store import Store

_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class PartnerTimes:
    """A dependency with the fire times that it is matched on; ``newest`` up to when one decides (latest)."""

    task: str
    dependency: Dependency
    times: Sequence[datetime]
    newest: datetime | None = None
    by_hand: bool = False  # the upstream is started by hand alone


def times_of(services: EngineServices, task: Task, time: datetime) -> tuple[PartnerTimes, ...]:
    """Of each dependency of a task; SkerryError for one that cannot be matched any more."""
    return tuple(_times(services, task, each, time) for each in task.depends_on)


def _times(services: EngineServices, task: Task, dependency: Dependency, time: datetime) -> PartnerTimes:
    upstream = task.id if dependency.self_ else str(dependency.task)
    schedule = task.schedule if dependency.self_ else _schedule_of(services.store, upstream)
    paired = pairing(dependency, level_of(task.schedule), level_of(schedule))
    if isinstance(paired, Unpaired):
        raise SkerryError(DEPENDS_ON, "task '{task}': {message}", task=upstream, message=paired.wording)
    rows = services.store.schedules_of(upstream)
    held = [held_timetable(services.store, row) for row in rows]
    zone = _zone_at(services, services.store.schedules_of(task.id), time)
    found = partner_times(paired, time, zone, held, itself=dependency.self_)
    newest = (time - _INSTANT if dependency.self_ else time) if paired.window == "latest" else None
    return PartnerTimes(upstream, dependency, found, newest, by_hand=schedule == "manual")


def _schedule_of(store: Store, task: str) -> Schedule | str | None:
    row = store.definition("task", task)
    if row is None:
        raise SkerryError(UNKNOWN_TASK, "there is no task '{task}'{hint}", task=task, hint="")
    content: Mapping[str, Any] = row.content or {}
    return read_schedule(content.get("schedule"), ("tasks", task, "schedule"), Notes())


def held_timetable(store: Store, row: ScheduleRow) -> HeldTimetable:
    schedule, since = Schedule.model_validate(row.content), datetime.fromisoformat(row.since)
    try:
        table = read_timetable(schedule, ZoneInfo(row.zone), calendars_of(store, schedule), since)
    except (ValueError, KeyError) as problem:  # its calendar or zone is not there any more
        text = "the schedule of task {task} cannot be evaluated: {problem}"
        why = wording(problem)
        raise SkerryError(SCHEDULE_UNREADABLE, text, task=row.task, problem=why) from problem
    return HeldTimetable(table, since - _INSTANT if row.level == "interval" else since)


def _zone_at(services: EngineServices, rows: Sequence[ScheduleRow], time: datetime) -> ZoneInfo:
    held = [row.zone for row in rows if datetime.fromisoformat(row.since) <= time]
    return ZoneInfo(held[-1] if held else services.workspace.zone.key)


def looked_up(services: EngineServices, wanted: PartnerTimes, *, released: bool = False) -> AwaitedTask:
    """What there is of it now."""
    dependency, store = wanted.dependency, services.store
    found = {time: store.instance_at(wanted.task, time_text(time)) for time in wanted.times}
    if wanted.newest is not None:
        triggers = BY_HAND + BY_TIME if wanted.by_hand else BY_TIME
        row = store.newest_instance(wanted.task, time_text(wanted.newest), triggers)
        owed = wanted.times[0] if wanted.times and not wanted.by_hand else None
        if row is not None and (owed is None or row.scheduled_time > time_text(owed)):
            found = {datetime.fromisoformat(row.scheduled_time): row}
    partners = tuple(_partner(services, time, row) for time, row in found.items())
    idle = any(each.standing in (PartnerStanding.MISSING, PartnerStanding.NOT_RUN) for each in partners)
    resting = _resting(store, wanted.task) if idle else None
    return AwaitedTask(wanted.task, partners, dependency.on_failure, dependency.timeout, released, resting)


def _resting(store: Store, task: str) -> str | None:
    """The state of a task, unless it is online."""
    row = store.definition("task", task)
    return row.state if row is not None and row.state != TaskState.ONLINE else None


def _partner(services: EngineServices, time: datetime, row: InstanceRow | None) -> Partner:
    local = time.astimezone(services.workspace.zone)
    if row is None:
        return Partner(local)
    return Partner(local, row.id, InstanceState(row.status), row.run > 0)
