"""A single bit that flipped is put right: of all rows that differ in one bit from the one that is there,
exactly one fits the checksum.

True of sums (CRC-32) of rows and context lines up to some thousand bits, and of every hash. What
was damaged by more than that stays as it is, and whoever reads it learns so. Of SQLite's files only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from struct import pack, unpack
from typing import Any

import sqlalchemy as sa

from engine.context.line import read_line
from engine.model.errors import SkerryError
from engine.store.checksums import SUMMED, expression, text_hash
from engine.store.rows import Damage
from engine.store.schema import LINE_BITS, SUM, snapshot
from engine.store.sqlite import connect

_LONGEST = 16 * 1024  # bytes of a value whose bits are tried one after the other
_INTEGER_BITS = 63


def heal(path: Path, found: Iterable[Damage]) -> None:
    """Put right what can be, in one transaction."""
    with closing(connect(path, read_only=False)) as connection:
        connection.text_factory = bytes  # a flipped bit may leave no text
        connection.execute("BEGIN IMMEDIATE")
        for each in found:
            _heal(connection, each)
        connection.execute("COMMIT")


def _heal(connection: sqlite3.Connection, damage: Damage) -> bool:
    with suppress(sqlite3.Error):
        if damage.table == "context_line":
            return _heal_line(connection, *damage.key)
        if damage.of_content or damage.table == snapshot.name:
            return _heal_content(connection, damage)
        if damage.table in SUMMED:
            return _heal_row(connection, SUMMED[damage.table], damage.key)
    return False


def _heal_row(connection: sqlite3.Connection, table: sa.Table, key: tuple[Any, ...]) -> bool:
    names = [each.name for each in table.c if each.name != SUM]
    where = _where(each.name for each in table.primary_key)
    columns = ", ".join(f'"{name}"' for name in (*names, SUM))
    row = connection.execute(f'SELECT {columns} FROM "{table.name}" WHERE {where}', key).fetchone()
    if row is None or row[-1] is None:
        return False
    values, stored = dict(zip(names, row, strict=False)), row[-1]
    given = ", ".join(f'? AS "{name}"' for name in names)
    total = f"SELECT {expression('sqlite', table, 'x')} FROM (SELECT {given}) AS x"  # as the triggers do
    marks = ", ".join("?" * len(row))
    put = f'REPLACE INTO "{table.name}" ({columns}) VALUES ({marks})'  # an update would fail at a BLOB
    for trial in _candidates(values, {each.name for each in table.primary_key}):
        with suppress(sqlite3.Error, UnicodeDecodeError):
            texts = [each.decode() if isinstance(each, bytes) else each for each in trial.values()]
            found = connection.execute(total, texts).fetchone()[0]
            if found == stored or (trial == values and (found ^ stored).bit_count() == 1):  # the sum itself
                connection.execute(put, (*texts, found))
                return True
    return False


def _heal_content(connection: sqlite3.Connection, damage: Damage) -> bool:
    """A text whose hash is beside it."""
    names = ("hash",) if damage.table == snapshot.name else ("kind", "id", "revision")
    where = _where(names)
    query = f'SELECT content, hash FROM "{damage.table}" WHERE {where}'
    content, name = connection.execute(query, damage.key).fetchone()
    for trial in _flips(content):
        if text_hash(trial) == name.decode("ascii", "replace"):
            with suppress(UnicodeDecodeError):
                set_ = f'UPDATE "{damage.table}" SET content = ? WHERE {where}'
                connection.execute(set_, (trial.decode(), *damage.key))
                return damage.table == snapshot.name or _heal_row(
                    connection, SUMMED[damage.table], damage.key
                )
    return False


def _heal_line(connection: sqlite3.Connection, instance: Any, seq: Any) -> bool:
    key = (int(instance) << LINE_BITS) | int(seq)
    found = connection.execute("SELECT text FROM context_line WHERE id = ?", (key,)).fetchone()
    whole = restored_line(found[0], int(seq)) if found else None
    if whole is not None:
        connection.execute("UPDATE context_line SET text = ? WHERE id = ?", (whole.decode(), key))
    return whole is not None


def restored_line(line: bytes, seq: int) -> bytes | None:
    """The context line with that number from which this one differs in one bit; None if there is none."""
    for trial in _flips(line):
        with suppress(SkerryError, ValueError):
            if read_line(trial).get("seq") == seq:
                return trial
    return None


def _candidates(values: dict[str, Any], key: set[str]) -> Iterator[dict[str, Any]]:
    """The row, then each that differs in one bit of one value; the key is what it was found by.

    What is as it was in the first one may be a text that was read as a BLOB: its type flipped.
    """
    yield values
    for name, value in values.items():
        if isinstance(value, bytes):
            yield from ({**values, name: trial} for trial in _flips(value))
        elif isinstance(value, int) and name not in key:
            yield from ({**values, name: value ^ (1 << bit)} for bit in range(_INTEGER_BITS))
        elif isinstance(value, float):
            yield from ({**values, name: unpack("<d", trial)[0]} for trial in _flips(pack("<d", value)))


def _flips(text: bytes) -> Iterator[bytes]:
    """The text itself, then each that differs in one bit."""
    yield text
    data = bytearray(text if len(text) <= _LONGEST else b"")
    for at in range(len(data)):
        for bit in range(8):
            data[at] ^= 1 << bit
            yield bytes(data)
            data[at] ^= 1 << bit


def _where(names: Iterable[str]) -> str:
    return " AND ".join(f'"{name}" = ?' for name in names)
