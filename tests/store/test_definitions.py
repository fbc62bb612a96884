"""Definitions in the store: revisions, deletion, states, and the way back to a file; on every database."""

from __future__ import annotations

from typing import Any

import pytest

from engine.model.codes import store as codes
from engine.model.errors import Refused, SkerryError
from engine.store.revisions import SavedDefinition
from engine.store.sql_store import Store
from tests.store.conftest import Opener, StillClock, at

RAW: dict[str, Any] = {
    "skerry": 1,
    "project": "harbour",
    "resources": {"ledger": {"type": "database", "uri": "sqlite:///x"}},
    "jobs": {"z": {"type": "shell", "params": {"b": 1, "a": "港"}}, "a": {"type": "command", "argv": ["x"]}},
    "tasks": {
        "nightly": {"nodes": {"one": {"job": "z"}}},
        "own": {"project": "quay", "state": "online", "nodes": {}},
    },
    "rules": [{"id": "first", "code": -1}, {"code": -2}],
    "errors": {"-20990001000": {"en": {"title": "Tide"}}},
}


def revisions(saved: list[SavedDefinition]) -> dict[str, int]:
    return {each.id: each.revision for each in saved}


def test_a_file_comes_back_as_it_was(store: Store) -> None:
    store.save_definitions(RAW)

    raw = store.raw_definitions()

    assert raw == {
        "resources": RAW["resources"],
        "jobs": RAW["jobs"],
        "tasks": {
            "nightly": {"nodes": {"one": {"job": "z"}}, "project": "harbour"},
            "own": RAW["tasks"]["own"],
        },
        "rules": RAW["rules"],
        "errors": RAW["errors"],
    }
    assert [list(raw["jobs"]), list(raw["jobs"]["z"]["params"])] == [["z", "a"], ["b", "a"]]
    assert [row.id for row in store.definitions("job")] == ["a", "z"]


def test_identical_content_keeps_its_revision(store: Store) -> None:
    first = store.save_definitions(RAW, actor="ann")
    again = store.save_definitions(RAW, actor="bob")
    dumped = store.save_definitions(store.raw_definitions())

    assert {each.new for each in first} == {True}
    assert {each.new for each in [*again, *dumped]} == {False}
    assert revisions(first) == revisions(again) == revisions(dumped)
    assert [row.actor for row in store.history("job", "a")] == ["ann"]


def test_a_difference_is_a_new_revision_and_the_old_one_stays(store: Store, clock: StillClock) -> None:
    store.save_definitions({"jobs": {"a": {"params": {"x": 1, "y": 2}}, "b": {}}})
    clock.forward(hours=1)

    saved = store.save_definitions({"jobs": {"a": {"params": {"y": 2, "x": 1}}, "b": {}}}, actor="bob")

    assert saved == [SavedDefinition("job", "a", 2, new=True), SavedDefinition("job", "b", 1, new=False)]
    [new, old] = store.history("job", "a")
    assert (new.revision, new.created_at, new.actor) == (2, at(hours=1), "bob")
    assert (old.revision, list(old.content["params"])) == (1, ["x", "y"])
    assert store.definition("job", "a") == new
    assert store.definition("job", "a", revision=1) == old
    assert store.definition("job", "a", revision=3) is None


def test_what_was_deleted_is_gone_but_its_history_stays(store: Store) -> None:
    store.save_definitions({"jobs": {"a": {"type": "shell"}}, "tasks": {"t": {"nodes": {}}}})

    assert store.delete_definition("job", "a", actor="ann") == 2
    assert store.delete_definition("task", "t") == 2

    assert store.definition("job", "a") is None
    assert store.definitions("job") == []
    assert store.raw_definitions() == {}
    [gone, was] = store.history("job", "a")
    assert (gone.content, gone.actor, was.content) == (None, "ann", {"type": "shell"})
    assert store.history("task", "t")[0].state == "deleted"
    again = store.save_definitions({"jobs": {"a": {"type": "shell"}}, "tasks": {"t": {"nodes": {}}}})
    assert revisions(again) == {"a": 3, "t": 3}
    assert store.definitions("task")[0].state == "init"


@pytest.mark.parametrize("there", [True, False])
def test_what_is_not_there_cannot_be_deleted_or_changed(store: Store, there: bool) -> None:
    if there:
        store.save_definitions({"tasks": {"t": {}}})
        store.delete_definition("task", "t")

    for each in (lambda: store.delete_definition("task", "t"), lambda: store.set_task_state("t", "online")):
        with pytest.raises(SkerryError) as caught:
            each()
        assert caught.value.code == codes.MISSING.number


def test_a_task_keeps_its_state_whatever_its_new_revision_says(store: Store) -> None:
    def state() -> str | None:
        return store.definitions("task")[0].state

    store.save_definitions({"tasks": {"t": {"name": "1"}}})
    assert state() == "init"
    store.set_task_state("t", "online")
    store.save_definitions({"tasks": {"t": {"name": "2"}}})
    assert state() == "online"
    store.save_definitions({"tasks": {"t": {"name": "3", "state": "offline"}}})
    assert state() == "online"
    store.delete_definition("task", "t")
    store.save_definitions({"tasks": {"t": {"name": "3", "state": "offline"}}})  # then it is a new one
    assert state() == "offline"


def test_tasks_are_found_by_project(store: Store) -> None:
    store.save_definitions(RAW)

    assert [row.id for row in store.definitions("task", project="quay")] == ["own"]
    assert [row.project for row in store.definitions("task")] == ["harbour", "quay"]


def test_definitions_survive_a_restart(reopen: Opener) -> None:
    first = reopen()
    first.save_definitions(RAW)
    raw = first.raw_definitions()
    first.close()

    assert reopen().raw_definitions() == raw


def test_ten_thousand_definitions_are_compared_at_once(store: Store) -> None:
    raw: dict[str, Any] = {"tasks": {f"t{n}": {"nodes": {}} for n in range(2000)}}
    store.save_definitions(raw)
    raw["tasks"]["t7"] = {"nodes": {"new": {}}}

    saved = store.save_definitions(raw)

    assert [each for each in saved if each.new] == [SavedDefinition("task", "t7", 2, new=True)]


def test_the_state_of_a_task_is_changed_from_the_one_that_was_seen(store: Store) -> None:
    store.save_definitions({"tasks": {"t": {}}})
    store.set_task_state("t", "online", before="init")

    with pytest.raises(Refused, match="task 't' is online, no longer init"):
        store.set_task_state("t", "deleted", before="init")

    assert store.definitions("task")[0].state == "online"
