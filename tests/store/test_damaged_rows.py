"""Rows that are not what was written: never shown as truth, put right where a single bit flipped."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.context.line import seal
from engine.model.codes.store import ROW_DAMAGED
from engine.model.errors import SkerryError
from engine.store.changes import Changes
from engine.store.healing import heal
from engine.store.sql_store import Store
from tests.store.conftest import Opener, a_job, an_instance
from tests.store.test_migrations import spoil

LINE = seal('{"seq":1,"time":"t","run":1,"actor":"engine","path":"$.TASK","new":{}')
TASK = {"tasks": {"pay": {"nodes": {"a": {"type": "shell", "script": "echo amount 100"}}}}}


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/skerry.db"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "skerry.db"


@pytest.fixture
def reopened(reopen: Opener, path: Path) -> Any:
    """A filled store, closed, spoilt by a statement and opened again."""

    def make(change: str) -> Store:
        store = reopen()
        changes = Changes()
        kept = changes.snapshot(TASK)
        for id in (1, 2):
            changes.insert("instance", an_instance(id, params={"amount": 100}))
            changes.insert("run", a_run(id, kept))
            changes.insert("job_instance", a_job(id, instance=id, status="failed", exit_code=3))
            changes.line(id, 1, LINE)
        changes.insert("exception", an_exception())
        changes.stat("task", "pay", True, 0.5)
        changes.setting("queue", {"size": 4})
        store.commit(changes)
        store.save_definitions({"tasks": {**TASK["tasks"], "tour": {"nodes": {"a": {"job": "b"}}}}})
        store.close()
        spoil(path, change)
        return reopen()

    return make


def a_run(instance: int, snapshot: str) -> dict[str, Any]:
    row = {"instance": instance, "run": 1, "status": "running", "trigger": "manual"}
    return {**row, "created_at": an_instance()["created_at"], "snapshot": snapshot}


def an_exception() -> dict[str, Any]:
    return {"id": 1, "code": -1, "message": "it failed", "created_at": an_instance()["created_at"]}


ROWS = {
    "a job": ("UPDATE job_instance SET status = 'succeeded' WHERE id = 1", lambda s: s.jobs(1)),
    "an instance": ("UPDATE instance SET params = '{\"amount\":900}' WHERE id = 1", lambda s: s.instance(1)),
    "a run": ("UPDATE run SET status = 'failed' WHERE instance = 1", lambda s: s.runs(1)),
    "a snapshot": ("UPDATE snapshot SET content = replace(content, '1', '9')", lambda s: s.snapshot(1, 1)),
    "a lost snapshot": ("DELETE FROM snapshot", lambda s: s.snapshot(1, 1)),
    "a definition": (
        "UPDATE definition_revision SET content = replace(content, '100', '900')",
        lambda s: s.definition("task", "pay"),
    ),
    "the state of a task": ("UPDATE definition SET state = 'online'", lambda s: s.definition("task", "pay")),
    "all definitions": ("UPDATE definition SET state = 'online'", lambda s: s.raw_definitions()),
    "no text": ("UPDATE snapshot SET content = CAST(content AS BLOB)", lambda s: s.snapshot(1, 1)),
    "a setting": ("UPDATE setting SET value = '{\"size\":9}'", lambda s: s.setting("queue")),
}


@pytest.mark.parametrize(("change", "ask"), ROWS.values(), ids=ROWS.keys())
def test_what_is_damaged_is_refused_with_its_place(reopened: Any, change: str, ask: Any) -> None:
    store = reopened(change)

    with pytest.raises(SkerryError) as caught:
        ask(store)

    assert caught.value.entry is ROW_DAMAGED
    assert caught.value.where


def test_a_list_names_the_damaged_one_and_shows_the_others(reopened: Any) -> None:
    store = reopened("UPDATE instance SET status = 'failed', task = 'other' WHERE id = 1")

    [second, first] = store.instances()

    assert (second.id, second.status, second.error_code) == (2, "running", None)
    assert (first.id, first.status, first.error_code) == (1, "lost", ROW_DAMAGED.number)
    assert "instance 1" in str(first.error_message)
    assert [row.status for row in store.browser().rows([1, 2])] == ["lost", "running"]
    assert [row.id for row in store.jobs(2)] == [2]


def test_an_exception_that_is_damaged_says_so_in_its_place(reopened: Any) -> None:
    [found] = reopened("UPDATE exception SET message = 'all is well'").exceptions()

    assert found.code == ROW_DAMAGED.number
    assert "all is well" not in found.message


def test_a_definition_that_is_damaged_hides_no_other_one(reopened: Any) -> None:
    store = reopened("UPDATE definition_revision SET content = replace(content, '100', '900')")

    [pay, tour] = store.definitions("task")

    assert (pay.id, pay.content, pay.error.entry) == ("pay", None, ROW_DAMAGED)
    assert (tour.content, tour.error) == ({"nodes": {"a": {"job": "b"}}}, None)
    assert [row.error is None for row in store.history("task", "pay")] == [False]


def test_a_statistic_that_is_damaged_has_its_code_and_no_figures(reopened: Any) -> None:
    [found] = reopened("UPDATE execute_stat SET counts = 7").stats()

    assert (found.id, found.counts, found.error_code_counts) == ("pay", 0, {ROW_DAMAGED.number: 1})


@pytest.mark.parametrize("head", ["'[2'", "'[0,\"\"]'", "x'00'"])
def test_an_audit_without_its_end_goes_on_and_stays_broken(reopened: Any, head: str) -> None:
    store = reopened(f"UPDATE meta SET value = {head} WHERE name = 'audit_head'")

    store.set_task_state("pay", "online")
    store.set_task_state("pay", "offline")

    assert [row.action for row in store.audit()] == ["define", "define", "state", "state"]
    assert [each.key for each in store.verify_audit()] == [(3,)]


def test_a_line_in_another_ones_place_is_noticed(reopened: Any) -> None:
    store = reopened("UPDATE context_line SET id = id + 1 WHERE id >> 32 = 1")

    assert [each.key for each in store.verify()] == [(1, 2)]


ONE_BIT = (
    "UPDATE job_instance SET status = 'gailed' WHERE id = 1",
    "UPDATE job_instance SET exit_code = 1 WHERE id = 1",
    "UPDATE instance SET params = CAST(x'7BA2' || substr(params, 3) AS TEXT) WHERE id = 1",
    "UPDATE instance SET params = CAST(params AS BLOB) WHERE id = 1",  # the last bit of its type
    "UPDATE instance SET sum = sum + 1 - 2 * (sum & 1) WHERE id = 2",
    "UPDATE snapshot SET content = replace(content, 'amount 100', 'amount 900')",
    "UPDATE snapshot SET content = CAST(content AS BLOB)",
    "UPDATE definition_revision SET content = replace(content, 'amount 100', 'amount 900')",
    "UPDATE context_line SET text = CAST(text AS BLOB) WHERE id >> 32 = 2",
    "UPDATE context_line SET text = replace(text, 'engine', 'engind') WHERE id >> 32 = 2",
    "UPDATE execute_stat SET total_execute_time = 1.0",
)


@pytest.mark.parametrize("change", ONE_BIT)
def test_a_single_bit_is_put_right(reopened: Any, reopen: Opener, path: Path, change: str) -> None:
    store = reopened(change)
    found = store.verify()
    store.close()
    assert found

    heal(path, found)

    store = reopen()
    assert store.verify() == []
    [first, second] = store.instances(newest_first=False)
    assert (first.params, second.params) == ({"amount": 100}, {"amount": 100})
    assert store.snapshot(1, 1) == TASK
    assert [(job.status, job.exit_code) for job in store.jobs(1)] == [("failed", 3)]
    assert list(store.lines(2)) == [LINE]


def test_what_more_than_a_bit_spoilt_is_not_guessed(reopened: Any, path: Path) -> None:
    store = reopened("UPDATE job_instance SET status = 'succeeded' WHERE id = 1")
    found = store.verify()

    heal(path, found)

    assert store.verify() == found


UNREADABLE = (
    "task = CAST(x'ff41' AS TEXT)",  # no UTF-8
    "params = CAST(x'7bff7d' AS TEXT)",
    "params = '{\"amount\":'",  # no JSON
    "params = 5",  # no text
    "scheduled_time = x'00ff'",
    "edited = 'true'",
)


@pytest.mark.parametrize("change", UNREADABLE)
def test_a_value_that_cannot_be_read_hides_no_other_row(reopened: Any, change: str) -> None:
    store = reopened(f"UPDATE instance SET {change} WHERE id = 1")

    found = {row.id: row for row in store.instances()}

    assert (found[2].status, found[2].params) == ("running", {"amount": 100})
    assert found[1].error_code == ROW_DAMAGED.number
    assert "instance 1" in found[1].error_message
    assert [row.id for row in store.browser().rows([1, 2])] == [1, 2]
    with pytest.raises(SkerryError) as caught:
        store.instance(1)
    assert caught.value.entry is ROW_DAMAGED


def test_all_that_is_no_text_any_more_is_found_by_verification(reopened: Any) -> None:
    store = reopened(
        "UPDATE context_line SET text = CAST(x'ff' || substr(text, 2) AS TEXT) WHERE id >> 32 = 1"
    )

    assert [(each.table, each.key) for each in store.verify()] == [("context_line", (1, 1))]


def test_damage_stays_recognizable_after_another_change(reopened: Any) -> None:
    store = reopened("SELECT 1")
    spoil_sum(store)
    changes = Changes()
    changes.update("instance", 1, {"priority": 3})
    store.commit(changes)

    assert [(each.table, each.key) for each in store.verify()] == [("instance", (1,))]


def spoil_sum(store: Store) -> None:
    with closing(sqlite3.connect(store.url)) as database:
        database.execute("UPDATE instance SET sum = sum + 1 WHERE id = 1")
        database.commit()
