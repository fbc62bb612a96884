"""The life-cycle of tasks: what commands make of the states of several at once, or why nothing changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from engine.model.states import TaskState
from engine.planning.dag import cycles, turned

Command = Literal["load", "online", "offline", "delete"]
RefusalKind = Literal[
    "deleted",  # load makes it init again
    "never_online",  # what is in init cannot go offline
    "offline_first",  # what is online cannot be deleted
    "depended_on",  # by tasks that are online: names
    "no_schedule",
    "never_fires",
    "upstream",  # neither online nor offline: names
    "pairing",  # dependencies that cannot be matched: what is wrong with each
    "cycle",  # names, in the order of waiting
    "unpaired",  # loaded so that tasks that are online could no longer wait for it: names
    "changed",  # schedule or dependencies of what is online: names of the keys
]

_S = TaskState
# What each command makes of each state; a refusal by its kind.
_TABLE: Mapping[tuple[Command, TaskState], TaskState | RefusalKind] = {
    ("load", _S.INIT): _S.INIT,
    ("load", _S.ONLINE): _S.ONLINE,
    ("load", _S.OFFLINE): _S.OFFLINE,
    ("load", _S.DELETED): _S.INIT,
    ("online", _S.INIT): _S.ONLINE,
    ("online", _S.ONLINE): _S.ONLINE,
    ("online", _S.OFFLINE): _S.ONLINE,
    ("online", _S.DELETED): "deleted",
    ("offline", _S.INIT): "never_online",
    ("offline", _S.ONLINE): _S.OFFLINE,
    ("offline", _S.OFFLINE): _S.OFFLINE,
    ("offline", _S.DELETED): "deleted",
    ("delete", _S.INIT): _S.DELETED,
    ("delete", _S.ONLINE): "offline_first",
    ("delete", _S.OFFLINE): _S.DELETED,
    ("delete", _S.DELETED): _S.DELETED,
}


@dataclass(frozen=True, slots=True)
class TaskSituation:
    """A task as the table needs it: its present state, and what its definition says.

    ``upstreams``: the tasks that it waits for, itself left out. ``problems``: pairings that are not allowed.
    ``fires``: whether its schedule will fire, or is ``manual``. ``changed``: the keys among ``schedule`` and
    ``depends_on`` that a file gives another meaning. ``given``: what a file says of a task that is new.
    """

    state: TaskState
    scheduled: bool
    fires: bool
    upstreams: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    given: TaskState = TaskState.INIT


class Refusal(NamedTuple):
    """Why a task's state cannot change; ``names``: tasks, or what is wrong with the pairings."""

    kind: RefusalKind
    names: tuple[str, ...] = ()


class StateMove(NamedTuple):
    """What a command makes of a task: its state before and after, the same where nothing changes."""

    task: str
    before: TaskState
    after: TaskState
    refused: Refusal | None = None


def moved(tasks: Mapping[str, TaskSituation], commands: Mapping[str, Command]) -> tuple[StateMove, ...]:
    """What commands that take effect together make of each named task; if one is refused, none changes.

    ``tasks``: all of the workspace, or at least those named, with all that they wait for and all that wait
    for them, over any number of steps, with the definitions that are to come. A task that is new is given
    as ``deleted``.
    """
    wanted = {task: _target(command, tasks[task]) for task, command in commands.items()}
    after = {
        task: target if isinstance(target := wanted.get(task, each.state), TaskState) else each.state
        for task, each in tasks.items()
    }
    outlook = _outlook(tasks, after)
    return tuple(
        _refused(task, tasks, refusal) if refusal else StateMove(task, tasks[task].state, after[task])
        for task, target in wanted.items()
        for refusal in [_refusal(task, commands[task], target, outlook)]
    )


class _Outlook(NamedTuple):
    """``after``: all states when the commands have taken effect; ``upstreams``: those that are there."""

    tasks: Mapping[str, TaskSituation]
    after: Mapping[str, TaskState]
    upstreams: Mapping[str, Sequence[str]]
    dependants: Mapping[str, Sequence[str]]
    circular: bool  # whether any tasks wait for themselves


def _outlook(tasks: Mapping[str, TaskSituation], after: Mapping[str, TaskState]) -> _Outlook:
    upstreams = {id: [each for each in task.upstreams if each in tasks] for id, task in tasks.items()}
    return _Outlook(tasks, after, upstreams, turned(upstreams), bool(cycles(upstreams)))


def _target(command: Command, task: TaskSituation) -> TaskState | RefusalKind:
    if command == "load" and task.state is TaskState.DELETED:
        return task.given
    return _TABLE[command, task.state]


def _refused(task: str, tasks: Mapping[str, TaskSituation], refusal: Refusal) -> StateMove:
    state = tasks[task].state
    return StateMove(task, state, state, refusal)


def _refusal(
    task: str, command: Command, target: TaskState | RefusalKind, outlook: _Outlook
) -> Refusal | None:
    """None where the task may change."""
    each = outlook.tasks[task]
    if not isinstance(target, TaskState):
        return Refusal(target)
    if target is TaskState.ONLINE and each.state is TaskState.ONLINE:
        return Refusal("changed", each.changed) if each.changed else None
    if target is TaskState.ONLINE:
        return next(_against_online(task, outlook), None)
    waiting = sorted(id for id in outlook.dependants[task] if outlook.after[id] is TaskState.ONLINE)
    if target is TaskState.DELETED:
        return Refusal("depended_on", tuple(waiting)) if waiting else None
    return next(_against_loading(task, waiting, outlook), None) if command == "load" else None


def _against_loading(task: str, waiting: Sequence[str], outlook: _Outlook) -> Iterator[Refusal]:
    """``waiting``: the tasks that are online and wait for this one, which is not."""
    unpaired = tuple(id for id in waiting if outlook.tasks[id].problems)
    if unpaired:
        yield Refusal("unpaired", unpaired)
    if waiting and (path := _cycle_before(task, outlook)):
        yield Refusal("cycle", path)


def _against_online(task: str, outlook: _Outlook) -> Iterator[Refusal]:
    each, ready = outlook.tasks[task], (TaskState.ONLINE, TaskState.OFFLINE)
    if not each.scheduled:
        yield Refusal("no_schedule")
    elif not each.fires:
        yield Refusal("never_fires")
    unready = [id for id in each.upstreams if outlook.after.get(id) not in ready]
    if unready:
        yield Refusal("upstream", tuple(unready))
    if each.problems:
        yield Refusal("pairing", each.problems)
    if path := _cycle_before(task, outlook):
        yield Refusal("cycle", path)


def _cycle_before(task: str, outlook: _Outlook) -> tuple[str, ...]:
    """A cycle among what a task waits for, over any number of steps; empty where there is none."""
    reached: dict[str, Sequence[str]] = {}
    pending = [task] if outlook.circular else []
    while pending:
        id = pending.pop()
        if id not in reached:
            reached[id] = outlook.upstreams[id]
            pending += reached[id]
    return next((tuple(path) for path in cycles(reached)), ())
