"""A checksum in every row, kept by triggers: a bit that flips on the disk is noticed when the row is read.

The database computes it from the values that it really stored, whole rows, whichever columns an update
named. An update adds the difference that it makes: a row that was damaged before keeps a sum that does not
fit, whatever is written to it later. SQLite has no checksum function: ``skerry_crc`` is registered on each
connection (a foreign program can therefore read but not change these tables).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from hashlib import sha256

import sqlalchemy as sa

from engine.store.schema import SUM, VERSION, metadata
from engine.store.version_columns import later_columns, later_tables

SUMMED = {name: table for name, table in metadata.tables.items() if SUM in table.c}


def text_hash(text: bytes) -> str:
    """The SQL function ``skerry_hash`` of SQLite."""
    return sha256(text).hexdigest()


def expression(dialect: str, table: sa.Table, alias: str, without: Collection[str] = ()) -> str:
    """SQL for the sum of a row that is called ``alias``, as it was before it had the columns ``without``."""
    given = [each for each in table.c if each.name != SUM and each.name not in without]
    if dialect == "sqlite":
        columns = ", ".join(_exactly(each, f'{alias}."{each.name}"') for each in given)
        return f"skerry_crc(CAST(json_array({columns}) AS BLOB))"
    columns = ", ".join(f'{alias}."{each.name}"' for each in given)
    return f"('x' || left(md5(ROW({columns})::text), 8))::bit(32)::bigint"


@cache
def fits(dialect: str, table: sa.Table, alias: str) -> str:
    """SQL that says whether a row that is called ``alias`` fits its sum; never an error."""
    total = expression(dialect, table, alias)
    if dialect != "sqlite":
        return f"{alias}.{SUM} IS NOT DISTINCT FROM {total}"
    types = ", ".join(f'typeof({alias}."{each.name}")' for each in table.c)
    return f"CASE WHEN 'blob' IN ({types}) THEN 0 ELSE {alias}.{SUM} IS {total} END"  # JSON holds no BLOB


def _exactly(column: sa.Column[object], name: str) -> str:
    """JSON has 15 digits of a number; quote() gives all of them."""
    return f"quote({name})" if isinstance(column.type, sa.Double) else name


def no_text(dialect: str, column: str) -> str:
    """SQL that says whether a value is no text: in SQLite each value has its own type."""
    return f"typeof({column}) <> 'text'" if dialect == "sqlite" else "FALSE"


def content_hash_expression(dialect: str, column: str) -> str:
    """SQL for the sha256 of a text, in hex."""
    if dialect == "sqlite":
        return f"skerry_hash(CAST({column} AS BLOB))"
    return f"encode(sha256(convert_to({column}, 'UTF8')), 'hex')"


@cache
def triggers(dialect: str, version: int = VERSION) -> tuple[str, ...]:
    """The statements that make them, for the tables as they were in a version."""
    make, later = _sqlite_triggers if dialect == "sqlite" else _postgresql_triggers, later_columns(version)
    tables = (table for name, table in SUMMED.items() if name not in later_tables(version))
    return tuple(statement for table in tables for statement in make(table, later.get(table.name, ())))


def _sqlite_triggers(table: sa.Table, later: Collection[str]) -> Iterator[str]:
    here = " AND ".join(f'"{each.name}" = NEW."{each.name}"' for each in table.primary_key)
    names = [each.name for each in table.c if each.name != SUM and each.name not in later]
    columns = ", ".join(f'"{name}"' for name in names)  # sum has no trigger
    new, old = (expression("sqlite", table, row, later) for row in ("NEW", "OLD"))
    for name, event, total in (
        ("insert", "INSERT", new),
        ("update", f"UPDATE OF {columns}", f"OLD.sum - {old} + {new}"),
    ):
        yield (
            f'CREATE TRIGGER {table.name}_sum_{name} AFTER {event} ON "{table.name}" BEGIN '
            f'UPDATE "{table.name}" SET sum = {total} WHERE {here}; END'
        )


def _postgresql_triggers(table: sa.Table, later: Collection[str]) -> Iterator[str]:
    function = f"{table.name}_sum"
    new, old = (expression("postgresql", table, row, later) for row in ("NEW", "OLD"))
    yield (
        f"CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF TG_OP = 'INSERT' THEN NEW.sum := {new}; ELSE NEW.sum := OLD.sum - {old} + {new}; END IF; "
        f"RETURN NEW; END $$"
    )
    yield (
        f'CREATE TRIGGER {function} BEFORE INSERT OR UPDATE ON "{table.name}" '
        f"FOR EACH ROW EXECUTE FUNCTION {function}()"
    )
