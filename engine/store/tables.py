"""The tables of state, described without a database library: their row classes say what the columns are."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from engine.model.message import FACTS
from engine.store.rows import (
    AlertRow,
    AttemptRow,
    BackfillRow,
    BackfillStepRow,
    ExceptionRow,
    InstanceRow,
    JobRow,
    LinkRow,
    RunRow,
    ScheduleRow,
    WorkerRow,
)

VERSION = 8  # of all tables; migrations make it of the one before

Key = int | str | tuple[int | str, ...]  # the value of the primary key; a tuple where it has several columns
ColumnKind = Literal["int", "text", "bool", "json"]
_KINDS: dict[str, ColumnKind] = {"int": "int", "str": "text", "bool": "bool", "dict": "json", "list": "json"}
REQUIRED: Any = dataclasses.MISSING


class ColumnSpec(NamedTuple):
    """One field of a row class; ``default`` is REQUIRED where a value must be given."""

    name: str
    kind: ColumnKind
    nullable: bool
    default: Any


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose rows have the fields of ``row``; ``json`` names the columns kept as JSON text.

    ``state`` is the column that ``Changes.move`` alone changes; ``messages`` are those that have what their
    messages are made from in a column of its own.
    """

    name: str
    row: type
    key: tuple[str, ...]
    columns: tuple[ColumnSpec, ...]
    json: frozenset[str]
    state: str
    messages: tuple[tuple[str, str], ...]

    def key_of(self, row: Mapping[str, Any]) -> Key:
        """The primary key of a row: one value, or a tuple of them."""
        return row[self.key[0]] if len(self.key) == 1 else tuple(row[name] for name in self.key)


def _columns(row: type) -> Iterator[ColumnSpec]:
    for field in dataclasses.fields(row):
        annotation = str(field.type)
        kind = _KINDS[annotation.split("[")[0].split(" ")[0]]
        make = field.default_factory
        default = field.default if make is dataclasses.MISSING else make()
        yield ColumnSpec(field.name, kind, "None" in annotation, default)


def _table(name: str, row: type, *key: str, state: str = "status") -> Table:
    columns = tuple(_columns(row))
    json = frozenset(column.name for column in columns if column.kind == "json")
    messages = tuple((text, facts) for text, facts in FACTS.items() if facts in json)
    return Table(name, row, key, columns, json, state, messages)


TABLES: Mapping[str, Table] = {  # in the order in which rows refer to each other
    table.name: table
    for table in (
        _table("instance", InstanceRow, "id"),
        _table("run", RunRow, "instance", "run"),
        _table("job_instance", JobRow, "id"),
        _table("job_run", AttemptRow, "job_instance", "attempt"),
        _table("exception", ExceptionRow, "id"),
        _table("alert", AlertRow, "id", state="acknowledged_at"),
        _table("schedule", ScheduleRow, "id", state="until"),
        _table("link", LinkRow, "instance", "upstream", state="decided_at"),
        _table("backfill", BackfillRow, "id"),
        _table("backfill_step", BackfillStepRow, "backfill", "position"),
        _table("worker", WorkerRow, "name", state="state"),
    )
}
