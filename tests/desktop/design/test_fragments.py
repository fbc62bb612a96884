"""Pieces of tasks on the clipboard, frames and comments, guides, what the palette offers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app import wiring
from app.desktop.design import canvas_extras as beside
from app.desktop.design.drag_overlay import snap
from app.desktop.design.edits import nodes_of
from app.desktop.design.entries import entries, fitting, search, starting_node
from app.desktop.design.fragments import fragment, from_bytes, pasted, to_bytes

TREE: dict[str, Any] = {
    "jobs": {"count": {"type": "shell", "resources": ["db"]}, "unused": {"type": "shell"}},
    "resources": {"db": {"type": "database"}, "other": {"type": "file"}},
    "tasks": {
        "t": {
            "nodes": {
                "a": {"type": "shell"},
                "b": {"job": "count", "after": ["a"], "params": {"x": "$.JOB['a'].OUTPUT"}},
                "c": {"type": "shell", "after": ["b"]},
                "d": {"type": "condition", "after": ["c"], "branches": {"true": ["e"], "false": ["a"]}},
                "e": {"type": "shell"},
            }
        },
        "u": {"nodes": {"a": {"type": "wait"}}},
    },
}
PLACES = {"a": (0.0, 0.0), "b": (272.0, 80.0)}


def test_a_fragment_takes_along_what_its_nodes_use_and_no_link_to_the_outside() -> None:
    piece = fragment(TREE, "t", ["b", "c"], PLACES)

    assert set(piece["jobs"]) == {"count"}
    assert set(piece["resources"]) == {"db"}
    nodes = piece["tasks"]["_"]["nodes"]
    assert "after" not in nodes["b"]
    assert nodes["c"]["after"] == ["b"]


def test_a_pasted_fragment_gets_free_ids_and_its_expressions_follow() -> None:
    piece = from_bytes(to_bytes(fragment(TREE, "t", ["a", "b"], PLACES)))
    assert piece is not None

    edit, ids = pasted(TREE, "u", piece, (100.0, 50.0))
    nodes = nodes_of(edit(TREE), "u")

    assert ids == {"a_2", "b"}
    assert nodes["b"]["after"] == ["a_2"]
    assert nodes["b"]["params"] == {"x": "$.JOB['a_2'].OUTPUT"}
    assert nodes["b"]["position"] == [372, 130]
    assert nodes["a"] == {"type": "wait"}


def test_a_fragment_pasted_into_its_own_task_is_a_duplicate() -> None:
    piece = fragment(TREE, "t", ["a", "b", "c"], PLACES)

    edit, ids = pasted(TREE, "t", piece, (0.0, 0.0))

    assert ids == {"a_2", "b_2", "c_2"}
    assert nodes_of(edit(TREE), "t")["c_2"]["after"] == ["b_2"]


def test_branches_within_a_fragment_stay_and_others_go() -> None:
    piece = fragment(TREE, "t", ["d", "e"], {})

    assert piece["tasks"]["_"]["nodes"]["d"]["branches"] == {"true": ["e"], "false": []}


def test_jobs_come_along_into_a_workspace_that_has_none() -> None:
    other: dict[str, Any] = {"tasks": {"x": {"nodes": {}}}}

    edit, _ = pasted(other, "x", fragment(TREE, "t", ["b"], {}), (0.0, 0.0))

    assert edit(other)["jobs"] == {"count": TREE["jobs"]["count"]}


def test_foreign_bytes_are_no_fragment() -> None:
    for data in (
        b"",
        b"\xff",
        b"[]",
        b'{"tasks": {"_": {"nodes": {}}}}',
        b'{"tasks": {"_": {"nodes": {"a": 1}}}}',
    ):
        assert from_bytes(data) is None


def test_frames_comments_and_pins_are_kept_in_a_file_of_their_own(tmp_path: Path) -> None:
    extras = beside.frame("Load", ["a", "b"])({})
    extras = beside.note("note", "Mind the gap", (10.4, 20.0))(extras)
    extras = beside.pinned(["a"], True)(extras)

    beside.write_extras(tmp_path, "t", extras)

    assert beside.read_extras(tmp_path, "t") == extras
    assert beside.extras_file(tmp_path, "t").stat().st_mode & 0o777 == 0o600
    [frame] = beside.frames(extras)
    assert frame.title == "Load"
    assert frame.members == {"a", "b"}
    [note] = beside.notes(extras)
    assert note.position == (10, 20)
    assert beside.pins(extras) == {"a"}


def test_what_is_empty_leaves_no_file_and_a_broken_file_is_nothing(tmp_path: Path) -> None:
    beside.write_extras(tmp_path, "t", beside.frame("x", ["a"])({}))
    beside.write_extras(tmp_path, "t", beside.left_alone(["a"])(beside.read_extras(tmp_path, "t")))
    assert not beside.extras_file(tmp_path, "t").exists()

    beside.extras_file(tmp_path, "t").write_text("{broken")
    assert beside.read_extras(tmp_path, "t") == {}


def test_frames_and_pins_follow_a_renamed_node() -> None:
    extras = beside.pinned(["a"], True)(beside.frame("x", ["a", "b"])({}))

    extras = beside.renamed("a", "z")(extras)
    assert beside.frames(extras)[0].members == {"z", "b"}
    assert beside.pins(extras) == {"z"}


def test_a_dragged_node_snaps_to_a_neighbour_and_else_to_the_grid() -> None:
    caught = snap((0.0, 0.0), (269.0, 13.0), [(272.0, 400.0)], reach=6)

    assert caught.delta == (272.0, 16.0)
    assert caught.columns == (272.0,)
    assert caught.rows == ()


def test_the_palette_offers_types_jobs_and_other_tasks_and_finds_by_word() -> None:
    types = wiring.job_types()
    found = entries(types, TREE["jobs"], TREE["tasks"], "t", chinese=False)

    assert found[0].id == "shell"
    assert [entry.node for entry in found if entry.group == "task"] == [{"type": "task", "task": "u"}]
    assert search(found, "unus")[0].node == {"job": "unused"}
    assert "sql" in {entry.id for entry in search(found, "SQL")}
    assert next(entry.id for entry in search(found, "SQL q")) == "sql_query"


def test_after_a_query_what_takes_its_results_comes_first() -> None:
    types = wiring.job_types()
    found = entries(types, {}, {}, "t", chinese=False)

    order = [entry.id for entry in fitting(found, "concat_text", types)]

    assert order.index("read_file") < order.index("wait")
    assert set(order) == {entry.id for entry in found}


def test_every_type_has_a_node_to_start_with() -> None:
    for kind, type in wiring.job_types().items():
        assert starting_node(kind, type)["type"] == kind
