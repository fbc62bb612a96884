"""A task under edit: steps with names, merging, what changed, findings while one types."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.design.definition_library import DefinitionLibrary, changed_part
from app.desktop.design.document import REMOVE, Document, opened
from app.desktop.design.edits import add_node, remove_nodes
from app.desktop.kernel.console import Console

RAW = {
    "jobs": {"count": {"type": "shell", "process": "wc"}},
    "tasks": {
        "load": {
            "nodes": {
                "get": {"type": "shell", "process": "true"},
                "put": {"job": "count", "after": ["get"]},
            }
        }
    },
}


@pytest.fixture
def document(console: Console) -> Iterator[Document]:
    made = opened(console, "load", DefinitionLibrary(RAW))
    yield made
    made.deleteLater()


def test_a_value_is_set_undone_and_redone_with_its_name(document: Document) -> None:
    seen: list[str] = []
    document.changed.connect(lambda: seen.append(document.node("get")["process"]))

    document.set(document.node_path("get", "process"), "false", "Change of get")

    assert document.node("get")["process"] == "false"
    assert document.undo.undoText() == "Change of get"
    assert seen == ["false"]
    document.undo.undo()
    assert document.tree["tasks"] == RAW["tasks"]
    document.undo.redo()
    assert document.node("get")["process"] == "false"


def test_typing_in_one_field_is_one_step_and_another_field_is_the_next(document: Document) -> None:
    for text in ("a", "ab", "abc"):
        document.set(document.node_path("get", "process"), text, "Typing", merge="get/process")
    document.set(document.node_path("get", "name"), "G", "Typing", merge="get/name")

    assert document.undo.count() == 2
    document.undo.undo()
    document.undo.undo()
    assert document.node("get")["process"] == "true"


def test_a_removed_key_is_gone_and_an_edit_that_changes_nothing_makes_no_step(document: Document) -> None:
    document.set(document.node_path("put", "after"), REMOVE, "Unlink")
    document.set(document.node_path("put", "after"), REMOVE, "Unlink")

    assert "after" not in document.node("put")
    assert document.undo.count() == 1


def test_the_engine_finds_mistakes_while_one_edits(document: Document, qtbot: QtBot) -> None:
    document.set(document.node_path("put", "after"), ["nobody"], "Link")

    qtbot.waitUntil(lambda: bool(document.findings))

    finding = document.findings[0]
    assert finding.path[:4] == ("tasks", "load", "nodes", "put")
    assert "nobody" in document.text().splitlines()[finding.line - 1]


def test_a_shared_job_is_edited_where_it_is(document: Document) -> None:
    document.set(document.job_path("put", "process"), "wc -l", "Change of count")

    assert document.job("put")["process"] == "wc -l"
    assert changed_part(document.tree, document.library) == {
        "jobs": {"count": {"type": "shell", "process": "wc -l"}}
    }


def test_what_others_changed_is_followed_and_no_undo_brings_the_old_one_back(document: Document) -> None:
    document.edit(add_node("load", "new", {"job": "count"}), "Add new")
    theirs = {"type": "shell", "process": "theirs"}

    document.take(DefinitionLibrary({**RAW, "jobs": {"count": theirs}}))
    assert document.job("put") == theirs
    document.undo.undo()

    assert document.job("put") == theirs
    assert changed_part(document.tree, document.library) == {}


def test_deleted_nodes_are_no_longer_selected(document: Document) -> None:
    document.select(frozenset({"get", "put"}))

    document.edit(remove_nodes("load", ["get"]), "Delete get")

    assert document.selection == {"put"}
    assert "after" not in document.node("put")
