"""Several nodes are edited at once: what they have in common, as one step of undo."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QDate
from PySide6.QtWidgets import QDateEdit, QFileDialog
from pytestqt.qtbot import QtBot

from app.desktop.design.forms import shared_form
from app.desktop.design.forms.kinds.listing import ListEditor
from app.desktop.design.forms.node_form import NodeForm
from app.desktop.design.forms.shared_form import SharedForm, shared_fields
from app.desktop.design.tree import REMOVE, get
from app.desktop.widgets.questions import Asking
from tests.desktop.forms.acting import click, row, type_into
from tests.desktop.forms.conftest import Play, Show

NODES = {
    "a": {"type": "shell", "process": "echo a", "params": {"dir": "/x", "own": 1}, "timeout": "5m"},
    "b": {"type": "shell", "process": "echo b", "params": {"dir": "/y"}, "timeout": "5m"},
    "c": {"type": "python", "process": "print()", "params": {"dir": "/y"}},
}


def several(form: NodeForm, qtbot: QtBot, *nodes: str) -> SharedForm:
    made = SharedForm(form.context, form.document)
    qtbot.addWidget(made)
    made.resize(420, 900)
    with qtbot.waitExposed(made):
        made.show()
    made.show_nodes(nodes)
    return made


def test_a_value_is_set_in_all_of_them_and_taken_back_in_one_step(
    play: Play, show: Show, qtbot: QtBot
) -> None:
    document = play("t", {"tasks": {"t": {"nodes": NODES}}})
    form = several(show(document), qtbot, "a", "b", "c")

    type_into(row(form, "params/dir").box.main(), "/z")

    assert [get(document.tree, document.node_path(id, "params", "dir")) for id in NODES] == ["/z"] * 3
    assert document.undo.undoText() == "Change dir of 3 nodes"
    assert document.undo.count() == 1
    document.undo.undo()
    assert document.nodes == NODES


def test_what_they_do_not_have_in_common_is_left_out_and_differences_are_said(
    play: Play, show: Show, qtbot: QtBot
) -> None:
    document = play("t", {"tasks": {"t": {"nodes": NODES}}})
    form = several(show(document), qtbot, "a", "b")
    keys = [key.rpartition("nodes/a/")[2] for key in form.form.rows]

    assert "params/dir" in keys
    assert not {"process", "name", "params/own"} & set(keys)
    assert row(form, "params/dir").origin.text() == "not the same in all: a: /x, b: /y"
    fields = {each.path[4:]: each for each in shared_fields(form.context.scope(), ("a", "b", "c"))}
    assert fields["timeout",].given is False
    assert {each.path[4:]: each for each in shared_fields(form.context.scope(), ("a", "b"))}[
        "timeout",
    ].value == "5m"


def test_taking_a_value_away_leaves_the_nodes_that_have_none_alone(
    play: Play, show: Show, qtbot: QtBot
) -> None:
    nodes = {"a": {"type": "shell", "process": "x", "enabled": False},
             "b": {"type": "shell", "process": "y", "enabled": False}, "c": {"type": "shell", "process": "z"}}  # fmt: skip
    document = play("t", {"tasks": {"t": {"nodes": nodes}}})
    form = several(show(document), qtbot, "a", "b")
    form.context.set(next(each for each in form.form.fields if each.path[-1] == "enabled"), True)
    assert [document.nodes[id].get("enabled") for id in nodes] == [True, True, None]


def test_files_and_dates_of_a_list_are_picked(
    play: Play, show: Show, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = play("t", {"tasks": {"t": {"nodes": {
        "a": {"type": "shell", "process": "x", "params": {"all": ["one"]}}}}}})  # fmt: skip
    form = show(document)
    form.show_node("a")
    editor = row(form, "params/all").box.editor
    assert isinstance(editor, ListEditor)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (["/x/1", "/x/2"], ""))

    def pick(asked: Asking) -> bool:
        [day] = asked.findChildren(QDateEdit)
        day.setDate(QDate(2026, 11, 28))
        return True

    monkeypatch.setattr(Asking, "wanted", property(pick))
    click(editor.files)
    click(editor.dates)

    assert get(document.tree, document.node_path("a", "params", "all")) == [
        "one",
        "/x/1",
        "/x/2",
        "2026-11-28",
    ]


def test_the_fields_of_many_nodes_are_made_once_for_each_shape(
    play: Play, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given hundreds of nodes that differ in their values, and one in what it has
    nodes = {f"n{i}": {"type": "shell", "process": f"echo {i}", "timeout": i} for i in range(300)}
    nodes["n7"]["params"] = {"dir": "/x"}
    scope = show(play("t", {"tasks": {"t": {"nodes": nodes}}})).context.scope()
    made: list[str] = []
    fields_of = shared_form.node_fields
    monkeypatch.setattr(
        shared_form, "node_fields", lambda scope, node: made.append(node) or fields_of(scope, node)
    )  # type: ignore[func-returns-value]

    fields = {each.path[4:]: each for each in shared_fields(scope, tuple(nodes))}

    assert len(made) <= 3
    assert fields[("timeout",)].value is REMOVE
    assert fields[("timeout",)].origin[0].startswith("not the same in all: n0: 0, n1: 1")
    assert ("params", "dir") not in fields
