"""What ``skerry list`` and ``show`` read of a file, by SQLite alone: SQLAlchemy takes longer to load.

It answers for a database that is whole, of this version and at rest. Wherever that is in doubt, and for every
other question, the store is opened as always, which knows what to say.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import quote
from zlib import crc32

from engine.model.states import INSTANCE_UNFINISHED, JobState
from engine.store.encoding import content_hash
from engine.store.filters import EVERY_INSTANCE, InstanceCursor, InstanceFilter
from engine.store.rows import DefinitionRow, InstanceRow, JobRow, LinkRow, RunRow
from engine.store.tables import TABLES, VERSION, ColumnSpec

if TYPE_CHECKING:
    from engine.store.sql_store import Store

_CONVERTED: dict[str, Callable[[Any], Any]] = {"json": json.loads, "bool": bool}
Row = TypeVar("Row")


def quick_reader(path: Path, whole: Callable[[], Store]) -> Store | None:
    """A store for reading the file in a workspace's folder; ``whole`` opens it otherwise. None: not it."""
    wal = Path(f"{path}-wal")
    with suppress(OSError, sqlite3.Error, ValueError):
        if path.is_file() and not (wal.exists() and wal.stat().st_size):
            connection = _connect(path)
            if _is_plain(connection):
                return cast("Store", QuickReader(connection, whole))
            connection.close()
    return None


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?mode=ro", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.create_function("skerry_crc", 1, crc32, deterministic=True)
    return connection


def _is_plain(connection: sqlite3.Connection) -> bool:
    """Whether it has the tables of this version, and no owner but the folder that it is in."""
    [version] = connection.execute("PRAGMA user_version").fetchone()
    rows = connection.execute("SELECT name, value FROM meta WHERE name IN ('schema_version', 'owner')")
    meta = dict(rows.fetchall())
    owner = meta.get("owner")
    home = owner is None or json.loads(owner.partition(" ")[2])["home"]
    return version == VERSION and meta.get("schema_version") == str(VERSION) and home


class QuickReader:
    """See ``engine.store.sql_store.Store``. Its one connection is used by one thread at a time.

    Two at once end in a deadlock of the interpreter: one holds SQLite's lock of the connection and waits for
    Python's, to call ``skerry_crc``; the other holds Python's and waits for that of the connection.
    """

    read_only = True

    def __init__(self, connection: sqlite3.Connection, whole: Callable[[], Store]) -> None:
        self._connection = connection
        self._one_thread = Lock()
        self._open = whole

    @cached_property
    def _whole(self) -> Store:
        return self._open()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole, name)

    def close(self) -> None:
        with self._one_thread:
            self._connection.close()
        if "_whole" in self.__dict__:
            self._whole.close()

    def instance(self, id: int) -> InstanceRow | None:
        found = self._rows(InstanceRow, "instance", "id = ?", id)
        return self._whole.instance(id) if found is None else next(iter(found), None)

    def instances(
        self,
        which: InstanceFilter = EVERY_INSTANCE,
        *,
        after: InstanceCursor | None = None,
        limit: int = 200,
        newest_first: bool = True,
    ) -> list[InstanceRow]:
        found = None
        every = replace(which, offline_until=None) == EVERY_INSTANCE
        if every and after is None and newest_first:
            past = "(status <> 'offline' OR scheduled_time <= ?)" if which.offline_until else "? IS NULL"
            newest = f"status <> 'planned' AND {past} ORDER BY scheduled_time DESC, id DESC LIMIT ?"
            found = self._rows(InstanceRow, "instance", newest, which.offline_until, limit)
        if found is None:
            return self._whole.instances(which, after=after, limit=limit, newest_first=newest_first)
        return found

    def jobs(self, instance: int, run: int | None = None) -> list[JobRow]:
        found = None
        if run is None:
            found = self._rows(JobRow, "job_instance", "instance = ? ORDER BY id", instance)
        return self._whole.jobs(instance, run) if found is None else found

    def links_of(self, instances: Sequence[int]) -> list[LinkRow]:
        marks = ", ".join("?" for _ in instances)
        found = self._rows(LinkRow, "link", f"instance IN ({marks}) ORDER BY instance, upstream", *instances)
        return self._whole.links_of(instances) if found is None else found

    def at_work(self) -> list[JobRow]:
        marks = ", ".join("?" for _ in INSTANCE_UNFINISHED)
        alive = f"instance IN (SELECT id FROM instance WHERE status IN ({marks})) AND status = ? ORDER BY id"
        values = (*map(str, INSTANCE_UNFINISHED), str(JobState.RUNNING))
        found = self._rows(JobRow, "job_instance", alive, *values)
        return self._whole.at_work() if found is None else found

    def snapshot(self, instance: int, run: int) -> dict[str, Any] | None:
        query = "SELECT content FROM snapshot WHERE hash = ?"
        with suppress(sqlite3.Error, ValueError, TypeError):
            for row in self._rows(RunRow, "run", "instance = ? AND run = ?", instance, run) or ():
                [[content]] = self._read(query, (row.snapshot,))
                if content_hash(content) == row.snapshot:
                    found: dict[str, Any] = json.loads(content)
                    return found
        return self._whole.snapshot(instance, run)

    def definitions(self, kind: str, project: str | None = None) -> list[DefinitionRow]:
        """Most workspaces have no error codes of their own, and every failure that is shown asks for them."""
        with suppress(sqlite3.Error):
            if not self._read("SELECT 1 FROM definition WHERE kind = ? LIMIT 1", (kind,)):
                return []
        return self._whole.definitions(kind, project)

    def _rows(self, make: type[Row], table: str, where: str, *values: Any) -> list[Row] | None:
        """The rows; None where one is not what was written, or cannot be read."""
        columns = TABLES[table].columns
        with suppress(sqlite3.Error, ValueError, TypeError):
            found = self._read(f"{_query(table, columns)} WHERE {where}", values)
            if all(row[-1] for row in found):
                return [make(*map(_value, columns, row)) for row in found]
        return None

    def _read(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        with self._one_thread:
            return self._connection.execute(query, values).fetchall()


def _query(table: str, columns: tuple[ColumnSpec, ...]) -> str:
    """All columns, and whether the row fits its sum (see ``checksums``)."""
    names = [f'"{each.name}"' for each in columns]
    blobs = " OR ".join(f"typeof({name}) = 'blob'" for name in names)
    sum_ = f"skerry_crc(CAST(json_array({', '.join(names)}) AS BLOB))"
    return f'SELECT {", ".join(names)}, NOT ({blobs}) AND sum IS {sum_} FROM "{table}"'


def _value(column: ColumnSpec, value: Any) -> Any:
    convert = _CONVERTED.get(column.kind)
    return value if convert is None or value is None else convert(value)
