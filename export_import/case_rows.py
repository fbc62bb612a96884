"""Rows from another site: each value is checked against its column before anything shows it."""

from __future__ import annotations

from collections.abc import Mapping
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
    for column in TABLES[table].columns:
        if column.name in row and not _fits(column, row[column.name]):
            raise ValueError(f"{table}.{column.name} cannot be {str(row[column.name])[:60]!r}")
    if table in _STATES:
        _STATES[table](row["status"])


def _fits(column: Column, value: Any) -> bool:
    if value is None:
        return column.nullable
    kinds: Any = _KINDS[column.kind]
    if not isinstance(value, kinds) or (column.kind == "int" and not _is_number(value)):
        return False
    is_time = column.name.endswith("_at") or column.name == "scheduled_time"
    return not is_time or _is_time(value)


def _is_number(value: Any) -> bool:
    return type(value) is int and -_LARGEST < value < _LARGEST


def _is_time(value: Any) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False
