"""What a person does to a task, on plain trees."""

from __future__ import annotations

from typing import Any

import pytest

from app.desktop.canvas.graph import GraphLink
from app.desktop.design import edits
from app.desktop.design.edits import nodes_of, picture, refusal, renamed_text
from engine.model.expression import parse_path

TREE: dict[str, Any] = {
    "jobs": {"reuse": {"type": "condition", "value": "1 == 1", "branches": {True: ["yes"]}}},
    "tasks": {
        "t": {
            "results": {"out": {"value": "$.JOB['a'].OUTPUT"}},
            "nodes": {
                "a": {"type": "shell", "process": "echo a"},
                "b": {"type": "shell", "after": ["a"], "params": {"x": "{$.JOB['a'].OUTPUT}!", "y": "a"}},
                "choose": {
                    "type": "condition",
                    "after": ["b"],
                    "value": "$.JOB['a'].EXIT_CODE",
                    "branches": {"0": ["yes"], "1": {"run": ["no"], "again": True, "from": "a"}},
                },
                "yes": {"type": "shell"},
                "no": {"type": "shell"},
            },
        }
    },
}


def test_the_picture_has_branches_with_keys_and_the_loop() -> None:
    links = picture(TREE, "t").links

    assert GraphLink("choose", "yes", "branch", "0") in links
    assert GraphLink("choose", "a", "loop", "1") in links
    assert GraphLink("a", "b") in links


@pytest.mark.parametrize(
    "text",
    [
        "$.JOB.a.EXIT_CODE",
        "$.JOB['a'].EXIT_CODE",
        '$.JOB["a"].EXIT_CODE',
        "$.JOB[ 'a' ].EXIT_CODE",
    ],
)
def test_however_an_expression_names_a_node_it_names_the_renamed_one(text: str) -> None:
    new = renamed_text(f"echo {{{text}}} $.JOB.ab $.JOB['b-a'] a", "a", "x-1")

    found = new.removeprefix("echo {").partition("}")[0]
    assert parse_path(text) == ("JOB", "a", "EXIT_CODE")
    assert parse_path(found) == ("JOB", "x-1", "EXIT_CODE")
    assert new.endswith(" $.JOB.ab $.JOB['b-a'] a")


def test_a_renamed_node_is_renamed_wherever_the_task_names_it() -> None:
    task = edits.rename_node("t", "a", "first")(TREE)["tasks"]["t"]

    assert list(task["nodes"]) == ["first", "b", "choose", "yes", "no"]
    assert task["nodes"]["b"]["after"] == ["first"]
    assert task["nodes"]["b"]["params"] == {"x": "{$.JOB['first'].OUTPUT}!", "y": "a"}
    assert task["nodes"]["choose"]["branches"]["1"]["from"] == "first"
    assert task["results"]["out"]["value"] == "$.JOB['first'].OUTPUT"


def test_a_renamed_node_is_renamed_in_jobs_of_the_library_that_no_other_task_uses() -> None:
    # given a node whose id three jobs of the library name: one is only this task's, in one it is the job's own id
    text = "echo {$.JOB['a'].OUTPUT}"
    job = {"type": "shell", "process": text}
    uses = {"nodes": {"a": {"type": "shell"}, "x": {"job": "own"}, "y": {"job": "shared"}, "z": {"job": "a"}}}
    tree = {
        "jobs": {"own": job, "shared": job, "a": job},
        "tasks": {"t": uses, "u": {"nodes": {"y": {"job": "shared"}}}},
    }

    jobs = edits.rename_node("t", "a", "first")(tree)["jobs"]

    assert jobs["own"]["process"] == "echo {$.JOB['first'].OUTPUT}"
    assert jobs["shared"]["process"] == jobs["a"]["process"] == text


def test_a_deleted_node_leaves_no_link_or_branch_behind() -> None:
    nodes = nodes_of(edits.remove_nodes("t", ["yes", "a"])(TREE), "t")

    assert set(nodes) == {"b", "choose", "no"}
    assert "after" not in nodes["b"]
    assert nodes["choose"]["branches"] == {"0": [], "1": {"run": ["no"], "again": True}}
    both = nodes_of(edits.remove_nodes("t", ["no", "a"])(TREE), "t")
    assert both["choose"]["branches"]["1"] == {"run": [], "again": True}


def test_links_are_made_and_taken_away_whatever_their_kind() -> None:
    linked = edits.link("t", "a", "no")(TREE)
    assert nodes_of(linked, "t")["no"]["after"] == ["a"]
    assert nodes_of(edits.unlink("t", "a", "no")(linked), "t")["no"] == {"type": "shell"}

    moved = edits.branch("t", "choose", "0", "no")(TREE)
    assert nodes_of(moved, "t")["choose"]["branches"]["0"] == ["yes", "no"]
    assert nodes_of(moved, "t")["choose"]["branches"]["1"]["run"] == []
    assert nodes_of(edits.unloop("t", "choose", "1")(TREE), "t")["choose"]["branches"]["1"] == ["no"]


def test_a_branch_of_a_reusable_condition_is_written_into_the_job() -> None:
    tree = edits.add_node("t", "shared", {"job": "reuse"})(TREE)

    answer = edits.branch("t", "shared", "true", "b")(tree)

    assert answer["jobs"]["reuse"]["branches"] == {True: ["yes", "b"]}


def test_a_cycle_is_refused_with_its_path() -> None:
    graph = picture(TREE, "t")

    assert refusal(graph, "choose", "a") == ["a", "b", "choose", "a"]
    assert refusal(graph, "a", "a") == ["a", "a"]
    assert refusal(graph, "a", "b") == []
    assert refusal(graph, "a", "no") is None


def test_free_ids_are_ids() -> None:
    assert edits.free_id("载入 data!", []) == "data"
    assert edits.free_id("载入", []) == "node"
    assert edits.free_id("7z", ["x"]) == "n7z"


def test_the_original_tree_is_never_touched() -> None:
    before = repr(TREE)

    edits.remove_nodes("t", ["a"])(TREE)
    edits.place_nodes("t", {"a": (1.6, 2)})(TREE)

    assert repr(TREE) == before


SEQUENCE: dict[str, Any] = {
    "tasks": {"t": {"sequence": True, "nodes": {id: {"type": "shell"} for id in ("a", "b", "c", "d")}}}
}


def after_edit(edit: edits.Edit) -> dict[str, Any]:
    """What each node of a sequence says that it comes after, once it was edited."""
    nodes = nodes_of(edit(SEQUENCE), "t")
    return {id: node["after"] for id, node in nodes.items() if "after" in node}


def test_a_sequence_is_drawn_as_a_chain() -> None:
    assert [each.key for each in picture(SEQUENCE, "t").links] == [("a", "b"), ("b", "c"), ("c", "d")]


def test_a_further_link_into_a_node_of_a_sequence_keeps_the_one_of_its_place() -> None:
    assert after_edit(edits.link("t", "a", "d")) == {"d": ["c", "a"]}


def test_a_link_of_a_sequence_can_be_taken_away() -> None:
    assert after_edit(edits.unlink("t", "b", "c")) == {"c": []}


def test_a_node_of_a_sequence_can_be_deleted_and_the_next_one_closes_up() -> None:
    changed = edits.remove_nodes("t", ["b"])(SEQUENCE)

    assert [each.key for each in picture(changed, "t").links] == [("a", "c"), ("c", "d")]
