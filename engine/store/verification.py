"""Is everything in the database what was written? Checksums of rows, hashes of contents, the files."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from engine.store import schema
from engine.store.backend import Backend
from engine.store.checksums import expression
from engine.store.encoding import content_hash
from engine.store.rows import Damage
from engine.store.tables import TABLES


def damages(backend: Backend, connection: sa.Connection) -> Iterator[Damage]:
    """Everything that is wrong; context lines carry a checksum of their own, which their replay verifies."""
    for message in backend.damages(connection):
        yield Damage("", (), message)
    for name in TABLES:
        yield from _rows_with_a_wrong_sum(backend.name, connection, name)
    kept, revisions = schema.snapshot.c, schema.definition_revision.c
    yield from _wrong_contents(connection, "snapshot", [kept.hash], kept.hash, kept.content)
    key = [revisions.kind, revisions.id, revisions.revision]
    yield from _wrong_contents(connection, "definition_revision", key, revisions.hash, revisions.content)


def _rows_with_a_wrong_sum(dialect: str, connection: sa.Connection, name: str) -> Iterator[Damage]:
    table = TABLES[name]
    key = ", ".join(f'x."{column}"' for column in table.key)
    sum_ = expression(dialect, table, "x")
    differs = "IS NOT" if dialect == "sqlite" else "IS DISTINCT FROM"
    query = f'SELECT {key} FROM "{name}" AS x WHERE x.sum {differs} {sum_}'
    for found in connection.exec_driver_sql(query):
        yield Damage(name, tuple(found), "the row is not what was written: its checksum does not fit")


def _wrong_contents(
    connection: sa.Connection,
    name: str,
    key: list[sa.Column[str]],
    hash_: sa.Column[str],
    content: sa.Column[str],
) -> Iterator[Damage]:
    query = sa.select(*key, hash_, content).where(content.is_not(None))
    for *found, wanted, text in connection.execute(query.execution_options(yield_per=100)):
        if content_hash(text) != wanted:
            yield Damage(name, tuple(found[: len(key)]), "the content is not what was written")
