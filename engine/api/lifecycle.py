"""Which moves a task's life-cycle allows, and what may not change while it is online (contract 2.3); pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.model.codes.commands import ONLINE_UNCHANGED, STATE_REFUSED
from engine.model.errors import Refused
from engine.model.states import TaskState

_MOVES = {
    TaskState.ONLINE: {TaskState.INIT, TaskState.OFFLINE, TaskState.ONLINE},
    TaskState.OFFLINE: {TaskState.ONLINE, TaskState.OFFLINE},
    TaskState.DELETED: {TaskState.INIT, TaskState.OFFLINE},
}
_KEPT = ("schedule", "depends_on")


def check_move(task: str, state: str | None, wanted: TaskState, tree: Mapping[str, Any]) -> None:
    """Refused when a task in ``state`` (None: init) with that definition cannot become ``wanted``."""
    now = TaskState(state or TaskState.INIT)
    if now not in _MOVES.get(wanted, ()):
        raise Refused(STATE_REFUSED, f"task {task!r} is {now}, it cannot become {wanted}", where=task)
    if wanted is TaskState.ONLINE and not tree.get("schedule"):
        raise Refused(STATE_REFUSED, f"task {task!r} has no schedule (or 'schedule: manual')", where=task)


def check_online(
    task: str, state: str | None, old: Mapping[str, Any], new: Mapping[str, Any], keys: Iterable[str] = _KEPT
) -> None:
    """Refused when a new definition changes schedule or dependencies of a task that is online."""
    if state != TaskState.ONLINE:
        return
    for key in keys:
        if old.get(key) != new.get(key):
            raise Refused(ONLINE_UNCHANGED, f"task {task!r} is online: its {key} cannot change", where=task)
