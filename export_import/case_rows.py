"""Rows from another site: each value is checked against its column before anything shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from engine.model.states import AttemptState, InstanceState, JobState, RunState
from engine.store.tables import TABLES, Column

_KINDS: Mapping[str, type | tuple[type, ...]] = {"int": int, "text": str, "bool": bool, "json": (dict, list)}
_STATES: Mapping[str, type] = {
    "instance": InstanceState,
    "run": RunState,
    "job_instance": JobState,
    "job_run": AttemptState,
}
_LARGEST = 1 << 62


def check_row(table: str, row: Mapping[str, Any]) -> None:
    """ValueError unless every value is one that its column may hold (a missing one is no matter here)."""
    fits = _COLUMNS[table]
    for name, value in row.items():
        if not fits[name](value):
            raise ValueError(f"{table}.{name} cannot be {str(value)[:60]!r}")
    if table in _STATES:
        _STATES[table](row["status"])


def _is_number(value: Any) -> bool:
    return type(value) is int and -_LARGEST < value < _LARGEST


def _is_time(value: Any) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _check_of(column: Column) -> Callable[[Any], bool]:
    """Whether a value fits that column; there may be a hundred thousand rows."""
    kinds: Any = _KINDS[column.kind]
    is_time = column.name.endswith("_at") or column.name == "scheduled_time"

    def fits(value: Any) -> bool:
        if value is None:
            return column.nullable
        if column.kind == "int":
            return _is_number(value)
        return isinstance(value, kinds) and (not is_time or _is_time(value))

    return fits


_COLUMNS = {
    name: {column.name: _check_of(column) for column in table.columns} for name, table in TABLES.items()
}
