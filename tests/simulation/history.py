"""What became durable in a life, and what of it broke a promise at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.model.states import (
    ATTEMPT_MOVES,
    INSTANCE_MOVES,
    JOB_MOVES,
    RUN_MOVES,
    AttemptState,
    InstanceState,
    JobState,
    RunState,
)
from engine.store.changes import Changes

_TABLES: Mapping[str, tuple[type[Any], Mapping[Any, frozenset[Any]]]] = {
    "job_instance": (JobState, JOB_MOVES),
    "job_run": (AttemptState, ATTEMPT_MOVES),
    "instance": (InstanceState, INSTANCE_MOVES),
    "run": (RunState, RUN_MOVES),
}
Note = Callable[[str], None]


class History:
    """The states of all rows so far, and every wrong that was seen."""

    def __init__(self) -> None:
        self.wrongs: list[str] = []
        self.states: dict[tuple[str, Any], Any] = {}
        self.moves: set[tuple[str, str, str]] = set()  # table, from, to: for the coverage
        self.faults: set[tuple[str, str]] = set()  # kind, the state of some job then

    def wrong(self, text: str) -> None:
        """A promise that was broken."""
        self.wrongs.append(text)

    def struck(self, kind: str) -> None:
        """A fault comes, while jobs are in these states."""
        found = {str(state) for (table, _), state in self.states.items() if table == "job_instance"}
        self.faults |= {(kind, state) for state in found or {"nothing"}}

    def committed(self, changes: Changes, note: Note) -> None:
        """Every state that was made durable must be one that the tables of moves lead to."""
        for rows in (changes.inserts, changes.updates):
            for table, found in rows.items():
                if table in _TABLES:
                    for key, row in found.items():
                        if "status" in row:
                            self._moved(table, key, row["status"], note)

    def _moved(self, table: str, key: Any, status: Any, note: Note) -> None:
        kind, moves = _TABLES[table]
        state, before = kind(status), self.states.get((table, key))
        self.states[table, key] = state
        if state is before:
            return
        note(f"{table} {key}: {before} -> {state}")
        self.moves.add((table, str(before), str(state)))
        if before is not None and state not in reached(moves, before):
            self.wrong(f"{table} {key}: {before} -> {state}")


def reached(moves: Mapping[Any, frozenset[Any]], state: Any) -> frozenset[Any]:
    """What a state may have become by the next commit: a turn may make several moves."""
    ahead, seen = [state], set[Any]()
    while ahead:
        for each in moves.get(ahead.pop(), frozenset()) - seen:
            seen.add(each)
            ahead.append(each)
    return frozenset(seen)
