"""A database file that is not built as it was made, or whose WAL is not whole: what foreign hands and disks leave."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from shutil import copy

import pytest

from engine.model.codes import store as codes
from engine.model.errors import SkerryError
from engine.store.left_wal import index_of
from engine.store.opening import open_store
from engine.store.sql_store import Store
from tests.store.conftest import StillClock

PAY = {"nodes": {"a": {"job": "b"}}}
NO_SUM = "DROP TRIGGER definition_sum_update; "


def opened(path: Path, *, read_only: bool = False) -> Store:
    return open_store(f"sqlite:///{path}", clock=StillClock(), read_only=read_only)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    store = opened(tmp_path / "skerry.db")
    store.save_definitions({"tasks": {"pay": PAY}})
    store.close()
    return tmp_path / "skerry.db"


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(statement)


VERSIONS = (
    *(f"UPDATE meta SET value = '{text}' WHERE name = 'schema_version'" for text in ("2", "9", "s", "")),
    "DELETE FROM meta WHERE name = 'schema_version'",
    *(f"PRAGMA user_version = {number}" for number in (0, 2, 9)),
)


@pytest.mark.parametrize("statement", VERSIONS)
def test_a_version_that_is_damaged_in_one_place_is_known_from_the_other(path: Path, statement: str) -> None:
    change(path, statement)

    opened(path, read_only=True).close()
    store = opened(path)

    assert [row.id for row in store.definitions("task")] == ["pay"]
    assert len(store.put_right) == 1
    store.close()
    assert opened(path).put_right == []


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER evil AFTER INSERT ON definition_revision BEGIN UPDATE definition SET state = 'x'; END",
        "DROP TRIGGER definition_sum_insert",
        f"{NO_SUM} CREATE TRIGGER definition_sum_update AFTER UPDATE ON definition BEGIN SELECT 1; END",
        "DROP INDEX instance_by_time",
        "CREATE UNIQUE INDEX evil ON definition (kind)",
    ],
)
def test_triggers_and_indexes_are_as_they_were_made(path: Path, statement: str) -> None:
    change(path, statement)

    store = opened(path)
    store.save_definitions({"tasks": {"tour": PAY}})

    found = [(row.id, row.state, row.error) for row in store.definitions("task")]
    assert found == [("pay", "init", None), ("tour", "init", None)]
    assert store.put_right


@pytest.mark.parametrize("statement", ["DROP TABLE setting", "DROP TABLE meta"])
def test_a_table_that_is_not_there_is_damage(path: Path, statement: str) -> None:
    change(path, statement)

    for read_only in (True, False):
        with pytest.raises(SkerryError) as caught:
            opened(path, read_only=read_only)
        assert caught.value.entry is codes.DAMAGED


def test_a_view_of_someone_stays(path: Path) -> None:
    change(path, "CREATE VIEW mine AS SELECT id FROM definition; CREATE TABLE notes (text)")

    assert opened(path).put_right == []


@pytest.fixture
def killed(path: Path, tmp_path: Path) -> Path:
    """As a killed engine leaves it: the last transactions are in the WAL alone."""
    store, folder = opened(path), tmp_path / "killed"
    for name in ("v", "w", "x"):
        store.save_definitions({"tasks": {name: PAY}})
    folder.mkdir()
    for suffix in ("", "-wal", "-shm"):
        copy(f"{path}{suffix}", folder / f"skerry.db{suffix}")
    store.close()
    return folder / "skerry.db"


@pytest.mark.parametrize("place", [0.0, 0.001, 0.3, 0.99])
def test_a_bit_that_flips_in_a_wal_takes_nothing_away_without_a_word(killed: Path, place: float) -> None:
    wal = Path(f"{killed}-wal")
    data = bytearray(wal.read_bytes())
    data[int(len(data) * place)] ^= 1
    wal.write_bytes(data)

    with pytest.raises(SkerryError) as caught:
        opened(killed, read_only=True)

    assert caught.value.entry is codes.DAMAGED


@pytest.mark.parametrize("left", [None, 0, 5000])
def test_a_wal_that_is_cut_or_gone_is_noticed(killed: Path, left: int | None) -> None:
    wal = Path(f"{killed}-wal")
    data = wal.read_bytes()
    wal.unlink() if left is None else wal.write_bytes(data[:left])

    with pytest.raises(SkerryError) as caught:
        opened(killed)

    assert caught.value.entry is codes.DAMAGED


@pytest.mark.parametrize("index", [b"\xff" * 32768, None])
def test_a_wal_that_is_whole_is_played_in_whatever_its_index_is(killed: Path, index: bytes | None) -> None:
    shm = Path(f"{killed}-shm")
    shm.unlink() if index is None else shm.write_bytes(index)

    assert [row.id for row in opened(killed).definitions("task")] == ["pay", "v", "w", "x"]


def test_what_was_being_written_when_the_power_failed_is_no_damage(killed: Path) -> None:
    """The index in memory is gone, and the last transaction is torn: nobody heard that it was done."""
    wal = Path(f"{killed}-wal")
    Path(f"{killed}-shm").unlink()
    data = bytearray(wal.read_bytes())
    data[-100] ^= 1
    wal.write_bytes(data)

    assert [row.id for row in opened(killed).definitions("task")] == ["pay", "v", "w"]


def test_looking_at_the_index_drops_no_lock_of_sqlite(tmp_path: Path) -> None:
    """Without them the next process takes the database for unused, and cuts a file that is mapped here."""
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE t (a)")
        before = locks_on(Path(f"{path}-shm"))

        assert index_of(path).frames

        assert locks_on(Path(f"{path}-shm")) == before != []


def locks_on(path: Path) -> list[str]:
    """This process's locks on a file, as the kernel has them."""
    lines = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    ours = [words for words in lines if words[4] == str(os.getpid())]
    return [" ".join(words[1:]) for words in ours if words[5].endswith(f":{path.stat().st_ino}")]
