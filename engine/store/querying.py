"""Asking the database: rows that are sound, on pooled connections that never wait for the writer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import sqlalchemy as sa

from engine.model.codes import store as codes
from engine.model.errors import SkerryError
from engine.store.backend import Backend
from engine.store.sound_rows import refuse_damaged, selected, stand_in
from engine.store.tables import TABLES

_TABLE_OF = {table.row: name for name, table in TABLES.items()}
Row = TypeVar("Row")


class Querying:
    """Queries of one database, until it is closed."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._engine = backend.reading_engine()
        self._closed = False

    def close(self) -> None:
        """Nothing can be read any more."""
        self._closed = True
        self._engine.dispose()

    def _one(self, make: type[Row], table: str, *conditions: Any) -> Row | None:
        found = self._rows(make, self._select(table).where(*conditions))
        return found[0] if found else None

    def _rows(self, make: type[Row], query: Any) -> list[Row]:
        """Rows of one instance, or one row: ROW_DAMAGED when one is not what was written."""
        found = self._all(query)
        for row in found:
            refuse_damaged(_TABLE_OF[make], row)
        return [make(*row[:-1]) for row in found]

    def _listed(self, make: type[Row], query: Any) -> list[Row]:
        """Rows of many instances: in the place of a damaged one stands what says so."""
        table = _TABLE_OF[make]
        return [make(*row[:-1]) if row[-1] else stand_in(table, row) for row in self._all(query)]

    def _select(self, table: str) -> Any:
        return selected(self._backend.name, table)

    def _all(self, query: Any, **parameters: Any) -> list[Any]:
        with self._reads() as connection:
            return list(connection.execute(query, parameters).all())

    @contextmanager
    def _reads(self) -> Iterator[sa.Connection]:
        """A connection from the pool; errors of the driver become ours."""
        if self._closed:
            raise SkerryError(codes.CLOSED, f"{self._backend.place}: closed")
        try:
            with self._engine.connect() as connection:
                yield connection
        except Exception as error:
            cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
            ours = self._backend.translated(cause) if cause else None
            raise ours or error from error
