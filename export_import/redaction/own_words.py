"""Words that every bundle has: to take them out would make it unreadable, and hide nothing."""

from __future__ import annotations

from engine.model.states import AttemptState, InstanceState, JobState, Trigger
from engine.store.tables import TABLES

_OF_LINES = frozenset({
    "seq", "time", "run", "actor", "path", "old", "new", "value", "expression", "inputs", "why", "sum",
    "result", "output", "code", "message", "default", "item",
})  # fmt: skip
KEYS = frozenset(column.name for table in TABLES.values() for column in table.columns) | _OF_LINES


STATES = frozenset(str(each) for kind in (InstanceState, JobState, AttemptState, Trigger) for each in kind)


def is_own_word(secret: str) -> bool:
    """Whether it is a key or a state of our own files, or a part of one."""
    return any(secret in word for word in KEYS | STATES)
