"""Tasks go online, offline or away: several together or not at all, with what becomes of their instances."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.model.codes.store import CONFLICT
from engine.model.errors import Refused
from engine.model.message import facts_of
from engine.model.reason import Kind, Reason
from engine.model.states import InstanceState, TaskState
from engine.planning.schedules.life_cycle import Command, StateMove, moved
from engine.runtime.services import EngineServices
from engine.runtime.timing.kept_schedules import OnlineSchedule, prepared, schedule_in
from engine.runtime.timing.scheduler import Scheduler
from engine.runtime.timing.state_refusals import said_refusal
from engine.runtime.timing.task_graph import TaskGraph
from engine.store.changes import UNKNOWN, Placed
from engine.store.rows import DefinitionRow, InstanceRow

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
    coming = not_begun(services, moves)
    return TaskMoves(
        moves, {task: graph.rows[task] for task in commands if task in graph.rows}, coming, dependants
    )


def _leaves(move: StateMove) -> bool:
    return move.before is TaskState.ONLINE and move.after is not move.before


def not_begun(services: EngineServices, moves: Iterable[StateMove]) -> dict[str, list[InstanceRow]]:
    """By task the instances that are planned or wait for a first run, of those that are online no more."""
    leaving = [move.task for move in moves if _leaves(move)]
    found = services.store.without_run(leaving, tuple(map(str, _NOT_BEGUN)))
    return {task: [row for row in found.get(task, ()) if _is_still(services, row)] for task in leaving}


def _is_still(services: EngineServices, row: InstanceRow) -> bool:
    """Not while another state of it is decided and not in the store yet, for example on a full disk."""
    return services.changes.state("instance", row.id) in (UNKNOWN, row.status)


def schedules_of(services: EngineServices, done: TaskMoves) -> dict[str, OnlineSchedule]:
    """By task those that are to hold, with their first fire times; not on the loop's thread."""
    wanted = [move.task for move in done.moves if _comes(move)]
    found = {task: schedule_in(task, done.rows[task].content) for task in wanted}
    now = services.clock.now()
    return {task: prepared(services, task, each, now) for task, each in found.items() if each is not None}


def _comes(move: StateMove) -> bool:
    return move.after is TaskState.ONLINE and move.before is not move.after


def carry_out(
    services: EngineServices,
    scheduler: Scheduler,
    done: TaskMoves,
    schedules: Mapping[str, OnlineSchedule],
    actor: str,
) -> None:
    """All of them in this turn; Refused when a task is not what it was at the decision (loop thread)."""
    moves = [move for move in done.moves if move.before is not move.after]
    heads = {head.task: head for head in services.store.task_heads()}
    for move in moves:
        head, seen = heads.get(move.task), done.rows[move.task]
        if head is None or (head.revision, head.state) != (seen.revision, str(move.before)):
            raise Refused.at(CONFLICT, "task {where!r} was changed by another command meanwhile", move.task)
    coming = not_begun(services, moves)
    if not scheduler.fires:  # then nobody has read them yet
        scheduler.kept.load()
    for move in moves:
        _write(services, move, done.rows[move.task], actor)
        _leave(scheduler, coming.get(move.task, ()), actor)
        _schedule(scheduler, move, schedules.get(move.task))
        scheduler.launching.task_moved(move.task)
    services.loop.after_commit(scheduler.look)


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
    why = Reason.of(Kind.TASK_OFFLINE, by=actor)
    for row in coming:
        scheduler.launching.settle(row, InstanceState.OFFLINE, why)


def _schedule(scheduler: Scheduler, move: StateMove, schedule: OnlineSchedule | None) -> None:
    """In the transaction of its state: the schedule that holds from now on, or holds no more."""
    if move.after is not TaskState.ONLINE:
        scheduler.kept.close(move.task)
    elif schedule is not None:
        scheduler.kept.open(schedule)
