"""What a backfill comes to: its times with a decision for each; reads the store only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from engine.definitions.notes import Notes
from engine.definitions.schedules import read_dependencies, read_schedule
from engine.model.codes.commands import TIME_INVALID, WRONG_USE
from engine.model.codes.runtime import PARAM_UNFIT
from engine.model.codes.timing import BACKFILL_NO_TIMES
from engine.model.errors import Invalid, Refused
from engine.model.schedule import Schedule
from engine.model.states import InstanceState
from engine.planning.schedules.backfill import (
    AwaitedPairing,
    BackfilledTask,
    BackfillStep,
    PastInstance,
    TaskTime,
    backfill_steps,
    backfilled_times,
)
from engine.planning.schedules.held_times import HeldTimetable
from engine.planning.schedules.pairing import Paired, level_of, pairing
from engine.planning.schedules.timetable import last_moment, moment, read_timetable
from engine.runtime import library
from engine.runtime.submission import Submission, given_params
from engine.runtime.timing.backfill_request import BackfillRequest
from engine.runtime.timing.kept_schedules import calendars_of
from engine.runtime.timing.partners import held_timetable
from engine.store.rows import InstanceRow, time_text

if TYPE_CHECKING:
    from engine.runtime.library import Types
    from engine.runtime.workspace import Workspace
    from engine.store.sql_store import Store

_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class PlannedBackfill:
    """A backfill that is allowed; both ends of its range are included."""

    request: BackfillRequest
    since: datetime
    until: datetime
    zone: ZoneInfo
    steps: Sequence[BackfillStep]
    params: Mapping[str, Any]


def planned_backfill(
    store: Store, types: Types, workspace: Workspace, now: datetime, request: BackfillRequest
) -> PlannedBackfill:
    """By the definitions of now, for each time by the schedule that held then.

    Invalid for what is not right in the request, Refused for what cannot be.
    """
    if request.parallel < 1:
        raise Invalid(WRONG_USE, "a backfill runs at least one instance at once", where="parallel")
    plan = library.planned(request.task, library.closure(store, request.task, types), types.job_types)
    if level_of(plan.task.schedule) in (None, "manual", "condition"):
        message = "task {where!r} has no scheduled times to backfill"
        raise Refused.at(BACKFILL_NO_TIMES, message, request.task)
    around = _Surroundings(store, workspace.zone, now, request)
    root = around.root
    since, until = _range(request, root.zone)
    times = backfilled_times(around.tasks(), since, until, now, newest=request.order == "newest")
    steps = backfill_steps(times, _there(store, list(times), missed_until(workspace, now)), request.reprocess)
    return PlannedBackfill(request, since, until, root.zone, steps, _params(plan.task, request))


def _params(task: Any, request: BackfillRequest) -> Mapping[str, Any]:
    given = given_params(
        task, Submission(task.id, params=request.params, text_params=request.texts, folder=request.folder)
    )
    for name in given:
        if task.params[name].secret:  # it would be kept until the backfill ends
            raise Invalid.at(PARAM_UNFIT, "parameter {where!r} is secret: a backfill cannot keep it", name)
    return given


def _range(request: BackfillRequest, zone: ZoneInfo) -> tuple[datetime, datetime]:
    since, until = _end(request.since, moment, zone), _end(request.until, last_moment, zone)
    if since > until:
        message = "{where!r} is before the begin {begin!r}"
        raise Invalid.at(TIME_INVALID, message, request.until, begin=request.since)
    return since, until


def _end(text: str, read: Any, zone: ZoneInfo) -> datetime:
    try:
        found: datetime = read(text, zone)
    except ValueError as problem:
        raise Invalid.at(TIME_INVALID, "{where!r} is not a time in ISO 8601", text) from problem
    return found


def missed_until(workspace: Workspace, now: datetime) -> str:
    """Up to which scheduled time nobody starts any more what is still planned."""
    return time_text(now - timedelta(seconds=workspace.settings.misfire))


def _there(store: Store, times: Sequence[TaskTime], missed: str) -> dict[TaskTime, PastInstance]:
    """The instances of these times; those that were started by hand are of no scheduled time."""
    found: dict[TaskTime, PastInstance] = {}
    by_task = sorted(times)
    for task, group in groupby(by_task, key=attrgetter("task")):
        of_task = [each.at for each in group]
        for row in store.instances_between(task, time_text(of_task[0]), time_text(of_task[-1])):
            found[TaskTime(task, datetime.fromisoformat(row.scheduled_time))] = past(row, missed)
    return found


def past(row: InstanceRow, missed: str) -> PastInstance:
    """An instance as the decision about its time sees it; ``missed``: see ``missed_until``."""
    state = InstanceState(row.status)
    overdue = state is InstanceState.PLANNED and row.scheduled_time < missed
    return PastInstance(row.id, state, row.run > 0, overdue)


class _Surroundings:
    """The task with its schedules, and with downstream those that depend on it, as definitions have them."""

    def __init__(self, store: Store, zone: ZoneInfo, now: datetime, request: BackfillRequest) -> None:
        self._store, self._zone, self._now = store, zone, now
        self._request = request
        self._trees: Mapping[str, Mapping[str, Any]] = {
            row.id: row.content for row in store.definitions("task") if isinstance(row.content, Mapping)
        }
        self._schedules: dict[str, Schedule | str | None] = {}
        self.root = self._task(request.task)

    def tasks(self) -> list[BackfilledTask]:
        """The task itself first."""
        found = [self.root]
        for each in found if self._request.downstream else ():
            known = {task.id for task in found}
            found += (self._task(id) for id in self._dependants(each.id) if id not in known)
        return found

    def _dependants(self, task: str) -> Iterator[str]:
        for id, tree in self._trees.items():
            listed = tree.get("depends_on") or ()
            if any(isinstance(each, Mapping) and str(each.get("task")) == task for each in listed):
                yield id

    def _schedule(self, task: str) -> Schedule | str | None:
        if task not in self._schedules:
            tree = self._trees.get(task) or {}
            self._schedules[task] = read_schedule(tree.get("schedule"), (), Notes())
        return self._schedules[task]

    def _task(self, id: str) -> BackfilledTask:
        schedule, rows = self._schedule(id), self._store.schedules_of(id)
        zone = ZoneInfo(rows[-1].zone) if rows else _zone_of(schedule, self._zone)
        held = [held_timetable(self._store, row) for row in rows]
        return BackfilledTask(id, zone, [*self._before(schedule, zone), *held], tuple(self._awaited(id)))

    def _before(self, schedule: Schedule | str | None, zone: ZoneInfo) -> Iterator[HeldTimetable]:
        """Before it first went online its times are those that its definition names now.

        An interval without ``first`` counts from that moment: there are none before it.
        """
        if isinstance(schedule, Schedule) and (schedule.level != "interval" or schedule.first):
            calendars = calendars_of(self._store, schedule)
            yield HeldTimetable(read_timetable(schedule, zone, calendars, self._now), _EARLIEST)

    def _awaited(self, id: str) -> Iterator[AwaitedPairing]:
        listed, own = (self._trees.get(id) or {}).get("depends_on") or [], self._schedule(id)
        for each in read_dependencies(listed, own, (), Notes()):
            upstream = id if each.self_ else str(each.task)
            paired = pairing(each, level_of(own), level_of(self._schedule(upstream)))
            if isinstance(paired, Paired) and not (each.self_ and self._request.ignore_dependencies):
                yield AwaitedPairing(upstream, paired)


def _zone_of(schedule: Schedule | str | None, zone: ZoneInfo) -> ZoneInfo:
    named = schedule.timezone if isinstance(schedule, Schedule) else None
    return ZoneInfo(named) if named else zone
