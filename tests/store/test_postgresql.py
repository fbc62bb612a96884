"""What only a server does: it goes away and comes back, refuses people, and has several engines."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from engine.model.codes import store as codes
from engine.model.errors import Invalid, SkerryError
from engine.store import schema
from engine.store.changes import Changes
from engine.store.checksums import SUMMED, expression
from engine.store.opening import open_store
from engine.store.sql_store import Store
from engine.store.version_columns import later_columns, later_tables
from tests.servers.postgres import PostgreSql
from tests.store.conftest import Opener, StillClock, an_instance, with_instances


@pytest.fixture
def url(postgres: PostgreSql) -> str:
    return postgres.new_database(over_tcp=True)


def hang_up(postgres: PostgreSql, store: Store) -> None:
    """End all connections to the store's database, as a restart of the server does."""
    database = store.url.rpartition("/")[2]
    postgres.ask(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'")


def test_a_lost_connection_is_made_again(reopen: Opener, postgres: PostgreSql) -> None:
    store = reopen()
    with_instances(store, an_instance(1))

    hang_up(postgres, store)
    with_instances(store, an_instance(2))

    assert len(store.instances(limit=10_000)) == 2


def test_reading_goes_on_after_a_lost_connection(reopen: Opener, postgres: PostgreSql) -> None:
    store = reopen()
    store.instances()

    hang_up(postgres, store)

    assert store.instances() == []


def test_indexes_leave_out_there_what_they_leave_out_in_a_file(
    reopen: Opener, postgres: PostgreSql, tmp_path: Path
) -> None:
    database = reopen().url.rpartition("/")[2]
    open_store(f"sqlite:///{tmp_path / 'skerry.db'}", clock=StillClock()).close()

    answer = postgres.ask("SELECT indexname FROM pg_indexes WHERE indexdef LIKE '% WHERE %'", database)
    with closing(sqlite3.connect(tmp_path / "skerry.db")) as file:
        rows = file.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '% WHERE %'")
        assert set(answer) == set(rows)

    assert len(answer) == 5


def test_a_server_that_is_not_there_is_reported_without_its_password(clock: StillClock) -> None:
    with pytest.raises(SkerryError) as caught:
        open_store("postgresql+psycopg://ann:s3cret@127.0.0.1:1/none", clock=clock)

    assert caught.value.code == codes.UNREACHABLE.number
    assert "s3cret" not in caught.value.message + str(caught.value.where)


def test_a_driver_that_is_missing_is_reported(clock: StillClock, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(Invalid) as caught:
        open_store("postgresql+psycopg://ann@127.0.0.1:1/none", clock=clock)

    assert caught.value.code == codes.BAD_URL.number


def test_two_engines_that_start_at_once_make_one_schema(url: str, clock: StillClock) -> None:
    stores: list[Store] = []
    threads = [Thread(target=lambda: stores.append(open_store(url, clock=clock))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert len(stores) == 4
    for id, store in enumerate(stores):
        with_instances(store, an_instance(id))
    assert len(stores[0].instances(limit=10_000)) == 4
    for store in stores:
        store.close()


def test_engines_that_count_the_same_jobs_do_not_stop_each_other(reopen: Opener) -> None:
    stores = [reopen() for _ in range(4)]

    def count(store: Store, names: list[str]) -> None:
        for _ in range(30):
            changes = Changes()
            for name in names:
                changes.stat("job", name, False, 1.0, -11000001000)
            store.commit(changes)

    names = [f"j{number}" for number in range(10)]
    threads = [
        Thread(target=count, args=(each, names[:: 1 if n % 2 else -1])) for n, each in enumerate(stores)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert {(row.counts, row.error_code_counts[-11000001000]) for row in stores[0].stats()} == {(120, 120)}


def test_a_deadlock_is_resolved_by_trying_again(reopen: Opener) -> None:
    first, second = reopen(), reopen()
    with_instances(first, an_instance(1), an_instance(2))
    held = {1: Event(), 2: Event()}

    def lock(mine: int, other: int, cursor: Any) -> None:
        cursor.execute("UPDATE instance SET priority = priority + 1 WHERE id = %s", (mine,))
        held[mine].set()
        held[other].wait(10)
        cursor.execute("UPDATE instance SET priority = priority + 1 WHERE id = %s", (other,))

    threads = [
        Thread(target=store._writer.run, args=(partial(lock, mine, 3 - mine),))
        for mine, store in enumerate((first, second), start=1)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert [row.priority for row in first.instances()] == [2, 2]


@pytest.mark.parametrize(("durability", "wanted"), [("full", "on"), ("normal", "off")])
def test_the_writer_is_as_durable_as_asked(reopen: Opener, durability: str, wanted: str) -> None:
    store = reopen(durability=durability)

    assert store._writer.run(lambda c: c.execute("SHOW synchronous_commit").fetchone()[0]) == wanted


def test_an_older_schema_is_brought_up_and_a_newer_one_refused(
    reopen: Opener, url: str, clock: StillClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.store import migrations

    with_instances(reopen(), an_instance())
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    step = "ALTER TABLE meta ADD COLUMN note text"
    monkeypatch.setitem(migrations.MIGRATIONS, schema.VERSION - 1, lambda cursor: cursor.execute(step))

    store = open_store(url, clock=clock)

    assert len(store.instances(limit=10_000)) == 1
    found = "SELECT value, note FROM meta WHERE name = 'schema_version'"
    assert store._writer.run(lambda c: c.execute(found).fetchone()) == (str(schema.VERSION), None)
    store.close()
    monkeypatch.setattr(schema, "VERSION", schema.VERSION - 1)
    with pytest.raises(SkerryError) as caught:
        open_store(url, clock=clock)
    assert caught.value.code == codes.NEWER.number


def test_a_database_of_version_2_gets_checksums_of_everything(
    postgres: PostgreSql, clock: StillClock
) -> None:
    url = postgres.new_schema()
    store = open_store(url, clock=clock)
    with_instances(store, an_instance())
    store.save_definitions({"tasks": {"t": {"nodes": {}}}})
    store._writer.run(back_to_version_2)
    store.close()

    store = open_store(url, clock=clock)

    assert len(store.instances(limit=10_000)) == 1
    store.save_definitions({"tasks": {"u": {"nodes": {}}}})
    assert store.verify() == []
    store._writer.run(lambda cursor: cursor.execute("ALTER TABLE definition DISABLE TRIGGER ALL"))
    store._writer.run(lambda cursor: cursor.execute("UPDATE definition SET state = 'x' WHERE id = 'u'"))
    store._writer.run(lambda cursor: cursor.execute("ALTER TABLE definition ENABLE TRIGGER ALL"))
    store._writer.run(lambda cursor: cursor.execute("UPDATE definition SET position = 3 WHERE id = 'u'"))
    assert [(each.table, each.key) for each in store.verify()] == [("definition", ("task", "u"))]
    store.close()


def back_to_version_2(cursor: Any) -> None:
    for table in later_tables(2):
        cursor.execute(f"DROP TABLE {table} CASCADE")
        cursor.execute(f"DROP FUNCTION {table}_sum() CASCADE")
    for table in SUMMED.keys() - later_tables(2):
        cursor.execute(f"DROP FUNCTION {table}_sum() CASCADE")
        if table in ("instance", "run", "job_instance", "job_run", "exception", "alert"):
            body = "RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$"
            cursor.execute(f"CREATE FUNCTION {table}_sum() {body}")
        else:
            cursor.execute(f"ALTER TABLE {table} DROP COLUMN sum")
    for table, columns in later_columns(3).items():
        before = expression("postgresql", SUMMED[table], f'"{table}"', without=columns)
        cursor.execute(f'UPDATE "{table}" SET sum = {before}')
        dropped = ", ".join(f"DROP COLUMN {name}" for name in columns)
        cursor.execute(f'ALTER TABLE "{table}" {dropped}')
    cursor.execute("ALTER TABLE job_run DROP COLUMN log_size, DROP COLUMN error_log_size")
    cursor.execute("UPDATE meta SET value = '2' WHERE name = 'schema_version'")
