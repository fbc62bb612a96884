"""Rows of a database as JSON values; many of them go to a CSV file."""

from __future__ import annotations

import csv
import json
import math
import os
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from engine.plugins.files import file_errors
from resources.clients.sql_times import duration

HELD = 1000  # rows that a result holds; more of them are in the file
PIECE = 500


class ResultTable(NamedTuple):
    """``rows`` are maps by column, at most 1,000 of the ``rowcount`` rows read; ``cut``: there were more."""

    columns: list[str]
    rows: list[dict[str, Any]]
    rowcount: int
    cut: bool = False

    def results(self) -> dict[str, Any]:
        return {"rows": self.rows, "columns": self.columns, "rowcount": self.rowcount}


def as_json(value: Any) -> Any:
    """A database's value as JSON.

    Times and spans are ISO 8601. A decimal without places is a number, one with places a text as exact as the
    database has it (12.50 stays 12.50, and texts that read as numbers compare as numbers). Bytes are base64.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        return int(value) if isinstance(exponent, int) and exponent >= 0 else str(value)
    if isinstance(value, (date, datetime, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return duration(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return b64encode(bytes(value)).decode()
    if isinstance(value, dict):
        return {str(key): as_json(each) for key, each in value.items()}
    return [as_json(each) for each in value] if isinstance(value, (list, tuple, set)) else str(value)


def unique(names: Iterable[str]) -> list[str]:
    """Column names, the second ``id`` called ``id_2``."""
    found: list[str] = []
    for name in names:
        number, own = 2, name
        while own in found:
            own, number = f"{name}_{number}", number + 1
        found.append(own)
    return found


def collect(
    names: Iterable[str], pieces: Iterable[Sequence[Sequence[Any]]], most: int | None, file: Path
) -> ResultTable:
    """Read at most ``most`` rows; where they are over 1,000, ``file`` gets all of them as CSV (UTF-8)."""
    columns = unique(names)
    flat = ([as_json(value) for value in row] for piece in pieces for row in piece)
    limited = flat if most is None else islice(flat, most)
    held = list(islice(limited, HELD))
    count = len(held) + _spill(columns, held, limited, file)
    cut = most is not None and count == most and next(flat, None) is not None
    return ResultTable(columns, [dict(zip(columns, row, strict=True)) for row in held], count, cut)


def _spill(columns: list[str], held: list[list[Any]], more: Iterator[list[Any]], file: Path) -> int:
    """Write the held rows and all further ones, if there are any; the number of the further ones."""
    first = next(more, None)
    if first is None:
        return 0
    count = 1
    with file_errors(file), open(file, "w", encoding="utf-8", newline="", opener=_private) as stream:
        writer = csv.writer(stream)
        writer.writerows((columns, *map(_as_csv, held), _as_csv(first)))
        for row in more:
            writer.writerow(_as_csv(row))
            count += 1
    return count


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def _as_csv(row: list[Any]) -> list[Any]:
    return [_field(value) for value in row]


def _field(value: Any) -> Any:
    if isinstance(value, (bool, list, dict)):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value
