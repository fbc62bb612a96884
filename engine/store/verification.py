"""Is everything in the database what was written? Checksums of rows, hashes of contents, the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any

import sqlalchemy as sa

from engine.context.line import is_sound
from engine.store.backend import Backend
from engine.store.checksums import SUMMED, content_hash_expression, fits, no_text
from engine.store.rows import Damage
from engine.store.schema import LINE_BITS, context_line, line_id

_OF_INSTANCE = {
    "instance": "x.id = {0}",
    "run": "x.instance = {0}",
    "job_instance": "x.instance = {0}",
    "link": "x.instance = {0}",
    "job_run": "x.job_instance IN (SELECT id FROM job_instance WHERE instance = {0})",
}
_LINES_AT_ONCE = 2000
_HASHED = {"snapshot": ("hash",), "definition_revision": ("kind", "id", "revision")}


def damages(backend: Backend, connection: sa.Connection) -> Iterator[Damage]:
    """Everything that is wrong."""
    for message in backend.damages(connection):
        yield Damage("", (), message)
    for name in _filled(connection):
        yield from _rows_with_a_wrong_sum(backend.name, connection, name)
    for name, key in _HASHED.items():
        content = content_hash_expression(backend.name, "x.content")
        wrong = f"x.content IS NOT NULL AND (x.hash <> {content} OR {no_text(backend.name, 'x.content')})"
        for found in _keys_where(connection, name, key, wrong):
            yield Damage(name, found, "the content does not fit its hash", of_content=True)
    yield from damaged_lines(connection)


def _filled(connection: sa.Connection) -> list[str]:
    """The tables that have rows: many have none, and it takes longer to prepare a sum than to look."""
    looks = (f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM \"{name}\")" for name in SUMMED)
    return list(connection.exec_driver_sql(" UNION ALL ".join(looks)).scalars())


def damaged_lines(connection: sa.Connection, instance: int | None = None) -> Iterator[Damage]:
    """Context lines that do not fit the checksum that they carry, or are in another one's place."""
    last, before = line_id(instance, 0) - 1 if instance is not None else 0, 0
    end = line_id(instance + 1, 0) if instance is not None else 1 << 63
    query = sa.select(context_line).where(context_line.c.id > sa.bindparam("last"))
    query = query.order_by(context_line.c.id).limit(_LINES_AT_ONCE)
    while page := connection.execute(query, {"last": last}).all():
        for id_, text in page:
            if id_ >= end:
                return
            yield from _damaged_line(id_, text, before)
            last = before = id_


def _damaged_line(id_: int, text: Any, before: int) -> Iterator[Damage]:
    seq = id_ & ((1 << LINE_BITS) - 1)
    key = (id_ >> LINE_BITS, seq)
    if not isinstance(text, str) or not is_sound(text) or not text.startswith(f'{{"seq":{seq},'):
        yield Damage(context_line.name, key, "the line is not what was written")
    elif seq != 1 and id_ != before + 1:
        yield Damage(context_line.name, key, "the line before it is missing")


def damages_of(dialect: str, connection: sa.Connection, instances: Iterable[int]) -> Iterator[Damage]:
    """The rows of these instances that do not fit their checksums."""
    for instance in instances:
        for name, column in _OF_INSTANCE.items():
            yield from _rows_with_a_wrong_sum(dialect, connection, name, column.format(int(instance)))
        yield from damaged_lines(connection, instance)


def _rows_with_a_wrong_sum(
    dialect: str, connection: sa.Connection, name: str, which: str = "1 = 1"
) -> Iterator[Damage]:
    wrong = f"{which} AND NOT ({fits(dialect, SUMMED[name], 'x')})"
    key = tuple(each.name for each in SUMMED[name].primary_key)
    for found in _keys_where(connection, name, key, wrong):
        yield Damage(name, found, "the row does not fit its checksum")


def _keys_where(
    connection: sa.Connection, name: str, key: tuple[str, ...], condition: str
) -> Iterator[tuple[int | str, ...]]:
    columns = ", ".join(f'x."{column}"' for column in key)
    query = f'SELECT {columns} FROM "{name}" AS x WHERE {condition} ORDER BY {columns}'
    with closing(connection.connection.cursor()) as cursor:  # of the driver: there are many small tables
        cursor.execute(query)
        yield from map(tuple, cursor.fetchall())
