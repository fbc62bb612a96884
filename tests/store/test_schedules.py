"""Schedules for as long as they hold, states of several tasks in one transaction, instances by their time."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.model.errors import SkerryError
from engine.store.changes import Changes
from engine.store.opening import open_store
from engine.store.sql_store import Store
from tests.store.conftest import StillClock, an_instance, at, golden, with_instances

TASKS = {"tasks": {"a": {"nodes": {}}, "b": {"nodes": {}}}}


def a_schedule(id: int, task: str = "a", **values: object) -> dict[str, object]:
    return {"id": id, "task": task, "since": at(), "level": "day", "zone": "UTC", **values}


def test_a_schedule_holds_until_it_is_over(store: Store) -> None:
    changes = Changes()
    changes.insert("schedule", a_schedule(1, next_at=at(days=1)))
    changes.insert("schedule", a_schedule(2, "b"))
    store.commit(changes)
    over = Changes()
    over.move("schedule", 1, None, at(hours=1))
    over.insert("schedule", a_schedule(3, since=at(hours=2)))
    store.commit(over)

    assert [row.id for row in store.schedules()] == [2, 3]
    assert store.how_many_hold() == 2
    assert [(row.since, row.until) for row in store.schedules_of("a")] == [
        (at(), at(hours=1)),
        (at(hours=2), None),
    ]


def test_states_of_several_tasks_change_together_or_not_at_all(store: Store) -> None:
    store.save_definitions(TASKS)
    changes = Changes()
    changes.move_task("a", "init", "online")
    changes.move_task("b", "offline", "online")

    with pytest.raises(SkerryError):
        store.commit(changes)

    assert [head.state for head in store.task_heads()] == ["init", "init"]
    one = Changes()
    one.move_task("a", "init", "online")
    store.commit(one)
    assert [head.state for head in store.task_heads()] == ["online", "init"]


def test_whoever_has_read_definitions_sees_that_they_were_written_since(store: Store) -> None:
    before = store.definitions_written
    store.save_definitions(TASKS)
    saved = store.definitions_written
    store.set_task_state("a", "online")
    moved = store.definitions_written
    with_instances(store, an_instance())

    assert before < saved < moved == store.definitions_written


def test_an_instance_is_found_by_its_task_and_time(store: Store) -> None:
    with_instances(store, an_instance(3))

    found = store.instance_at("nightly", at(seconds=3))

    assert found is not None
    assert found.id == 3
    assert store.instance_at("nightly", at(seconds=4)) is None


def test_a_file_of_version_4_opens_with_its_task_online_and_no_schedule_yet(
    tmp_path: Path, clock: StillClock
) -> None:
    path = tmp_path / "skerry.db"
    golden(path, 4)

    store = open_store(f"sqlite:///{path}", clock=clock)

    assert [(head.task, head.state) for head in store.task_heads()] == [("t", "online"), ("u", "init")]
    assert [row.due_at for row in store.instances()] == [None, None]
    assert store.schedules() == []
    assert store.verify() == []
    assert store.put_right == []
    changes = Changes()
    changes.insert("schedule", a_schedule(1, "t"))
    store.commit(changes)
    store.close()
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT sum IS NOT NULL FROM schedule").fetchone() == (1,)
