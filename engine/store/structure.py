"""Is a SQLite file built as this version builds it? Its version, tables, indexes and triggers.

The version is kept twice (``meta.schema_version`` and ``PRAGMA user_version``), and the tables say it as
well: one of them alone is not believed. A foreign trigger would change what is written, and is
removed; what was dropped of ours is made again. Views and further tables do no harm and stay.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from functools import cache

import sqlalchemy as sa
from sqlalchemy.dialects import registry

from engine.model.codes import store as codes
from engine.model.errors import Invalid, SkerryError
from engine.store import schema
from engine.store.checksums import triggers

_TABLES = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
_COLUMNS = (
    "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'"
)
_PARTS = "SELECT name, type, sql FROM sqlite_master WHERE type IN ('trigger', 'index') AND sql IS NOT NULL"


def version_of(connection: sqlite3.Connection, place: str) -> int | None:
    """The version of its tables; None for an empty file. BAD_URL for another program's, DAMAGED."""
    tables = dict(connection.execute(_TABLES).fetchall())
    if not tables:
        return None
    if not tables.keys() & {"meta", "instance"}:
        raise Invalid.at(codes.BAD_URL, "{where} is another program's database", place)
    recorded = _version_in_meta(connection) if "meta" in tables else None
    [mark] = connection.execute("PRAGMA user_version").fetchone()
    if schema.VERSION not in (recorded, mark) and recorded is not None:
        return recorded
    if not _as_made(tables) and (missing := sorted(_missing(connection))):
        raise SkerryError.at(codes.DAMAGED, "{where}: there is no {name}", place, name=missing[0])
    return schema.VERSION


def put_right(connection: sqlite3.Connection) -> list[str]:
    """Have the versions, triggers and indexes of a file of this version as they were; gives what was not."""
    if not list(_strange(connection)):
        return []
    connection.execute("BEGIN IMMEDIATE")  # another one may have been quicker
    found = list(_strange(connection))
    for _, statement in found:
        connection.execute(statement)
    connection.execute("COMMIT")
    return [what for what, _ in found]


def _strange(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """What is not as it was made, and the statement that puts it right."""
    if _version_in_meta(connection) != schema.VERSION:
        put = f"REPLACE INTO meta (name, value) VALUES ('schema_version', '{schema.VERSION}')"
        yield "the version in meta", put
    if connection.execute("PRAGMA user_version").fetchone() != (schema.VERSION,):
        yield "the version in the head of the file", f"PRAGMA user_version = {schema.VERSION}"
    expected = _expected()
    there = {name: (kind, sql) for name, kind, sql in connection.execute(_PARTS)}
    for name, (kind, sql) in there.items():
        harms = kind == "trigger" or sql.startswith("CREATE UNIQUE")
        if sql != expected.get(name, None if harms else sql):
            quoted = name.replace('"', '""')
            yield f"{kind} {name}, which is not ours, was removed", f'DROP {kind} "{quoted}"'
    for name, statement in expected.items():
        if there.get(name, ("", ""))[1] != statement:
            yield f"{name} was made again", statement


def _version_in_meta(connection: sqlite3.Connection) -> int | None:
    row = connection.execute(schema.READ_VERSION).fetchone()
    text = str(row[0]) if row else ""
    return int(text) if text.isascii() and text.isdigit() else None


@cache
def _expected() -> Mapping[str, str]:
    """Of each trigger and index the statement that makes it."""
    statements = (*triggers("sqlite"), *made("sqlite", tables=False))
    return {statement.split()[2]: statement for statement in statements}


def _as_made(tables: Mapping[str, str]) -> bool:
    """Whether each table has the text that it is made with; an older one that was added to has another."""
    return all(str(tables.get(name)).strip() == text for name, text in _made_tables().items())


@cache
def _made_tables() -> Mapping[str, str]:
    statements = (each.strip() for each in made("sqlite"))
    return {each.split()[2]: each for each in statements if each.startswith("CREATE TABLE")}


def _missing(connection: sqlite3.Connection) -> set[str]:
    there = set(connection.execute(_COLUMNS))
    expected = {(table.name, column.name) for table in schema.metadata.sorted_tables for column in table.c}
    return {f"column {name} in table {table}" for table, name in expected - there}


@cache
def made(dialect: str, *, tables: bool = True) -> tuple[str, ...]:
    """The statements that make the tables, each followed by those of its indexes; or these alone."""
    compiler = registry.load(dialect)()
    return tuple(str(each.compile(dialect=compiler)) for each in _elements(dialect, tables))


def _elements(dialect: str, tables: bool) -> Iterator[sa.schema.DDLElement]:
    for table in schema.metadata.sorted_tables:
        if tables:
            yield sa.schema.CreateTable(table)
        for index in sorted(table.indexes, key=lambda each: str(each.name)):
            index.dialect_options[dialect]["where"] = index.dialect_options["sqlite"]["where"]
            yield sa.schema.CreateIndex(index)
