"""The SQLite file: its rights and pragmas, damage, full disks, other schemas, crashes of the writer."""

from __future__ import annotations

import itertools
import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes import store as codes
from engine.model.errors import ErrorCode, Invalid, Refused, SkerryError
from engine.store import schema
from engine.store.filters import ExceptionFilter, InstanceCursor, InstanceFilter
from engine.store.opening import open_store
from engine.store.sql_store import Store
from tests.small_disk import small_disk as made_small
from tests.store.conftest import Opener, StillClock, an_instance, at, with_instances


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a folder" / "港 100% #1.db"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


def refused_with(code: ErrorCode, *args: Any, **options: Any) -> SkerryError:
    """The error of an ``open_store`` that must fail."""
    with pytest.raises(SkerryError) as caught:
        open_store(*args, **options)
    assert caught.value.code == code.number
    return caught.value


def test_only_its_user_may_open_it_whatever_the_umask(url: str, path: Path, reopen: Opener) -> None:
    before = os.umask(0)
    try:
        with_instances(reopen(), an_instance())
        modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}
    finally:
        os.umask(before)

    assert set(modes.values()) == {0o600}
    assert len(modes) == 3  # the file, its WAL, its index


@pytest.mark.parametrize(("durability", "level"), [("full", 2), ("normal", 1)])
def test_the_writer_is_as_durable_as_asked(reopen: Opener, durability: str, level: int) -> None:
    store = reopen(durability=durability)

    def pragmas(cursor: Any) -> list[Any]:
        names = ("journal_mode", "synchronous", "auto_vacuum", "foreign_keys")
        return [cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in names]

    assert store._writer.run(pragmas) == ["wal", level, 2, 1]


def test_a_clean_close_leaves_one_file(reopen: Opener, path: Path) -> None:
    store = reopen()
    with_instances(store, an_instance())
    store.instances()

    store.close()

    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_removed_instances_give_their_space_back(reopen: Opener, path: Path) -> None:
    store = reopen()
    with_instances(store, *(an_instance(id, params={"x": "y" * 4000}) for id in range(500)))
    full = store._writer.run(lambda cursor: cursor.execute("PRAGMA page_count").fetchone()[0])

    store.remove_instances(range(500))

    left = store._writer.run(lambda cursor: cursor.execute("PRAGMA page_count").fetchone()[0])
    assert left < full / 5


@contextmanager
def asked(store: Store) -> Iterator[list[str]]:
    """Gathers SQLite's plans of the queries that are asked within."""
    from sqlalchemy import event

    queries: list[str] = []
    plans: list[str] = []

    def watch(connection: Any, *_: Any) -> None:
        connection.set_trace_callback(queries.append)

    def leave(connection: Any, *_: Any) -> None:
        connection.set_trace_callback(None)

    events = ("checkout", watch), ("checkin", leave)
    for name, call in events:
        event.listen(store._engine.pool, name, call)
    yield plans
    for name, call in events:
        event.remove(store._engine.pool, name, call)
    with store._reads() as connection:
        for sql in queries:
            steps = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}").all()
            plans.append("; ".join(step[3] for step in steps))


def test_pages_are_walks_along_an_index(store: Store) -> None:
    """Ten million instances are listed as quickly as ten: nothing is sorted, no table is scanned."""
    after = InstanceCursor(at(), 5)

    with asked(store) as plans:
        for newest_first in (True, False):
            for task, statuses in itertools.product((None, "t"), ((), ("failed",), ("failed", "running"))):
                wanted = InstanceFilter(task=task, statuses=statuses)
                store.instances(wanted, newest_first=newest_first)
                store.instances(replace(wanted, since=at(), until=at(days=1)), after=after)
        store.exceptions()
        store.exceptions(ExceptionFilter(task="t"), before=7)
        store.jobs(1)
        store.attempts(1)
        list(store.lines(1))

    assert len(plans) == 37
    assert {plan for plan in plans if "TEMP B-TREE" in plan} == set()
    assert {plan for plan in plans if "SCAN" in plan and "INDEX instance_by_time" not in plan} == {
        "SCAN exception"  # backwards along its ids
    }


def test_what_is_no_database_is_called_damaged(url: str, path: Path, clock: StillClock) -> None:
    path.parent.mkdir()
    path.write_bytes(b"these are not the pages you look for" * 1000)

    error = refused_with(codes.DAMAGED, url, clock=clock)

    assert error.where == str(path)


def test_a_file_that_was_cut_short_is_called_damaged(
    url: str, path: Path, clock: StillClock, reopen: Opener
) -> None:
    store = reopen()
    with_instances(store, *(an_instance(id, params={"x": "y" * 400}) for id in range(200)))
    store.close()
    os.truncate(path, path.stat().st_size // 2)

    with pytest.raises(SkerryError) as caught:
        open_store(url, clock=clock).instances(limit=1000)

    assert caught.value.code == codes.DAMAGED.number


def test_a_crash_is_followed_by_a_check(url: str, path: Path, clock: StillClock, reopen: Opener) -> None:
    """A page that was overwritten is found at the next opening, before anything is read from it."""
    store = reopen()
    with_instances(store, *(an_instance(id, params={"x": "y" * 400}) for id in range(200)))
    store._writer.run(lambda cursor: None)
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA wal_checkpoint(FULL)")
        [root] = other.execute("SELECT rootpage FROM sqlite_master WHERE name = 'instance'").fetchone()
    with_instances(store, an_instance(1000))  # leaves a WAL, as a crash does
    copy = path.with_name("copy.db")
    content = bytearray(path.read_bytes())
    content[(root - 1) * 4096 : root * 4096] = bytes(4096)
    copy.write_bytes(content)
    copy.with_name("copy.db-wal").write_bytes(b"\0" * 32)

    error = refused_with(codes.DAMAGED, f"sqlite:///{copy}", clock=clock)

    assert error.where == str(copy)
    reader = open_store(f"sqlite:///{copy}", read_only=True, clock=clock)  # support may still look
    reader.close()


def test_a_full_disk_is_named_and_work_goes_on_when_there_is_room(reopen: Opener, path: Path) -> None:
    store = reopen()
    with_instances(store, an_instance(0))
    pages = store._writer.run(lambda cursor: cursor.execute("PRAGMA page_count").fetchone()[0])
    store._writer.run(lambda cursor: cursor.execute(f"PRAGMA max_page_count = {pages + 4}").fetchone())

    with pytest.raises(SkerryError) as caught:
        with_instances(store, *(an_instance(id, params={"x": "y" * 4000}) for id in range(1, 50)))

    assert caught.value.code == codes.DISK_FULL.number
    assert caught.value.where == str(path)
    assert str(path) in caught.value.message
    assert [row.id for row in store.instances()] == [0]
    store._writer.run(lambda cursor: cursor.execute("PRAGMA max_page_count = 1000000").fetchone())
    with_instances(store, an_instance(1))
    assert len(store.instances(limit=10_000)) == 2


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte, where this user may mount one."""
    with made_small(tmp_path / "disk", "1m") as place:
        yield place


def test_acknowledged_rows_survive_a_disk_that_fills_up(small_disk: Path, clock: StillClock) -> None:
    store = open_store(f"sqlite:///{small_disk}/skerry.db", clock=clock)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(200_000))
    acknowledged = 0

    def fill() -> None:
        nonlocal acknowledged
        for id in range(10_000):
            with_instances(store, an_instance(id, params={"x": "y" * 500}))
            acknowledged += 1

    with pytest.raises(SkerryError) as caught:
        fill()

    assert caught.value.code == codes.DISK_FULL.number
    assert str(small_disk) in caught.value.message
    assert len(store.instances(limit=10_000)) == acknowledged
    ballast.unlink()
    with_instances(store, an_instance(10_000))
    assert len(store.instances(limit=10_000)) == acknowledged + 1
    assert list(store.verify()) == []
    store.close()


@pytest.mark.parametrize("why", ["full", "protected"])
def test_a_disk_that_takes_nothing_can_still_be_read(small_disk: Path, clock: StillClock, why: str) -> None:
    url = f"sqlite:///{small_disk}/skerry.db"
    store = open_store(url, clock=clock)
    with_instances(store, an_instance())
    store.close()
    if why == "full":
        room = os.statvfs(small_disk)
        (small_disk / "ballast").write_bytes(bytes(room.f_bavail * room.f_bsize))
    else:
        subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)

    code = codes.DISK_FULL if why == "full" else codes.READ_ONLY
    assert refused_with(code, url, clock=clock).where == str(small_disk / "skerry.db")
    reader = open_store(url, read_only=True, clock=clock)

    assert [row.id for row in reader.instances()] == [1]
    reader.close()


def test_descriptors_that_are_used_up_are_not_a_missing_right(url: str, clock: StillClock) -> None:
    """SQLite says the same of both: it cannot open the file."""
    open_store(url, clock=clock).close()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = [os.open("/", os.O_RDONLY)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (taken[0] + 1, limits[1]))
    try:
        refused_with(codes.DISK_ERROR, url, clock=clock)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        os.close(taken[0])


def test_the_database_of_another_program_is_left_alone(url: str, path: Path, clock: StillClock) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE photos (id)")

    refused_with(codes.BAD_URL, url, clock=clock)


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path, clock: StillClock) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")

    refused_with(codes.READ_ONLY, f"sqlite:///{blocked}/skerry.db", clock=clock)


@pytest.mark.parametrize("bad", ["sqlite://", "sqlite:///:memory:", "mysql://host/x", "no url", ""])
def test_urls_that_cannot_be_used_are_refused(bad: str, clock: StillClock) -> None:
    assert isinstance(refused_with(codes.BAD_URL, bad, clock=clock), Invalid)


@pytest.mark.parametrize("name", ["a?b=c", "50%25 #1", "two words"])
def test_every_letter_of_a_path_belongs_to_it(name: str, tmp_path: Path, clock: StillClock) -> None:
    (tmp_path / name).mkdir()

    open_store(f"sqlite:///{tmp_path / name / 'skerry.db'}", clock=clock).close()

    assert [each.name for each in tmp_path.iterdir()] == [name]
    assert (tmp_path / name / "skerry.db").is_file()


def test_a_path_that_sqlite_cannot_open_is_reported_so(tmp_path: Path, clock: StillClock) -> None:
    folder = tmp_path.joinpath(*["d" * 100] * 5)
    folder.mkdir(parents=True)

    with pytest.raises(Invalid, match="SQLite opens no path as long as this"):
        open_store(f"sqlite:///{folder / 'skerry.db'}", clock=clock)


def test_a_password_is_not_reported(clock: StillClock) -> None:
    error = refused_with(codes.BAD_URL, "mysql://ann:s3cret@host/x", clock=clock)

    assert "s3cret" not in error.message + str(error.where)


def test_another_program_that_holds_the_lock_is_reported(
    reopen: Opener, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = reopen()
    with_instances(store, an_instance(1))
    store._writer.run(lambda cursor: cursor.execute("PRAGMA busy_timeout = 10").fetchone())
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(SkerryError) as caught:
            with_instances(store, an_instance(2))

    assert caught.value.code == codes.BUSY.number
    with_instances(store, an_instance(2))


def test_reading_needs_no_writer_and_no_engine(reopen: Opener, url: str, clock: StillClock) -> None:
    with_instances(reopen(), an_instance())

    reader = open_store(url, read_only=True, clock=clock)

    assert [row.id for row in reader.instances()] == [1]
    reader.close()


def test_reading_makes_no_database(url: str, path: Path, clock: StillClock) -> None:
    refused_with(codes.MISSING, url, read_only=True, clock=clock)

    assert not path.exists()


def newer(path: Path, version: int = schema.VERSION + 1) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE meta SET value = ? WHERE name = 'schema_version'", (str(version),))
        connection.execute(f"PRAGMA user_version = {version}")


def test_a_newer_database_is_read_but_not_written(
    reopen: Opener, url: str, path: Path, clock: StillClock
) -> None:
    with_instances(reopen(), an_instance())
    newer(path)

    assert isinstance(refused_with(codes.NEWER, url, clock=clock), Refused)
    reader = open_store(url, read_only=True, clock=clock)
    assert [row.id for row in reader.instances()] == [1]
    reader.close()


def test_an_older_database_is_not_brought_up_by_a_reader(
    reopen: Opener, url: str, path: Path, clock: StillClock
) -> None:
    reopen().close()
    newer(path, 0)

    refused_with(codes.OLDER, url, read_only=True, clock=clock)


def test_half_a_creation_is_done_again(url: str, path: Path, clock: StillClock) -> None:
    path.parent.mkdir()
    path.touch()

    store = open_store(url, clock=clock)

    assert store.instances() == []
    store.close()


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys, engine.store.filters, engine.store.changes; "
        "print([name for name in ('sqlalchemy', 'sqlite3', 'alembic', 'psycopg') if name in sys.modules]); "
        "import engine.store.opening; "
        "print([name for name in ('alembic', 'psycopg', 'engine.store.migrations', "
        "'sqlalchemy.dialects.postgresql') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n[]\n"


_WRITER = """
import sys, time
from datetime import UTC, datetime
from engine.context.line import seal
from engine.store.changes import Changes
from engine.store.opening import open_store
class Clock:
    def now(self): return datetime.now(UTC)
store = open_store(sys.argv[1], clock=Clock())
for number in range(1_000_000):
    changes = Changes()
    id = store.next_id("instance")
    now = datetime.now(UTC)
    changes.insert("instance", {"id": id, "task": "t", "status": "running", "trigger": "manual",
                                "scheduled_time": now, "created_at": now})
    changes.line(id, 1, seal('{"seq":1,"x":"' + "x" * 200 + '"'))
    store.commit(changes)
    print(id, flush=True)
"""


def test_every_acknowledged_commit_survives_sigkill(url: str, reopen: Opener) -> None:
    acknowledged: list[int] = []
    for count in (1, 7, 40, 200):
        child = subprocess.Popen([sys.executable, "-c", _WRITER, url], stdout=subprocess.PIPE, text=True)
        assert child.stdout
        seen = [int(child.stdout.readline()) for _ in range(count)]
        child.send_signal(signal.SIGKILL)
        acknowledged += seen + [int(line) for line in child.stdout.read().splitlines() if line.isdigit()]
        child.wait()

    store = reopen()

    rows = store.instances(limit=100_000)
    ids = {row.id for row in rows}
    assert set(acknowledged) <= ids
    assert len(ids) - len(acknowledged) <= 4  # one that was durable but not yet reported, for each kill
    assert all(len(list(store.lines(id))) == 1 for id in ids)
    assert store.next_id("instance") > max(ids)
    assert list(store.verify()) == []


def test_single_bits_that_flip_in_rows_are_noticed(reopen: Opener, path: Path, clock: StillClock) -> None:
    """Each flip hits the content of an instance's row in the file, where no page carries a checksum."""
    store = reopen()
    with_instances(store, *(an_instance(id, name="the name of a task " * 8) for id in range(50)))
    store.close()
    whole = path.read_bytes()
    places = [start for start in range(len(whole) - 20) if whole.startswith(b"name of a task the", start)]

    for number, place in enumerate(places[:: max(1, len(places) // 25)]):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << number % 8
        copy = path.with_name(f"flip{number}.db")
        copy.write_bytes(flipped)
        reader = open_store(f"sqlite:///{copy}", read_only=True, clock=clock)
        assert [damage.table for damage in reader.verify()] == ["instance"]
        reader.close()


def test_nobody_ever_sees_half_of_a_new_database(path: Path, url: str, clock: StillClock) -> None:
    """Whoever looks while it is made finds none, or a whole one."""
    path.parent.mkdir(parents=True)
    seen: set[str] = set()
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            with suppress(FileNotFoundError):
                seen.add("empty" if path.stat().st_size == 0 else "whole")

    looker = threading.Thread(target=look)
    looker.start()
    open_store(url, clock=clock).close()
    over.set()
    looker.join()

    assert seen <= {"whole"}
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_of_two_that_make_it_at_once_both_have_the_same(path: Path, url: str, clock: StillClock) -> None:
    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(lambda _: open_store(url, clock=clock), range(4)))
    with_instances(stores[0], an_instance())

    assert [len(store.instances(limit=10_000)) for store in stores] == [1] * 4
    for store in stores:
        store.close()


def test_opening_it_beside_one_that_closes_it_finds_nothing_strange(
    path: Path, url: str, clock: StillClock
) -> None:
    open_store(url, clock=clock).close()

    def opened_and_closed(_: int) -> None:
        open_store(url, clock=clock).close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(opened_and_closed, range(100)))

    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_disk_that_is_full_at_the_making_leaves_nothing_half(small_disk: Path, clock: StillClock) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(os.statvfs(small_disk).f_bavail * 4096 - 40_000))
    url = f"sqlite:///{small_disk}/skerry.db"

    refused_with(codes.DISK_FULL, url, clock=clock)

    assert [each.name for each in small_disk.iterdir()] == ["ballast"]
    ballast.unlink()
    open_store(url, clock=clock).close()
