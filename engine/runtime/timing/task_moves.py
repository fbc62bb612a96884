"""Tasks go online, offline or away: several together or not at all, with what becomes of their instances."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from engine.model.codes.commands import STATE_REFUSED
from engine.model.codes.store import MISSING
from engine.model.errors import Refused, SkerryError
from engine.model.message import Message
from engine.model.reason import Kind, Reason
from engine.model.schedule import Schedule
from engine.model.states import InstanceState, TaskState
from engine.planning.schedules.fire_times import next_fire
from engine.planning.schedules.life_cycle import Command, Refusal, StateMove, TaskSituation, moved
from engine.planning.schedules.timetable import read_timetable
from engine.runtime.library import upstreams_of
from engine.runtime.services import EngineServices
from engine.runtime.timing.kept_schedules import calendars_of, schedule_of
from engine.runtime.timing.scheduler import Scheduler
from engine.store.changes import Placed
from engine.store.filters import InstanceFilter
from engine.store.rows import DefinitionRow, InstanceRow

_NOT_BEGUN = (InstanceState.PLANNED, InstanceState.WAITING)
_PAGE = 10_000
COMMANDS: Mapping[str, Command] = {"online": "online", "offline": "offline", "deleted": "delete"}


@dataclass(frozen=True, slots=True)
class TaskMoves:
    """What one command makes of several tasks; ``refused`` if it may change none of them."""

    moves: tuple[StateMove, ...]
    rows: Mapping[str, DefinitionRow]
    coming: Mapping[str, Sequence[InstanceRow]] = field(default_factory=dict)  # that become offline
    dependants: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def refused(self) -> StateMove | None:
        return next((move for move in self.moves if move.refused is not None), None)

    def document(self) -> list[dict[str, Any]]:
        """``{task, from, to, refused, instances, dependants}`` of each."""
        return [
            {
                "task": move.task,
                "from": str(move.before),
                "to": str(move.after),
                "refused": said_refusal(move) if move.refused else None,
                "instances": [row.id for row in self.coming.get(move.task, ())],
                "dependants": list(self.dependants.get(move.task, ())),
            }
            for move in self.moves
        ]


def decided(services: EngineServices, tasks: Sequence[str], target: str) -> TaskMoves:
    """What would become of them; MISSING when there is no such task."""
    rows = {row.id: row for row in services.store.definitions("task")}
    if target not in COMMANDS:
        raise Refused(STATE_REFUSED, "no task can be made {state}: load it", where=tasks[0], state=target)
    for task in tasks:
        if task not in rows and not services.store.history("task", task):
            raise SkerryError.at(MISSING, "there is no task {where!r}", task)
    found = {id: _situation(services, row, id in tasks) for id, row in rows.items()}
    gone = TaskSituation(TaskState.DELETED, scheduled=False, fires=False)
    found |= {task: gone for task in tasks if task not in found}
    moves = moved(found, dict.fromkeys(tasks, COMMANDS[target]))
    dependants = {task: sorted(id for id, each in found.items() if task in each.upstreams) for task in tasks}
    coming = {move.task: not_begun(services, move.task) for move in moves if _leaves(move)}
    return TaskMoves(moves, {task: rows[task] for task in tasks if task in rows}, coming, dependants)


def _leaves(move: StateMove) -> bool:
    return move.before is TaskState.ONLINE and move.after is not move.before


def _situation(services: EngineServices, row: DefinitionRow, is_asked: bool) -> TaskSituation:
    content = row.content or {}
    return TaskSituation(
        TaskState(row.state or TaskState.INIT),
        scheduled=bool(content.get("schedule")),
        fires=not is_asked or _fires(services, row.id),
        upstreams=tuple(dict.fromkeys(each for each in upstreams_of(content) if each != row.id)),
    )


def _fires(services: EngineServices, task: str) -> bool:
    """Whether its schedule will fire, or nothing but people and conditions say when."""
    schedule, now = schedule_of(services.store, task), services.clock.now()
    if not isinstance(schedule, Schedule) or schedule.level == "condition":
        return True
    zone = ZoneInfo(services.workspace.zone.key)
    timetable = read_timetable(schedule, zone, calendars_of(services.store, schedule), now)
    return next_fire(timetable, now) is not None


def not_begun(services: EngineServices, task: str) -> list[InstanceRow]:
    """The instances of a task that are planned or wait for their first run."""
    which = InstanceFilter(task=task, statuses=tuple(map(str, _NOT_BEGUN)))
    return [row for row in services.store.instances(which, limit=_PAGE) if row.run == 0]


def move_tasks(
    services: EngineServices, scheduler: Scheduler, tasks: Sequence[str], target: str, actor: str
) -> TaskMoves:
    """All of them, or none; not on the loop's thread. Refused with the reason of the first that may not."""
    while True:
        written = services.store.definitions_written
        done = decided(services, tasks, target)
        if (refused := done.refused) is not None:
            raise Refused(STATE_REFUSED, said_refusal(refused), where=refused.task)
        if services.loop.ask(partial(_carry_out, services, scheduler, done, written, actor)):
            return done


def _carry_out(
    services: EngineServices, scheduler: Scheduler, done: TaskMoves, written: int, actor: str
) -> bool:
    """False when definitions were written meanwhile: then it is to be decided again."""
    if written != services.store.definitions_written:
        return False
    for move in done.moves:
        if move.before is not move.after:
            _write(services, move, done.rows[move.task], actor)
            _leave(scheduler, not_begun(services, move.task) if _leaves(move) else (), actor)
            _schedule(services, scheduler, move)
    services.loop.after_commit(scheduler.look)
    return True


def _write(services: EngineServices, move: StateMove, row: DefinitionRow, actor: str) -> None:
    changes = services.changes
    if move.after is TaskState.DELETED:
        changes.actor = actor
        changes.define(Placed("task", move.task, None, row.revision, state=str(TaskState.DELETED)))
        changes.act(actor, "delete", f"task {move.task}", revision=row.revision + 1)
    else:
        changes.move_task(move.task, str(move.before), str(move.after))
        changes.act(actor, "state", f"task {move.task}", state=str(move.after))


def _leave(scheduler: Scheduler, coming: Iterable[InstanceRow], actor: str) -> None:
    why = Reason.of(Kind.TASK_OFFLINE, by=actor)
    for row in coming:
        scheduler.launching.settle(row, InstanceState.OFFLINE, why)


def _schedule(services: EngineServices, scheduler: Scheduler, move: StateMove) -> None:
    """In the transaction of its state: the schedule that holds from now on, or holds no more."""
    if not scheduler.fires:  # then nobody has read them yet
        scheduler.kept.load()
    if move.after is TaskState.ONLINE:
        schedule = schedule_of(services.store, move.task)
        if schedule is not None:
            scheduler.kept.open(move.task, schedule)
    else:
        scheduler.kept.close(move.task)


def said_refusal(move: StateMove) -> Message:
    """Why a task's state may not change, in a sentence."""
    refusal = move.refused or Refusal("deleted")
    between = " -> " if refusal.kind == "cycle" else ", "
    facts = {"task": move.task, "state": str(move.before), "names": between.join(refusal.names)}
    template = _REFUSALS.get(refusal.kind, "task {task!r}: {names}")
    return Message.of(template, **{name: fact for name, fact in facts.items() if f"{{{name}" in template})


_REFUSALS = {
    "deleted": "task {task!r} is deleted: load it again",
    "never_online": "task {task!r} is {state}, it cannot become offline",
    "offline_first": "task {task!r} is {state}, it cannot become deleted: take it offline first",
    "depended_on": "task {task!r} is waited for by tasks that are online: {names}",
    "no_schedule": "task {task!r} has no schedule (or 'schedule: manual')",
    "never_fires": "the schedule of task {task!r} never fires",
    "upstream": "task {task!r} waits for tasks that are neither online nor offline: {names}",
    "cycle": "task {task!r} waits for itself: {names}",
}
