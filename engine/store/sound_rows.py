"""Rows as they are read: each against its checksum; one that is not what was written never passes for truth.

Where an instance is looked at or worked with, a damaged row is an error (ROW_DAMAGED). In lists of many
instances, exceptions, alerts, definitions or statistics a stand-in says so in its place, with the code
ROW_DAMAGED; the status of an instance is ``lost``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa

from engine.model.codes.store import ROW_DAMAGED
from engine.model.errors import SkerryError
from engine.model.times import has_offset
from engine.store.checksums import SUMMED
from engine.store.checksums import fits as row_fits
from engine.store.encoding import content_hash
from engine.store.rows import AlertRow, ExceptionRow, InstanceRow, StatRow
from engine.store.tables import TABLES

NO_TIME = "1970-01-01T00:00:00.000000+00:00"


@cache
def sound(dialect: str, table: str) -> sa.ColumnElement[bool]:
    """A column that says whether a row of the table fits its checksum."""
    return sa.literal_column(row_fits(dialect, SUMMED[table], f'"{table}"')).label(f"{table}_sound")


@cache
def selected(dialect: str, table: str) -> sa.Select[Any]:
    """All columns in the order of the row class, then whether the row is sound."""
    columns = SUMMED[table].c
    return sa.select(*(columns[each.name] for each in TABLES[table].columns), sound(dialect, table))


def damaged(table: str, key: Sequence[Any]) -> SkerryError:
    where = f"{table} {'/'.join(map(str, key))}"
    return SkerryError.at(ROW_DAMAGED, "{where}: the stored row does not fit its checksum", where)


def refuse_damaged(table: str, found: Sequence[Any]) -> None:
    """Raises ROW_DAMAGED for a row of ``selected`` that is not sound."""
    if not found[-1]:
        spec = TABLES[table]
        names = [each.name for each in spec.columns]
        raise damaged(table, [found[names.index(name)] for name in spec.key])


def fits(text: str, name: str, what: str) -> str:
    """The text, if it is the one with that hash; else ROW_DAMAGED."""
    if not isinstance(text, str) or content_hash(text) != name:
        raise SkerryError.at(ROW_DAMAGED, "{where}: the stored text does not fit its hash", what)
    return text


def stand_in(table: str, found: Sequence[Any]) -> Any:
    """What a list shows in the place of a damaged row."""
    values = dict(zip((each.name for each in TABLES[table].columns), found, strict=False))
    return _STAND_INS[table](values, damaged(table, [values["id"]]).message)


def damaged_statistic(kind: Any, id: Any) -> StatRow:
    """What a list of statistics shows in the place of a damaged one: nothing but the code."""
    return StatRow(_text(kind), _text(id), 0, 0, 0, 0.0, 0.0, {ROW_DAMAGED.number: 1})


def _instance(values: dict[str, Any], message: str) -> InstanceRow:
    return InstanceRow(
        id=values["id"],
        task=_text(values["task"]),
        status="lost",
        trigger="manual",
        scheduled_time=_time(values["scheduled_time"]),
        created_at=_time(values["created_at"]),
        error_code=ROW_DAMAGED.number,
        error_message=message,
    )


def _exception(values: dict[str, Any], message: str) -> ExceptionRow:
    made = _time(values["created_at"])
    return ExceptionRow(id=values["id"], code=ROW_DAMAGED.number, message=message, created_at=made)


def _alert(values: dict[str, Any], message: str) -> AlertRow:
    made = _time(values["created_at"])
    return AlertRow(values["id"], made, "database", "error", ROW_DAMAGED.number, message)


_STAND_INS: dict[str, Callable[[dict[str, Any], str], Any]] = {
    "instance": _instance,
    "exception": _exception,
    "alert": _alert,
}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "?"


def _time(value: Any) -> str:
    return value if has_offset(value) else NO_TIME
