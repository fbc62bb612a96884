"""Queries of which only the parameters ever differ: compiled by SQLAlchemy once, then plain SQL."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from engine.store.backend import Cursor
from engine.store.statements import Compiled, getter

Convert = Callable[[Any], Any]


class _Plan(NamedTuple):
    """The query in the SQL of one kind of database."""

    statement: Compiled
    given: Mapping[str, Any]  # the values that are part of the query
    make: Convert

    def rows(self, cursor: Cursor, parameters: Mapping[str, Any]) -> list[Any]:
        self.statement.run(cursor, {**self.given, **parameters})
        return list(map(self.make, cursor.fetchall()))


def spread(name: str, values: Sequence[Any]) -> dict[str, Any]:
    """The values of a list as a parameter each: the last one again until they are 1, 2, 4, 8 …

    A query of such a list (``among``) has few shapes, so that each can be kept.
    """
    missing = (1 << (len(values) - 1).bit_length()) - len(values)
    return {f"{name}_{number}": value for number, value in enumerate([*values, *list(values[-1:]) * missing])}


def among(column: sa.ColumnElement[Any], names: Iterable[str]) -> sa.ColumnElement[bool]:
    """Whether a column is one of the parameters of these names."""
    return column.in_([sa.bindparam(name, type_=column.type) for name in names])


class Prepared:
    """A query whose parameters are a ``bindparam`` each, of texts and numbers.

    Its rows are named tuples of what SQLAlchemy would give. What people combine freely is no such query:
    it has too many shapes to keep.
    """

    def __init__(self, query: sa.Select[Any] | sa.CompoundSelect[Any]) -> None:
        self.query = query
        self._plans: dict[str, _Plan] = {}

    def rows(self, cursor: Cursor, dialect: sa.Dialect, parameters: Mapping[str, Any]) -> list[Any]:
        """All of them. Raises what the driver does; KeyError for a parameter that is not given."""
        plan = self._plans.get(dialect.name)
        if plan is None:
            plan = self._plans[dialect.name] = _plan(self.query, dialect)
        return plan.rows(cursor, parameters)


def _plan(query: Any, dialect: sa.Dialect) -> _Plan:
    asked = [each.key for each in query.compile(dialect=dialect).binds.values() if each.required]
    some = query.params(dict.fromkeys(asked))  # lists in it are only rendered with a value for each
    compiled = some.compile(dialect=dialect, compile_kwargs={"render_postcompile": True})
    given = {name: value for name, value in compiled.params.items() if name not in asked}
    in_order = getter(tuple(compiled.positiontup or ()))
    return _Plan(Compiled(str(compiled), in_order), given, _maker(query.selected_columns, dialect))


def _maker(columns: Sequence[sa.ColumnElement[Any]], dialect: sa.Dialect) -> Convert:
    """Makes a row of what the driver gives, with the conversions of the columns' types."""
    names = [each.name for each in columns]
    make: Convert = namedtuple("Row", names, rename=True)._make  # type: ignore[attr-defined]
    found = [each.type.dialect_impl(dialect).result_processor(dialect, None) for each in columns]
    converting = [(index, convert) for index, convert in enumerate(found) if convert is not None]
    if not converting:
        return make

    def converted(values: Sequence[Any]) -> Any:
        row = list(values)
        for index, convert in converting:
            if row[index] is not None:
                row[index] = convert(row[index])
        return make(row)

    return converted
