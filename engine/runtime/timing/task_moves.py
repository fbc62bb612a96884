"""Tasks go online, offline or away: several together or not at all, with what becomes of their instances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from engine.model.codes.store import CONFLICT
from engine.model.errors import Refused
from engine.model.message import facts_of
from engine.model.reason import Kind, Reason
from engine.model.reason_words import said
from engine.model.states import InstanceState, TaskState
from engine.planning.schedules.life_cycle import Command, StateMove, moved
from engine.runtime.services import EngineServices
from engine.runtime.timing.existing import becoming, is_still
from engine.runtime.timing.kept_schedules import OnlineSchedule, prepared, schedule_in
from engine.runtime.timing.scheduler import Scheduler
from engine.runtime.timing.state_refusals import said_refusal
from engine.runtime.timing.task_graph import TaskGraph
from engine.store.changes import Placed
from engine.store.rows import DefinitionRow, InstanceRow

_AT_ONCE = 500  # instances that one turn takes offline: what runs goes on in between
_NOT_BEGUN = (InstanceState.PLANNED, InstanceState.WAITING)
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
        """``{task, from, to, refused, instances, dependants}`` of each; where refused with its facts."""
        return [self._document(move) for move in self.moves]

    def _document(self, move: StateMove) -> dict[str, Any]:
        refused = said_refusal(move) if move.refused else None
        return {
            "task": move.task,
            "from": str(move.before),
            "to": str(move.after),
            "refused": refused,
            "instances": [row.id for row in self.coming.get(move.task, ())],
            "dependants": list(self.dependants.get(move.task, ())),
            **({"refused_facts": facts_of(refused)} if refused else {}),
        }


def decided(services: EngineServices, graph: TaskGraph, commands: Mapping[str, Command]) -> TaskMoves:
    """What these commands make of tasks, together."""
    moves = moved(graph.situations(commands), commands)
    dependants = {task: graph.dependants(task) for task in commands}
    coming = not_begun(services, leaving(moves))
    return TaskMoves(
        moves, {task: graph.rows[task] for task in commands if task in graph.rows}, coming, dependants
    )


def leaving(moves: Iterable[StateMove]) -> list[str]:
    """The tasks that are online no more."""
    return [move.task for move in moves if move.before is TaskState.ONLINE and move.after is not move.before]


def not_begun(
    services: EngineServices, tasks: Sequence[str], states: Iterable[InstanceState] = _NOT_BEGUN
) -> dict[str, list[InstanceRow]]:
    """By task its instances that are planned or wait for a first run."""
    found = services.store.without_run(tasks, tuple(map(str, states)))
    return {task: [row for row in found.get(task, ()) if is_still(services, row)] for task in tasks}


def _waiting(services: EngineServices, tasks: Sequence[str]) -> dict[str, list[InstanceRow]]:
    """By task what waits for a first run, also where that is not in the store yet."""
    found = not_begun(services, tasks, [InstanceState.WAITING])
    for row in becoming(services, InstanceState.WAITING):
        of_task = found.get(row.task)
        if of_task is not None and all(each.id != row.id for each in of_task):
            of_task.append(row)
    return found


def schedules_of(services: EngineServices, done: TaskMoves) -> dict[str, OnlineSchedule]:
    """By task those that are to hold, with their first fire times; not on the loop's thread."""
    wanted = [move.task for move in done.moves if _comes(move)]
    read = ((task, schedule_in(task, done.rows[task].content)) for task in wanted)
    found = [(task, schedule) for task, schedule in read if schedule is not None]
    if not found:
        return {}
    now, first = services.clock.now(), services.store.next_id("schedule", len(found), owe=True)
    return {task: prepared(services, task, each, now, id) for id, (task, each) in enumerate(found, first)}


def _comes(move: StateMove) -> bool:
    return move.after is TaskState.ONLINE and move.before is not move.after


def carry_out(
    services: EngineServices,
    scheduler: Scheduler,
    done: TaskMoves,
    schedules: Mapping[str, OnlineSchedule],
    actor: str,
) -> None:
    """All of them in this turn; Refused when a task is not what it was at the decision (loop thread).

    What waits leaves with them. What is planned fires no more from here on, and leaves by ``take_offline``.
    """
    moves = [move for move in done.moves if move.before is not move.after]
    heads = {head.task: head for head in services.store.task_heads()}
    for move in moves:
        head, seen = heads.get(move.task), done.rows[move.task]
        if head is None or (head.revision, head.state) != (seen.revision, str(move.before)):
            raise Refused.at(CONFLICT, "task {where!r} was changed by another command meanwhile", move.task)
    waiting = _waiting(services, leaving(moves))
    if not scheduler.fires:  # then nobody has read them yet
        scheduler.kept.load()
    for task in leaving(moves):
        scheduler.ahead.taken_offline(task, actor)
    for move in moves:
        _write(services, move, done.rows[move.task], actor)
        _leave(scheduler, waiting.get(move.task, ()), actor)
        _schedule(scheduler, move, schedules.get(move.task), done.rows[move.task].revision)
        scheduler.launching.task_moved(move.task)
    services.loop.after_commit(scheduler.look)


def leaving_together(services: EngineServices, done: TaskMoves) -> Iterator[list[str]]:
    """The tasks that are online no more, so many that a turn is enough for what is planned of them.

    To be asked once they are so: until then more is made ahead than the decision saw.
    """
    tasks = leaving(done.moves)
    planned = not_begun(services, tasks, [InstanceState.PLANNED])
    some, count = list[str](), 0
    for task in tasks:
        some.append(task)
        count += len(planned[task]) + 1
        if count >= _AT_ONCE:
            yield some
            some, count = [], 0
    if some:
        yield some


def take_offline(services: EngineServices, tasks: Sequence[str], actor: str) -> None:
    """What is planned of tasks that are online no more goes offline (loop thread)."""
    planned, gone, why = InstanceState.PLANNED, InstanceState.OFFLINE, _offline(actor)
    for row in chain.from_iterable(not_begun(services, tasks, [planned]).values()):
        services.changes.move("instance", row.id, planned, gone, {"ended_at": services.now(), **said(why)})
        services.events.publish({"kind": "instance", "instance": row.id, "status": str(gone)})


def _write(services: EngineServices, move: StateMove, row: DefinitionRow, actor: str) -> None:
    changes = services.changes
    if move.after is TaskState.DELETED:
        changes.actor = actor
        gone = str(TaskState.DELETED)
        changes.define(Placed("task", move.task, None, row.revision, state=gone, before=str(move.before)))
        changes.act(actor, "delete", f"task {move.task}", revision=row.revision + 1)
    else:
        changes.move_task(move.task, str(move.before), str(move.after))
        changes.act(actor, "state", f"task {move.task}", state=str(move.after))


def _leave(scheduler: Scheduler, coming: Iterable[InstanceRow], actor: str) -> None:
    for row in coming:
        scheduler.launching.settle(row, InstanceState.OFFLINE, _offline(actor))


def _offline(actor: str) -> Reason:
    return Reason.of(Kind.TASK_OFFLINE, by=actor)


def _schedule(scheduler: Scheduler, move: StateMove, schedule: OnlineSchedule | None, revision: int) -> None:
    """In the transaction of its state: the schedule that holds from now on, or holds no more."""
    if move.after is not TaskState.ONLINE:
        scheduler.kept.close(move.task)
    elif schedule is not None:
        scheduler.kept.open(schedule).revision = revision
