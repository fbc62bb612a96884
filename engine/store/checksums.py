"""A checksum in every row of state, kept by triggers: a bit that flips on the disk is noticed by ``verify``.

The database computes it from the values that it really stored, whole rows, whichever columns an update
named. SQLite has no checksum function: ``skerry_crc`` is registered on each connection (a foreign program can
therefore read but not change these tables). A bit that flips in a row and is then overwritten by an update of
other columns of that row gets a good sum again; rows are updated only while their job is under way.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from zlib import crc32

from engine.store.tables import TABLES, Table


def row_crc(row: bytes) -> int:
    """The SQL function ``skerry_crc`` of SQLite; bytes, since a flipped bit may leave no text."""
    return crc32(row)


def text_hash(text: bytes) -> str:
    """The SQL function ``skerry_hash`` of SQLite."""
    return sha256(text).hexdigest()


def expression(dialect: str, table: Table, alias: str) -> str:
    """SQL for the sum of a row that is called ``alias``."""
    columns = ", ".join(f'{alias}."{each.name}"' for each in table.columns)
    if dialect == "sqlite":
        return f"skerry_crc(CAST(json_array({columns}) AS BLOB))"
    return f"('x' || left(md5(ROW({columns})::text), 8))::bit(32)::bigint"


def content_hash_expression(dialect: str, column: str) -> str:
    """SQL for the sha256 of a text, in hex."""
    if dialect == "sqlite":
        return f"skerry_hash(CAST({column} AS BLOB))"
    return f"encode(sha256(convert_to({column}, 'UTF8')), 'hex')"


def triggers(dialect: str) -> Iterator[str]:
    """The statements that make the triggers of all tables of state."""
    make = _sqlite_triggers if dialect == "sqlite" else _postgresql_triggers
    for table in TABLES.values():
        yield from make(table)


def _sqlite_triggers(table: Table) -> Iterator[str]:
    here = " AND ".join(f'"{name}" = NEW."{name}"' for name in table.key)
    columns = ", ".join(f'"{each.name}"' for each in table.columns)  # without sum: no trigger of its own
    for name, event in (("insert", "INSERT"), ("update", f"UPDATE OF {columns}")):
        yield (
            f'CREATE TRIGGER {table.name}_sum_{name} AFTER {event} ON "{table.name}" BEGIN '
            f'UPDATE "{table.name}" SET sum = {expression("sqlite", table, "NEW")} WHERE {here}; END'
        )


def _postgresql_triggers(table: Table) -> Iterator[str]:
    function = f"{table.name}_sum"
    yield (
        f"CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"NEW.sum := {expression('postgresql', table, 'NEW')}; RETURN NEW; END $$"
    )
    yield (
        f'CREATE TRIGGER {function} BEFORE INSERT OR UPDATE ON "{table.name}" '
        f"FOR EACH ROW EXECUTE FUNCTION {function}()"
    )
