"""The few statement shapes that are written again and again: compiled by SQLAlchemy once, then plain SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any, NamedTuple

import sqlalchemy as sa

from engine.store import schema
from engine.store.backend import Backend, Cursor
from engine.store.tables import TABLES

Values = tuple[Any, ...]


class Compiled(NamedTuple):
    """SQL with positional parameters, and how to put a mapping of values into their order."""

    sql: str
    in_order: Callable[[Mapping[str, Any]], Values]

    def run(self, cursor: Cursor, values: Mapping[str, Any]) -> None:
        cursor.execute(self.sql, self.in_order(values))


class Statements:
    """Compiles for one database and remembers by shape: verb, table and the columns that are given."""

    def __init__(self, backend: Backend) -> None:
        self._dialect = backend.dialect
        self._shapes: dict[tuple[str, ...], Compiled] = {}
        excluded = backend.upsert(schema.execute_stat)
        self.add_stat = self.compile(_add_stat(excluded))
        self.add_stat_code = self.compile(_add_stat_code(backend.upsert(schema.execute_stat_code)))
        self.keep_snapshot = self.compile(given(backend.upsert(schema.snapshot)).on_conflict_do_nothing())
        self.put_setting = self.compile(_replace(backend.upsert(schema.setting), "value"))
        self.line = self.compile(_insert(schema.context_line, ("id", "text")))
        self.reserve_ids = self.compile(_reserve_ids(backend.upsert(schema.id_block)))
        self.skip_ids = self.compile(_skip_ids(backend.upsert(schema.id_block)))
        self.return_ids = self.compile(_return_ids())
        self.remove_lines = self.compile(_remove_lines())
        self.remove_exceptions = self.compile(_remove(schema.exception, "instance"))
        self.remove_alerts = self.compile(_remove(schema.alert, "instance"))
        self.remove_runs = self.compile(_remove(schema.run, "instance"))
        self.remove_jobs = self.compile(_remove(schema.job_instance, "instance"))
        self.remove_instance = self.compile(_remove(schema.instance, "id"))
        self.remove_snapshots = self.compile(_remove_unused_snapshots())

    def compile(self, statement: Any) -> Compiled:
        """A Core statement as SQL of this database; its parameters are named by their ``bindparam``."""
        compiled = statement.compile(dialect=self._dialect)
        return Compiled(str(compiled), getter(tuple(compiled.positiontup or ())))

    def insert(self, table: str, columns: tuple[str, ...]) -> Compiled:
        """INSERT of one row with these columns."""
        shape = ("insert", table, *columns)
        if (found := self._shapes.get(shape)) is None:
            found = self._shapes[shape] = self.compile(_insert(schema.metadata.tables[table], columns))
        return found

    def update(self, table: str, columns: tuple[str, ...], *, expects: bool = False) -> Compiled:
        """UPDATE of these columns in one row; the values of its key follow those of the columns.

        With ``expects`` the state that it must have follows, else the row is not found.
        """
        shape = ("move" if expects else "update", table, *columns)
        if (found := self._shapes.get(shape)) is None:
            compiled = _update(table, columns, expects).compile(dialect=self._dialect)
            names = tuple(compiled.positiontup or ())[: len(columns)]
            found = self._shapes[shape] = Compiled(str(compiled), getter(names))
        return found

    def remove(self, table: str) -> Compiled:
        """DELETE of one row; the values of its key, then the state that it must have."""
        shape = ("remove", table)
        if (found := self._shapes.get(shape)) is None:
            spec, columns = TABLES[table], schema.metadata.tables[table].c
            here = [columns[name] == sa.bindparam(f"of_{name}") for name in spec.key]
            compiled = sa.delete(schema.metadata.tables[table]).where(*here, _in_state(columns[spec.state]))
            found = self._shapes[shape] = self.compile(compiled)
        return found


def _in_state(state: Any) -> Any:
    expected: Any = sa.bindparam(f"of_{state.name}")
    return state.is_not_distinct_from(expected) if state.nullable else state == expected


def getter(names: tuple[str, ...]) -> Callable[[Mapping[str, Any]], Values]:
    """Puts the values of these names, of any mapping, into their order."""
    if len(names) == 1:
        [name] = names
        return lambda row: (row[name],)
    return itemgetter(*names) if names else lambda row: ()


def _insert(table: sa.Table, columns: Iterable[str]) -> Any:
    return sa.insert(table).values({name: sa.bindparam(name) for name in columns})


def _update(name: str, columns: Iterable[str], expects: bool) -> Any:
    table = schema.metadata.tables[name]
    here = [table.c[key] == sa.bindparam(f"of_{key}") for key in TABLES[name].key]
    if expects:
        here.append(_in_state(table.c[TABLES[name].state]))
    return sa.update(table).where(*here).values({column: sa.bindparam(column) for column in columns})


def given(statement: Any) -> Any:
    """All columns of the table of an INSERT as parameters of their names; a trigger adds the checksum."""
    names = [column.name for column in statement.table.c if column.name != schema.SUM]
    return statement.values({name: sa.bindparam(name) for name in names})


def _replace(statement: Any, *columns: str) -> Any:
    key = list(statement.table.primary_key)
    return given(statement).on_conflict_do_update(
        index_elements=key, set_={name: statement.excluded[name] for name in columns}
    )


def _add_stat(statement: Any) -> Any:
    old, new = statement.table.c, statement.excluded
    sums = ("counts", "failed", "success", "total_execute_time")
    added = {name: old[name] + new[name] for name in sums}
    longest = sa.case(
        (new.max_execute_time > old.max_execute_time, new.max_execute_time), else_=old.max_execute_time
    )
    return given(statement).on_conflict_do_update(
        index_elements=[old.kind, old.id], set_={**added, "max_execute_time": longest}
    )


def _add_stat_code(statement: Any) -> Any:
    old, new = statement.table.c, statement.excluded
    return given(statement).on_conflict_do_update(
        index_elements=[old.kind, old.id, old.code], set_={"counts": old.counts + new.counts}
    )


def _reserve_ids(statement: Any) -> Any:
    """Gives the id behind the block; a first block ends at ``next``, a later one is ``count`` further."""
    next_ = statement.table.c.next
    return (
        statement.values(name=sa.bindparam("name"), next=sa.bindparam("next"))
        .on_conflict_do_update(index_elements=["name"], set_={"next": next_ + sa.bindparam("count")})
        .returning(next_)
    )


def _skip_ids(statement: Any) -> Any:
    old, new = statement.table.c.next, statement.excluded.next
    higher = sa.case((new > old, new), else_=old)
    return given(statement).on_conflict_do_update(index_elements=["name"], set_={"next": higher})


def _return_ids() -> Any:
    block = schema.id_block
    still_last = (block.c.name == sa.bindparam("of_name"), block.c.next == sa.bindparam("of_next"))
    return sa.update(block).where(*still_last).values(next=sa.bindparam("next"))


def _remove(table: sa.Table, column: str) -> Any:
    return sa.delete(table).where(table.c[column] == sa.bindparam(f"of_{column}"))


def _remove_lines() -> Any:
    id_ = schema.context_line.c.id
    return sa.delete(schema.context_line).where(id_ >= sa.bindparam("low"), id_ < sa.bindparam("high"))


def _remove_unused_snapshots() -> Any:
    used = sa.exists().where(schema.run.c.snapshot == schema.snapshot.c.hash)
    return sa.delete(schema.snapshot).where(~used)
