"""One transaction's worth of changes, gathered in memory: many updates of a row become one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from engine.model.states import (
    ATTEMPT_MOVES,
    BACKFILL_MOVES,
    EXCEPTION_MOVES,
    INSTANCE_MOVES,
    JOB_MOVES,
    RUN_MOVES,
    STEP_MOVES,
    WORKER_MOVES,
)
from engine.store.encoding import content_hash, encoded, json_text, storable
from engine.store.rows import Act
from engine.store.tables import TABLES, Key, Table

Rows = dict[Key, dict[str, Any]]
MOVES: Mapping[str, Mapping[Any, Collection[str]]] = {  # by table: the states that may follow a state
    "instance": INSTANCE_MOVES,
    "run": RUN_MOVES,
    "job_instance": JOB_MOVES,
    "job_run": ATTEMPT_MOVES,
    "exception": EXCEPTION_MOVES,
    "backfill": BACKFILL_MOVES,
    "backfill_step": STEP_MOVES,
    "worker": WORKER_MOVES,
}
UNKNOWN: Any = object()  # the state of a row that changes say nothing about
_INITIAL = {
    "exception": "open",
    "backfill": "running",
    "backfill_step": "pending",
}  # the state of a row that is inserted without one
_NOTHING: Mapping[str, Any] = {}


@dataclass(slots=True)
class StatIncrement:
    """What one or more ended runs or executions add to the statistics."""

    counts: int = 0
    failed: int = 0
    success: int = 0
    total_execute_time: float = 0.0
    max_execute_time: float = 0.0
    codes: dict[int, int] = field(default_factory=dict)

    def add(self, ok: bool, seconds: float, code: int | None) -> None:
        """Count one more end."""
        self.counts += 1
        self.success += ok
        self.failed += not ok
        self.total_execute_time += seconds
        self.max_execute_time = max(self.max_execute_time, seconds)
        if code is not None:
            self.codes[code] = self.codes.get(code, 0) + 1

    def totals(self) -> dict[str, Any]:
        """What is added to each column of the row; those of the codes have rows of their own."""
        return {
            "counts": self.counts,
            "failed": self.failed,
            "success": self.success,
            "total_execute_time": self.total_execute_time,
            "max_execute_time": self.max_execute_time,
        }


class Placed(NamedTuple):
    """A definition that is to be current with exactly this content (None: that is to be gone).

    ``expected`` is the revision that must be current, None: there must be none. ``position`` is its place
    among those of its kind; ``state`` that of a task, ``before`` the one that it must be in, None: any.
    """

    kind: str
    id: str
    content: Any
    expected: int | None
    project: str | None = None
    position: int = 0
    state: str | None = None
    before: str | None = None


class TaskMove(NamedTuple):
    """Another life-cycle state of a task that is in the state ``before``."""

    task: str
    before: str | None  # None: whatever it is in
    after: str


@dataclass(slots=True, eq=False)
class Changes:
    """Inserts, updates, context lines and statistics that become durable together, or not at all.

    Values are taken over at once: changing a dict after it was handed in changes nothing. JSON columns
    (params, results …) take JSON trees, time columns aware datetimes or texts of ``rows.time_text``.
    """

    inserts: dict[str, Rows] = field(default_factory=dict)
    updates: dict[str, Rows] = field(default_factory=dict)
    removals: dict[tuple[str, Key], str | None] = field(default_factory=dict)  # with the state of each
    # the state in which a row must be for its update
    expected: dict[tuple[str, Key], str | None] = field(default_factory=dict)
    lines: list[tuple[int, int, str]] = field(default_factory=list)
    stats: dict[tuple[str, str], StatIncrement] = field(default_factory=dict)
    snapshots: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    definitions: list[Placed] = field(default_factory=list)
    task_moves: list[TaskMove] = field(default_factory=list)
    actor: str | None = None  # who changes the definitions
    acts: list[Act] = field(default_factory=list)

    def insert(self, table: str, row: Mapping[str, Any]) -> None:
        """A new row; ValueError if these changes have that row already."""
        spec = TABLES[table]
        key = spec.key_of(row)
        if key in self.inserts.get(table, ()) or key in self.updates.get(table, ()):
            raise ValueError(f"{table} {key} is there already")
        self.inserts.setdefault(table, {})[key] = encoded(spec, row)

    def update(self, table: str, key: Key, values: Mapping[str, Any]) -> None:
        """New values for some columns of the row with that primary key (never of the key itself).

        Its state is changed by :meth:`move` alone.
        """
        if TABLES[table].state in values:
            raise ValueError(f"the state of a row of {table} is changed by move")
        self._update(table, key, values)

    def move(
        self, table: str, key: Key, before: str | None, after: str, values: Mapping[str, Any] = _NOTHING
    ) -> None:
        """Another state, with what goes with it, of a row that is in the state ``before``.

        When it is in another one, nothing of these changes is committed (OTHER_STATE); ValueError when these
        changes themselves have given it another one, or the move is not one of the table's. The state of an
        alert is when it was acknowledged, that of a schedule when it was over, None before.
        """
        if not _may_follow(table, before, after):
            raise ValueError(f"{table} {key}: {before} -> {after} is not a move")
        known = self.state(table, key)
        if known is UNKNOWN:
            self.expected[table, key] = None if before is None else str.__str__(before)
        elif known != before:
            raise ValueError(f"{table} {key} is {known}, not {before}, and cannot become {after}")
        self._update(table, key, {TABLES[table].state: after, **values})

    def remove(self, table: str, key: Key, state: str | None) -> None:
        """Forget a row that is in a state, with what refers to it; one that these changes made is not made.

        When it is not there, or in another state, nothing of these changes is committed; ValueError when
        these changes themselves have given it another one.
        """
        known = self.state(table, key)
        if known is not UNKNOWN and known != state:
            raise ValueError(f"{table} {key} is {known}, not {state}, and cannot be removed")
        if table == "instance":
            self._drop_links(key)
        if self.inserts.get(table, {}).pop(key, None) is not None:
            return
        before = self.expected.pop((table, key), state)
        self.updates.get(table, {}).pop(key, None)
        self.removals[table, key] = None if before is None else str.__str__(before)

    def _drop_links(self, instance: Key) -> None:
        """What of these changes refers to an instance without a run."""
        for rows in (self.inserts.get("link", {}), self.updates.get("link", {})):
            for key in [key for key in rows if isinstance(key, tuple) and key[0] == instance]:
                del rows[key]

    def state(self, table: str, key: Key) -> Any:
        """The state that these changes give a row; UNKNOWN: the one that the store has."""
        spec = TABLES[table]
        new = self.inserts.get(table)
        if new and key in new:
            return new[key].get(spec.state, _INITIAL.get(table))
        changed = self.updates.get(table)
        return changed[key].get(spec.state, UNKNOWN) if changed and key in changed else UNKNOWN

    def moved(self, table: str) -> Iterator[Key]:
        """The rows of a table to which these changes give a state."""
        state = TABLES[table].state
        for rows in (self.inserts.get(table, {}), self.updates.get(table, {})):
            yield from (key for key, values in rows.items() if state in values)

    def _update(self, table: str, key: Key, values: Mapping[str, Any]) -> None:
        spec = TABLES[table]
        _check_key(spec, key, values)
        new = self.inserts.get(table)
        pending = new.get(key) if new else None
        if pending is None:
            pending = self.updates.setdefault(table, {}).setdefault(key, {})
        pending.update(encoded(spec, values))

    def line(self, instance: int, seq: int, text: str) -> None:
        """One line of an instance's context log, without its newline."""
        self.lines.append((instance, seq, storable(text)))

    def stat(
        self, kind: Literal["task", "job"], obj_id: str, ok: bool, seconds: float, code: int | None = None
    ) -> None:
        """Count one ended run of a task or one ended execution of a job, with its error code if it failed."""
        self.stats.setdefault((kind, obj_id), StatIncrement()).add(ok, seconds, code)

    def snapshot(self, raw: Mapping[str, Any]) -> str:
        """Keep the definitions that a run uses (equal ones once); gives the hash for ``run.snapshot``."""
        text = json_text(raw)
        name = content_hash(text)
        self.snapshots[name] = text
        return name

    def define(self, placed: Placed) -> None:
        """A definition as it is to be; nothing is committed when not the expected revision is current."""
        self.definitions.append(placed)

    def move_task(self, task: str, before: str | None, after: str) -> None:
        """Another state of a task that stays; nothing is committed when it is not in ``before``."""
        self.task_moves.append(TaskMove(task, before, after))

    def act(self, actor: str, action: str, subject: str, **details: Any) -> None:
        """A row of the audit; ``details`` are JSON values."""
        self.acts.append(Act(actor, action, subject, details))

    def setting(self, name: str, value: Any) -> None:
        """Remember a JSON value under a name."""
        self.settings[name] = json_text(value)

    def __len__(self) -> int:
        """How many rows these changes touch."""
        rows = sum(map(len, self.inserts.values())) + sum(map(len, self.updates.values()))
        more = (self.lines, self.stats, self.snapshots, self.settings, self.definitions, self.task_moves,
                self.removals)  # fmt: skip
        return rows + sum(map(len, more)) + len(self.acts)

    def __bool__(self) -> bool:
        rows = self.inserts or self.updates or self.removals
        kept = rows or self.lines or self.stats or self.snapshots
        return bool(kept or self.settings or self.definitions or self.task_moves or self.acts)


def _may_follow(table: str, before: str | None, after: str) -> bool:
    if table not in MOVES:  # acknowledged once, over once: at whatever time
        return before is None
    return after == before or after in MOVES[table].get(before, ())


def _check_key(table: Table, key: Key, values: Mapping[str, Any]) -> None:
    if (len(key) if isinstance(key, tuple) else 1) != len(table.key):
        raise ValueError(f"the key of {table.name} is {', '.join(table.key)}, not {key!r}")
    if not values.keys().isdisjoint(table.key):
        raise ValueError(f"the key of {table.name} cannot be changed")
