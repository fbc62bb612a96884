"""Definitions as they are read: each against its checksum and the hash of its content."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from engine.model.errors import SkerryError
from engine.model.names import sections_of
from engine.store import schema
from engine.store.querying import Querying
from engine.store.rows import DefinitionRow
from engine.store.schema import definition, definition_revision, tree_of
from engine.store.sound_rows import NO_TIME, damaged, fits, is_time, sound

_DEFINING = ("definition_revision", "definition")


class DefinitionReading(Querying):
    """The part of the store that reads definitions."""

    def definitions(self, kind: str, project: str | None = None) -> list[DefinitionRow]:
        query = self._standing().where(definition.c.kind == kind)
        if project is not None:
            query = query.where(definition.c.project == project)
        return self._listed_definitions(query.order_by(definition.c.id))

    def definition(self, kind: str, id: str, revision: int | None = None) -> DefinitionRow | None:
        if revision is None:
            query = self._standing()
        else:
            query = self._all_revisions().where(definition_revision.c.revision == revision)
        found = self._all(query.where(definition.c.kind == kind, definition.c.id == id))
        return _definition_row(found[0]) if found else None

    def history(self, kind: str, id: str) -> list[DefinitionRow]:
        query = self._all_revisions().where(definition.c.kind == kind, definition.c.id == id)
        return self._listed_definitions(query.order_by(definition_revision.c.revision.desc()))

    def raw_definitions(self) -> dict[str, Any]:
        query = self._standing().order_by(definition.c.kind, definition.c.position, definition.c.id)
        rows = map(_definition_row, self._all(query))  # all or an error: what is left out would be lost
        return sections_of({(row.kind, row.id): row.content for row in rows})

    def _listed_definitions(self, query: Any) -> list[DefinitionRow]:
        return [_listed(row) for row in self._all(query)]

    def _all_revisions(self) -> Any:
        """Every revision; ``state`` is what the task is now."""
        of = definition_revision.c
        same = (of.kind == definition.c.kind) & (of.id == definition.c.id)
        columns = [each for each in of if each.name != schema.SUM]
        checks = [sound(self._backend.name, name) for name in _DEFINING]
        return sa.select(*columns, definition.c.state, definition.c.position, *checks).join(definition, same)

    def _standing(self) -> Any:
        """The revision that stands, of everything that was not deleted."""
        latest = definition_revision.c.revision == definition.c.revision
        return self._all_revisions().where(latest, definition.c.hash.is_not(None))


def _listed(row: Any) -> DefinitionRow:
    """In a list a damaged one has its error in the place of its content."""
    try:
        return _definition_row(row)
    except SkerryError as error:
        made = row.created_at if is_time(row.created_at) else NO_TIME
        return DefinitionRow(row.kind, row.id, row.revision, made, hash=row.hash, error=error)


def _definition_row(row: Any) -> DefinitionRow:
    values = dict(row._mapping)
    checks = [values.pop(f"{name}_sound") for name in _DEFINING]
    if not all(checks):
        raise damaged("definition", (row.kind, row.id, row.revision))
    if row.content is not None:
        text = fits(row.content, row.hash, f"{row.kind} {row.id}, revision {row.revision}")
        values["content"] = tree_of(text)
    return DefinitionRow(**values)
