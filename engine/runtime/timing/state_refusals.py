"""Why the state of a task may not change, in words and as an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.model.codes.commands import ONLINE_UNCHANGED, STATE_REFUSED
from engine.model.errors import Refused
from engine.model.message import Message
from engine.planning.schedules.life_cycle import Refusal, RefusalKind, StateMove

_REFUSALS: Mapping[RefusalKind, str] = {
    "deleted": "task {task!r} is deleted: load it again",
    "never_online": "task {task!r} is {state}, it cannot become offline",
    "offline_first": "task {task!r} is {state}, it cannot become deleted: take it offline first",
    "depended_on": "task {task!r} is waited for by tasks that are online: {names}",
    "no_schedule": "task {task!r} has no schedule (or 'schedule: manual')",
    "never_fires": "the schedule of task {task!r} never fires",
    "upstream": "task {task!r} waits for tasks that are neither online nor offline: {names}",
    "pairing": "task {task!r} cannot go online: {problem}",
    "cycle": "task {task!r} waits for itself: {names}",
    "unpaired": "tasks that are online could no longer wait for task {task!r}: {names}",
    "changed": "task {task!r} is online: its {key} cannot change",
}


def said_refusal(move: StateMove) -> Message:
    """The sentence; ``move`` was refused."""
    refusal = move.refused or Refusal("deleted")
    between = " -> " if refusal.kind == "cycle" else ", "
    first = refusal.names[0] if refusal.names else ""
    facts: dict[str, Any] = {
        "task": move.task,
        "state": Message.of(str(move.before)),
        "names": between.join(refusal.names),
        "problem": first,
        "key": first,
    }
    template = _REFUSALS[refusal.kind]
    return Message.of(template, **{name: fact for name, fact in facts.items() if f"{{{name}" in template})


def refused_command(move: StateMove) -> Refused:
    """Of a command: nothing changes."""
    return Refused(STATE_REFUSED, said_refusal(move), where=move.task)


def refused_definitions(move: StateMove) -> Refused:
    """Of definitions that come, or that are taken back: nothing of them does."""
    kind = move.refused.kind if move.refused else None
    if kind == "offline_first":
        return Refused.at(ONLINE_UNCHANGED, "task {where!r} is online: take it offline first", move.task)
    entry = ONLINE_UNCHANGED if kind == "changed" else STATE_REFUSED
    return Refused(entry, said_refusal(move), where=move.task)
