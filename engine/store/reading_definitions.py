"""Asking the database: sound rows, and definitions whose content is checked against its hash, too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

import sqlalchemy as sa

from engine.model.codes import store as codes
from engine.model.errors import SkerryError
from engine.model.names import sections_of
from engine.model.times import has_offset
from engine.store import schema
from engine.store.backend import Backend
from engine.store.checksums import SUMMED
from engine.store.lent_connections import LentConnections
from engine.store.prepared import Prepared
from engine.store.rows import DefinitionRow
from engine.store.schema import definition, definition_revision, tree_of
from engine.store.sound_rows import NO_TIME, damaged, fits, refuse_damaged, selected, sound, stand_in
from engine.store.tables import TABLES

_TABLE_OF = {table.row: name for name, table in TABLES.items()}
Row = TypeVar("Row")
_DEFINING = ("definition_revision", "definition")


class Querying:
    """Queries of one database until it is closed, on pooled connections that never wait for the writer."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._engine = backend.reading_engine()
        self._lent = LentConnections(self._engine, kept=backend.keeps_readers)
        self._closed = False

    @property
    def has_clock(self) -> bool:
        """Whether the database is on a server, which has a clock of its own."""
        return self._backend.name != "sqlite"

    def server_time(self) -> datetime:
        """What the server's clock shows; only where there is one."""
        shown: datetime = self._all(sa.select(sa.func.clock_timestamp()))[0][0]
        return shown

    def close(self) -> None:
        """Nothing can be read any more."""
        self._closed = True
        self._lent.close()
        self._engine.dispose()

    def _one(self, make: type[Row], table: str, **equal: Any) -> Row | None:
        found = self._found(make, table, **equal)
        return found[0] if found else None

    def _found(self, make: type[Row], table: str, *order: str, **equal: Any) -> list[Row]:
        """The rows with these values, in the order of these columns; see ``_rows``."""
        return self._rows(make, _equal(self._backend.name, table, order, tuple(equal)), **equal)

    def _rows(self, make: type[Row], query: Any, **parameters: Any) -> list[Row]:
        """Rows of one instance, or one row: ROW_DAMAGED when one is not what was written."""
        found = self._all(query, **parameters)
        for row in found:
            refuse_damaged(_TABLE_OF[make], row)
        return [make(*row[:-1]) for row in found]

    def _listed(self, make: type[Row], query: Any, **parameters: Any) -> list[Row]:
        """Rows of many instances: a stand-in says so in the place of a damaged one."""
        table = _TABLE_OF[make]
        found = self._all(query, **parameters)
        return [make(*row[:-1]) if row[-1] else stand_in(table, row) for row in found]

    def _select(self, table: str) -> Any:
        return selected(self._backend.name, table)

    def _all(self, query: Any, **parameters: Any) -> list[Any]:
        if isinstance(query, Prepared):
            with self._translating(), self._lent.one() as connection, closing(connection.cursor()) as cursor:
                return query.rows(cursor, self._backend.dialect, parameters)
        with self._reads() as connection:
            return list(connection.execute(query, parameters).all())

    @contextmanager
    def _reads(self) -> Iterator[sa.Connection]:
        """A connection from the pool; errors of the driver become SkerryErrors."""
        self._lent.give_one_back()
        with self._translating(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _translating(self) -> Iterator[None]:
        if self._closed:
            raise SkerryError.at(codes.CLOSED, "{where}: closed", self._backend.place)
        try:
            yield
        except Exception as error:
            cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
            translated = self._backend.translated(cause) if cause else None
            raise translated or error from error


@cache
def _equal(dialect: str, table: str, order: tuple[str, ...], names: tuple[str, ...]) -> Prepared:
    columns = SUMMED[table].c
    query = selected(dialect, table).where(*(columns[name] == sa.bindparam(name) for name in names))
    return Prepared(query.order_by(*(columns[name] for name in order)))


class DefinitionReading(Querying):
    """The part of the store that reads definitions."""

    def definitions(self, kind: str, project: str | None = None) -> list[DefinitionRow]:
        """The current ones of one kind, by id; a damaged one has an ``error`` and no content."""
        if project is None:
            return [_listed(row) for row in self._all(_of_kind(self._backend.name), kind=kind)]
        query = _of_kind(self._backend.name, True)
        return [_listed(row) for row in self._all(query, kind=kind, project=project)]

    def definition(self, kind: str, id: str, revision: int | None = None) -> DefinitionRow | None:
        """The current one, None if it was deleted; or a certain revision."""
        if revision is None:
            found = self._all(_current(self._backend.name), kind=kind, id=id)
        else:
            found = self._all(_revision(self._backend.name), kind=kind, id=id, revision=revision)
        return _definition_row(found[0]) if found else None

    def content(self, kind: str, id: str) -> Any:
        """What the current one says; None where there is none."""
        row = self.definition(kind, id)
        return row.content if row is not None else None

    def history(self, kind: str, id: str) -> list[DefinitionRow]:
        """All revisions, newest first; damaged ones as in ``definitions``."""
        return [_listed(row) for row in self._all(_newest_first(self._backend.name), kind=kind, id=id)]

    def raw_definitions(self) -> dict[str, Any]:
        """Everything current as the tree of a definition file (without its ``skerry`` key)."""
        query = _standing(_all_revisions(self._backend.name))
        query = query.order_by(definition.c.kind, definition.c.position, definition.c.id)
        rows = map(_definition_row, self._all(query))  # all or an error: what is left out would be lost
        return sections_of({(row.kind, row.id): row.content for row in rows})


def _all_revisions(dialect: str) -> sa.Select[Any]:
    """Every revision; ``state`` is what the task is now."""
    of = definition_revision.c
    same = (of.kind == definition.c.kind) & (of.id == definition.c.id)
    columns = [each for each in of if each.name != schema.SUM]
    checks = [sound(dialect, name) for name in _DEFINING]
    return sa.select(*columns, definition.c.state, definition.c.position, *checks).join(definition, same)


def _standing(query: sa.Select[Any]) -> sa.Select[Any]:
    """The current revision of everything that was not deleted."""
    return query.where(
        definition_revision.c.revision == definition.c.revision, definition.c.hash.is_not(None)
    )


def _of_one(dialect: str) -> sa.Select[Any]:
    here = definition.c.kind == sa.bindparam("kind"), definition.c.id == sa.bindparam("id")
    return _all_revisions(dialect).where(*here)


@cache
def _current(dialect: str) -> Prepared:
    return Prepared(_standing(_of_one(dialect)))


@cache
def _revision(dialect: str) -> Prepared:
    return Prepared(_of_one(dialect).where(definition_revision.c.revision == sa.bindparam("revision")))


@cache
def _of_kind(dialect: str, of_project: bool = False) -> Prepared:
    query = _standing(_all_revisions(dialect)).where(definition.c.kind == sa.bindparam("kind"))
    query = query.where(definition.c.project == sa.bindparam("project")) if of_project else query
    return Prepared(query.order_by(definition.c.id))


@cache
def _newest_first(dialect: str) -> Prepared:
    return Prepared(_of_one(dialect).order_by(definition_revision.c.revision.desc()))


def _listed(row: Any) -> DefinitionRow:
    """In a list a damaged one has its error in the place of its content."""
    try:
        return _definition_row(row)
    except SkerryError as error:
        made = row.created_at if has_offset(row.created_at) else NO_TIME
        return DefinitionRow(row.kind, row.id, row.revision, made, hash=row.hash, error=error)


def _definition_row(row: Any) -> DefinitionRow:
    values = row._asdict()
    checks = [values.pop(f"{name}_sound") for name in _DEFINING]
    if not all(checks):
        raise damaged("definition", (row.kind, row.id, row.revision))
    if row.content is not None:
        text = fits(row.content, row.hash, f"{row.kind} {row.id}, revision {row.revision}")
        values["content"] = tree_of(text)
    return DefinitionRow(**values)
