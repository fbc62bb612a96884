"""Bringing a file up to date: on a copy, with a backup, and never halfway."""

from __future__ import annotations

import itertools
import os
import signal
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes import store as codes
from engine.model.errors import SkerryError
from engine.model.handling import Handling
from engine.model.message import Message, facts_of
from engine.model.reason import Kind, Reason
from engine.store import migrations, opening, schema
from engine.store.changes import Changes
from engine.store.checksums import SUMMED, expression
from engine.store.opening import open_store
from engine.store.sqlite import connect
from engine.store.version_3 import without_triggers
from engine.store.version_columns import later_columns, later_tables
from tests.store.conftest import (
    BEGIN,
    Opener,
    StillClock,
    a_job,
    an_instance,
    at,
    of_version_2,
    with_instances,
)
from tests.waiting import until

Add = Callable[[Callable[[Any], None]], None]
NOW = schema.VERSION


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/skerry.db"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "skerry.db"


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch) -> Add:
    """The next schema: the program knows one version more, and how to get there."""

    def make(step: Callable[[Any], None]) -> None:
        monkeypatch.setitem(migrations.MIGRATIONS, schema.VERSION, step)
        monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)

    return make


def add_a_column(cursor: Any) -> None:
    cursor.execute("ALTER TABLE setting ADD COLUMN note TEXT DEFAULT 'new'")


def version_in(path: Path) -> str:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return str(connection.execute("SELECT value FROM meta WHERE name = 'schema_version'").fetchone()[0])


def test_an_older_file_is_brought_up_and_kept_as_a_backup(
    reopen: Opener, url: str, path: Path, add: Add, clock: StillClock
) -> None:
    store = reopen()
    with_instances(store, *(an_instance(id) for id in range(100)))
    store.close()
    add(add_a_column)

    upgraded = open_store(url, clock=clock)

    assert len(upgraded.instances(limit=10_000)) == 100
    assert list(upgraded.verify()) == []
    assert version_in(path) == str(NOW + 1)
    upgraded.close()
    [backup] = [each for each in path.parent.iterdir() if each != path]
    assert backup.name == f"skerry.db.v{NOW}.20261121T080000000000"
    assert version_in(backup) == str(NOW)
    assert {each.stat().st_mode & 0o777 for each in path.parent.iterdir()} == {0o600}


def test_what_is_still_in_the_wal_is_taken_along(
    reopen: Opener, url: str, path: Path, add: Add, clock: StillClock
) -> None:
    """After a crash the last commits are in the WAL only."""
    with_instances(reopen(), *(an_instance(id) for id in range(10)))
    crashed = path.with_name("crashed.db")
    for suffix in ("", "-wal"):
        Path(f"{crashed}{suffix}").write_bytes(Path(f"{path}{suffix}").read_bytes())
    add(add_a_column)

    upgraded = open_store(f"sqlite:///{crashed}", clock=clock)

    assert len(upgraded.instances(limit=10_000)) == 10
    upgraded.close()


def test_a_step_that_fails_leaves_the_file_as_it_was(
    reopen: Opener, url: str, path: Path, add: Add, clock: StillClock
) -> None:
    with_instances(first := reopen(), an_instance())
    first.close()
    add(lambda cursor: cursor.execute("ALTER TABLE nothing ADD COLUMN x"))

    with pytest.raises(SkerryError) as caught:
        open_store(url, clock=clock)

    assert caught.value.code == codes.UPGRADE_FAILED.number
    assert version_in(path) == str(NOW)
    assert [each.name for each in path.parent.iterdir()] == ["skerry.db"]


def test_a_step_that_breaks_references_is_not_accepted(
    reopen: Opener, url: str, path: Path, add: Add, clock: StillClock
) -> None:
    first = reopen()
    first.close()
    add(
        lambda cursor: cursor.execute(
            "INSERT INTO run (instance, run, status, trigger, created_at) VALUES (7, 1, '', '', '')"
        )
    )

    with pytest.raises(SkerryError) as caught:
        open_store(url, clock=clock)

    assert caught.value.code == codes.UPGRADE_FAILED.number
    assert version_in(path) == str(NOW)


def test_a_file_that_is_open_elsewhere_is_left_alone(
    reopen: Opener, url: str, path: Path, add: Add, clock: StillClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.store import sqlite

    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    with_instances(reopen(), an_instance())
    add(add_a_column)

    with pytest.raises(SkerryError) as caught:
        open_store(url, clock=clock)

    assert caught.value.code == codes.UPGRADE_FAILED.number
    assert version_in(path) == str(NOW)


def test_three_backups_are_kept(reopen: Opener, url: str, path: Path, add: Add, clock: StillClock) -> None:
    reopen().close()
    for number in range(5):
        clock.forward(minutes=1)
        add(lambda cursor, number=number: cursor.execute(f"CREATE TABLE extra{number} (x)"))  # type: ignore[misc]
        open_store(url, clock=clock).close()

    versions = sorted((version_in(each) for each in path.parent.glob("skerry.db.v*")), key=int)

    assert versions == [str(NOW + each) for each in (2, 3, 4)]
    assert version_in(path) == str(NOW + 5)


def upgrade_killed_at(path: Path, place: int) -> int:
    """Upgrade in a process that kills itself at the ``place``-th step; its exit code."""
    child = os.fork()
    if child == 0:
        _count_steps(place)
        try:
            migrations.upgrade_file(path, NOW, NOW + 1, BEGIN, {NOW: add_a_column})
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _count_steps(place: int) -> None:
    """Before and after everything that touches the disk."""
    steps = itertools.count()

    def here() -> None:
        if next(steps) == place:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def step(*args: Any, **options: Any) -> Any:
            here()
            done = real(*args, **options)
            here()
            return done

        setattr(owner, name, step)

    for owner, name in ((os, "fsync"), (os, "link"), (Path, "replace"), (Path, "unlink")):
        counted(owner, name)
    for name in ("connect", "copy_database", "_change_copy"):
        counted(migrations, name)


def test_whenever_it_is_killed_the_old_or_the_new_file_is_there_whole(
    reopen: Opener, path: Path, tmp_path: Path, clock: StillClock
) -> None:
    with_instances(first := reopen(), *(an_instance(id) for id in range(20)))
    first.close()
    original, seen, place, code = path.read_bytes(), set(), 0, -signal.SIGKILL
    while code == -signal.SIGKILL:
        target = tmp_path / f"at{place}" / "skerry.db"
        target.parent.mkdir()
        target.write_bytes(original)
        code = upgrade_killed_at(target, place)
        with closing(sqlite3.connect(target)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("SELECT count(*) FROM instance").fetchone() == (20,)
        seen.add(version_in(target))
        place += 1

    assert code == 0
    assert place > 20
    assert seen == {str(NOW), str(NOW + 1)}


def test_of_several_that_open_an_older_file_at_once_none_undoes_what_another_wrote(
    reopen: Opener, url: str, add: Add, clock: StillClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_instances(first := reopen(), an_instance(1))
    first.close()
    slow, come, alone = threading.Barrier(4), list[Path](), opening._alone

    def counted(path: Path) -> Any:
        come.append(path)
        return alone(path)

    monkeypatch.setattr(opening, "_alone", counted)

    def at_leisure(cursor: Any) -> None:
        add_a_column(cursor)
        until(lambda: len(come) == 4, "the others' beginning")

    add(at_leisure)

    def open_and_write(id: int) -> None:
        slow.wait()
        store = open_store(url, clock=clock)
        with_instances(store, an_instance(id))
        store.close()

    threads = [threading.Thread(target=open_and_write, args=(id,)) for id in (2, 3, 4, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    store = open_store(url, clock=clock)
    assert sorted(row.id for row in store.instances()) == [1, 2, 3, 4, 5]
    store.close()


def test_an_older_file_that_is_damaged_is_called_so(
    reopen: Opener, url: str, path: Path, add: Add, clock: StillClock
) -> None:
    with_instances(first := reopen(), *(an_instance(id) for id in range(1, 200)))
    first.close()
    add(add_a_column)
    with path.open("r+b") as file:
        file.seek(2 * 4096)
        file.write(os.urandom(8 * 4096))

    with pytest.raises(SkerryError) as caught:
        open_store(url, clock=clock)

    assert caught.value.entry is codes.DAMAGED


def test_a_file_of_version_2_gets_checksums_of_everything(path: Path, url: str, clock: StillClock) -> None:
    of_version_2(path)

    store = open_store(url, clock=clock)

    assert [(row.id, row.status) for row in store.instances()] == [(1, "succeeded")]
    assert [(job.node, job.status) for job in store.jobs(1)] == [("a", "succeeded"), ("b", "failed")]
    assert store.verify() == []
    store.save_definitions({"tasks": {"u": {"nodes": {}}}})
    with_instances(store, an_instance(store.next_id("instance")))
    assert store.verify() == []
    store.close()
    spoil(path, "UPDATE definition SET state = 'offline' WHERE id = 't'")
    store = open_store(url, clock=clock)
    assert [(each.table, each.key) for each in store.verify()] == [("definition", ("task", "t"))]
    store.close()


def test_what_was_damaged_before_an_upgrade_stays_damaged(path: Path, url: str, clock: StillClock) -> None:
    of_version_2(path)
    spoil(path, "UPDATE job_instance SET exit_code = 4 WHERE node = 'b'")

    store = open_store(url, clock=clock)

    assert [(each.table, each.key) for each in store.verify()] == [("job_instance", (2,))]
    store.close()


def test_a_sub_task_that_version_3_paused_with_its_parent_is_still_paused_with_it(
    reopen: Opener, path: Path, url: str, clock: StillClock
) -> None:
    with_instances(
        first := reopen(),
        an_instance(3, status="paused", reason="paused by anna at 2026-11-22 01:13:07+08:00: late"),
        an_instance(5, status="paused", reason="paused with instance 3, paused by anna at 2026-11-22 01:13"),
        an_instance(6, status="failed", reason="paused with instance 3, as it was"),
    )
    first.close()
    back_to(3, path)
    spoil(path, "UPDATE instance SET actor = 'x' WHERE id = 6")

    store = open_store(url, clock=clock)

    found = {row.id: row.because for row in store.instances()}
    assert found[3] == Reason.of(Kind.TEXT, text="paused by anna at 2026-11-22 01:13:07+08:00: late")
    assert found[5] == Reason.of(Kind.PAUSED_WITH, instance=3)
    assert [(each.table, each.key) for each in store.verify()] == [("instance", (6,))]
    store.close()


def test_messages_of_version_5_are_texts_and_later_ones_keep_their_facts(
    reopen: Opener, path: Path, url: str, clock: StillClock
) -> None:
    message = Message.of("exit status {n}", n=3)
    failed = {"status": "failed", "error_code": -11000001003, "error_message": message}
    with_instances(first := reopen(), an_instance(1, **failed), an_instance(2, **failed))
    first.close()
    back_to(5, path)
    spoil(path, "UPDATE instance SET actor = 'x' WHERE id = 2")

    store = open_store(url, clock=clock)
    with_instances(store, an_instance(3, **failed))

    before, now = store.instance(1), store.instance(3)
    assert before
    assert now
    assert (before.error, facts_of(before.error)) == ("exit status 3", None)
    assert (now.error, facts_of(now.error)) == ("exit status 3", message.to_json())
    assert [(each.table, each.key) for each in store.verify()] == [("instance", (2,))]
    store.close()


def test_how_version_3_was_ending_a_run_and_when_it_began_is_moved_to_columns(
    reopen: Opener, path: Path, url: str, clock: StillClock
) -> None:
    changes = Changes()
    changes.insert("instance", an_instance(1))
    stop, clock_ = {"kind": "cancelled", "actor": "it's me", "why": None}, {"boot": "b", "ticks": 7}
    selection = {"afresh": False, "clock": clock_, "stop": stop, "follows": {"after": [2]}}
    run = {"instance": 1, "run": 1, "status": "running", "trigger": "manual", "created_at": at()}
    changes.insert("run", {**run, "selection": selection})
    handling = {"recovery": 1, "now": {"asks": True}, "stop": stop, "forced": ["failed", "wrong"]}
    changes.insert("job_instance", a_job(1, handling=handling))
    (first := reopen()).commit(changes)
    first.close()
    back_to(3, path)

    store = open_store(url, clock=clock)

    row, job = store.run(1, 1), store.job(1)
    assert row
    assert job
    assert (row.stop, row.follows, row.boot_id, row.start_ticks) == (stop, {"after": [2]}, "b", 7)
    assert row.selection == {"afresh": False}
    assert job.stop == {**stop, "forced": ["failed", "wrong"]}
    assert Handling.from_json(job.handling) == Handling(recovery=1, asks=True)
    assert store.verify() == []
    store.close()


def back_to(version: int, path: Path) -> None:
    """As an engine of that schema version would have left it."""
    with closing(connect(path, read_only=False)) as database:
        for statement in without_triggers("sqlite"):
            database.execute(statement)
        for table in later_tables(version):
            database.execute(f"DROP TABLE {table}")
        for table, columns in later_columns(version).items():
            before = expression("sqlite", SUMMED[table], f'"{table}"', without=columns)
            database.execute(f'UPDATE "{table}" SET sum = {before}')
            for name in columns:
                database.execute(f'ALTER TABLE "{table}" DROP COLUMN "{name}"')
        database.execute(f"UPDATE meta SET value = '{version}' WHERE name = 'schema_version'")
        database.execute(f"PRAGMA user_version = {version}")
        database.commit()


def spoil(path: Path, change: str) -> None:
    """Change a row as a disk does: without anybody who makes a new checksum."""
    with closing(sqlite3.connect(path)) as database:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute(change)
        database.commit()
