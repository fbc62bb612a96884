"""The audit is a chain: whatever is done to it afterwards shows."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from engine.model.errors import SkerryError
from engine.store import migrations
from engine.store.audit import FIRST, Head, broken, link
from engine.store.changes import Changes
from engine.store.opening import open_store
from engine.store.rebuild import rebuild
from engine.store.rows import AuditRow
from engine.store.sql_store import Store
from tests.store.conftest import Opener, StillClock, an_instance, of_version_2

TASK = {"tasks": {"t": {"nodes": {"a": {"type": "shell", "process": "true"}}}}}


def chain(count: int) -> tuple[list[AuditRow], Head]:
    rows, last = [], FIRST
    for seq in range(1, count + 1):
        values = (seq, f"2026-11-21T08:{seq:02d}", "li", "set", f"instance {seq}", "{}")
        last = link(last, *values)
        rows.append(AuditRow(*values, last))
    return rows, Head(count, last)


def edited(rows: list[AuditRow], rng: random.Random) -> list[AuditRow]:
    place, name = rng.randrange(len(rows)), rng.choice(["time", "actor", "action", "subject", "details"])
    return [replace(row, **{name: f"x{rng.random()}"}) if i == place else row for i, row in enumerate(rows)]


def removed(rows: list[AuditRow], rng: random.Random) -> list[AuditRow]:
    place = rng.randrange(len(rows))
    return rows[:place] + rows[place + 1 :]


def cut(rows: list[AuditRow], rng: random.Random) -> list[AuditRow]:
    return rows[: rng.randrange(len(rows))]


def swapped(rows: list[AuditRow], rng: random.Random) -> list[AuditRow]:
    one, two = rng.sample(range(len(rows)), 2)
    found = list(rows)
    found[one], found[two] = replace(rows[two], seq=one + 1), replace(rows[one], seq=two + 1)
    return found


def inserted(rows: list[AuditRow], rng: random.Random) -> list[AuditRow]:
    place = rng.randrange(len(rows) + 1)
    new = AuditRow(0, "t", "x", "set", "y", "{}", link(FIRST, "t"))
    found = [*rows[:place], new, *rows[place:]]
    return [replace(row, seq=number) for number, row in enumerate(found, 1)]


@pytest.mark.parametrize("tamper", [edited, removed, cut, swapped, inserted])
def test_a_thousand_ways_to_tamper_are_all_noticed(
    tamper: Callable[[list[AuditRow], random.Random], list[AuditRow]],
) -> None:
    rows, head = chain(12)
    assert not list(broken(rows, head))
    for seed in range(200):
        assert list(broken(tamper(rows, random.Random(seed)), head)), seed


def test_what_is_done_is_written_with_it_and_holds_together(store: Store, clock: StillClock) -> None:
    store.save_definitions(TASK, actor="li")
    store.save_definitions(TASK, actor="wang")  # nothing new
    store.set_task_state("t", "online", actor="li")
    changes = Changes()
    changes.insert("instance", an_instance())
    changes.act("li", "set", "instance 1", path="$.TASK.PARAMS['x']")
    store.commit(changes)
    store.remove_instances([1])
    store.delete_definition("task", "t", actor="li")

    found = [(row.actor, row.action, row.subject) for row in store.audit()]

    assert found == [
        ("li", "define", "task t"), ("li", "state", "task t"), ("li", "set", "instance 1"),
        ("engine", "remove", "instances"), ("li", "delete", "task t"),
    ]  # fmt: skip
    assert store.audit_head() == (5, store.audit(after=4)[0].hash)
    assert not store.verify_audit()
    assert not store.verify()


def test_what_is_not_committed_is_not_reported(store: Store) -> None:
    changes = Changes()
    changes.update("instance", 7, {"worker": "x"})
    changes.act("li", "force", "instance 7")
    with pytest.raises(SkerryError):
        store.commit(changes)
    assert store.audit() == []
    assert not store.verify_audit()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET actor = 'nobody' WHERE seq = 2",
        "DELETE FROM audit WHERE seq = 2",
        "DELETE FROM audit WHERE seq = 3",
        "DELETE FROM audit",
        "UPDATE audit SET seq = 9 WHERE seq = 3",
        "DELETE FROM meta WHERE name = 'audit_head'",
        "UPDATE meta SET value = 'x' WHERE name = 'audit_head'",
    ],
)
def test_a_change_behind_its_back_is_found(store: Store, statement: str) -> None:
    for number in range(3):
        store.save_definitions({"jobs": {f"j{number}": {"type": "shell", "process": "true"}}}, actor="li")
    store._writer.run(lambda cursor: cursor.execute(statement))

    assert store.verify_audit()


def test_two_stores_write_one_chain(reopen: Opener) -> None:
    one, two = reopen(), reopen()
    for number in range(6):
        (one, two)[number % 2].save_definitions({"rules": [{"id": f"r{number}", "when": {}}]}, actor="li")
    assert [row.seq for row in one.audit()] == [1, 2, 3, 4, 5, 6]
    assert not two.verify_audit()


def test_a_file_of_version_1_gets_an_empty_chain(tmp_path: Path, clock: StillClock) -> None:
    of_version_2(tmp_path / "skerry.db")
    with closing(sqlite3.connect(tmp_path / "skerry.db")) as database:  # version 1 had no audit
        database.executescript(
            "DROP TABLE audit; DELETE FROM meta WHERE name = 'audit_head'; "
            "UPDATE meta SET value = '1' WHERE name = 'schema_version'"
        )

    store = open_store(f"sqlite:///{tmp_path}/skerry.db", clock=clock)

    assert len(store.instances(limit=10_000)) == 1
    assert store.audit() == []
    store.save_definitions(TASK, actor="li")
    assert [row.actor for row in store.audit()] == ["li"]
    assert not store.verify_audit()
    store.close()
    assert 1 in migrations.MIGRATIONS


def test_a_rebuilt_database_says_that_its_chain_begins_there(store: Store, tmp_path: Path) -> None:
    (tmp_path / "instances").mkdir()
    rebuild(tmp_path / "instances", store)
    assert [(row.seq, row.action) for row in store.audit()] == [(1, "rebuild")]
    assert not store.verify_audit()
