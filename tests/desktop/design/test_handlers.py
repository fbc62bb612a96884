"""Handlers of a task's end in the designer: made from nodes, edited in the form, deleted; linked to nothing."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.desktop.design import edits
from app.desktop.design.canvas import DesignCanvas
from app.desktop.design.definition_library import DefinitionLibrary
from app.desktop.design.document import Document, opened
from app.desktop.design.forms.node_form import NodeForm
from app.desktop.design.problems import where
from app.desktop.kernel.console import Console
from engine.definitions.notes import Finding
from tests.desktop.design.test_canvas import document

LOAD = {"type": "shell", "process": "true", "position": [0, 0]}
MAIL = {
    "type": "http", "url": "http://127.0.0.1/", "after": ["load"], "run_if": "all_done", "position": [272, 0],
}  # fmt: skip
RAW: dict[str, Any] = {"tasks": {"t": {"nodes": {"load": LOAD, "mail": MAIL}}}}


@pytest.fixture
def canvas(console: Console, qtbot: QtBot) -> DesignCanvas:
    canvas = DesignCanvas(console)
    qtbot.addWidget(canvas)
    canvas.resize(1280, 700)
    document = opened(console, "t", DefinitionLibrary(RAW))
    document.setParent(canvas)
    canvas.show_document(document)
    with qtbot.waitExposed(canvas):
        canvas.show()
    return canvas


def task(canvas: DesignCanvas) -> Any:
    return document(canvas).task


def test_a_node_becomes_a_handler_without_what_only_nodes_have(canvas: DesignCanvas) -> None:
    canvas.commands.make_handler("mail", "failed")

    assert task(canvas) == {
        "nodes": {"load": LOAD},
        "on_end": {"failed": {"type": "http", "url": "http://127.0.0.1/", "position": [272, 0]}},
    }
    assert canvas.selected() == {"on_end.failed"}
    assert [node.id for node in canvas.graph.nodes] == ["load", "on_end.failed"]


def test_with_nothing_selected_a_script_is_made(canvas: DesignCanvas) -> None:
    canvas.commands.make_handler(None, "always")

    assert task(canvas)["on_end"]["always"]["type"] == "shell"
    assert set(task(canvas)["nodes"]) == {"load", "mail"}


def test_the_menu_offers_the_outcomes_that_have_none_yet(canvas: DesignCanvas, qtbot: QtBot) -> None:
    canvas.commands.make_handler(None, "failed")
    canvas.select({"mail"})

    canvas.commands.ask_outcome()

    [menu] = canvas.findChildren(QMenu)
    free = [each.text() for each in menu.actions() if each.isEnabled()]
    assert free == ["When the run has succeeded", "When it was cancelled", "In any case, last"]
    menu.actions()[0].trigger()
    assert task(canvas)["on_end"]["succeeded"]["type"] == "http"
    menu.close()


def test_handlers_are_moved_switched_and_deleted_like_nodes_each_a_step_of_undo(canvas: DesignCanvas) -> None:
    canvas.commands.make_handler("mail", "failed")
    canvas.commands.place({"on_end.failed": (100.0, 200.0)})
    canvas.commands.switch()
    assert task(canvas)["on_end"]["failed"]["position"] == [100, 200]
    assert task(canvas)["on_end"]["failed"]["enabled"] is False

    canvas.select({"on_end.failed"})
    canvas.commands.delete()
    assert task(canvas) == {"nodes": {"load": LOAD}}

    for _ in range(4):
        document(canvas).undo.undo()
    assert task(canvas) == RAW["tasks"]["t"]


def test_nothing_is_linked_to_a_handler_copied_from_it_or_renamed(canvas: DesignCanvas) -> None:
    canvas.commands.make_handler("mail", "failed")
    before = task(canvas)
    assert "cannot be linked" in canvas.commands.reason_against("load", "on_end.failed")
    assert "cannot be linked" in canvas.commands.reason_against("on_end.failed", "load")

    canvas.commands.link("load", "on_end.failed")
    canvas.commands.rename()
    canvas.commands.rename_to("on_end.failed", "x")
    canvas.commands.duplicate()
    canvas.commands.cut()

    assert task(canvas) == before
    assert canvas.editor is None


def test_a_node_that_is_inserted_comes_after_no_handler(canvas: DesignCanvas) -> None:
    canvas.commands.make_handler("mail", "failed")
    shell = next(each for each in canvas.entries() if each.id == "shell")

    id = canvas.commands.insert(shell)

    assert "after" not in task(canvas)["nodes"][id]


def test_the_form_edits_a_handler_in_its_place(canvas: DesignCanvas, console: Console, qtbot: QtBot) -> None:
    canvas.commands.make_handler("mail", "failed")
    form = NodeForm(console, document(canvas))
    qtbot.addWidget(form)

    form.show_node("on_end.failed")

    assert form.id.text() == "on_end.failed"
    assert form.id.isReadOnly()
    assert not form.test.isVisibleTo(form)
    assert {field.path[:4] for field in form.fields()} == {("tasks", "t", "on_end", "failed")}
    keys = {field.path[4] for field in form.fields()}
    assert {"url", "timeout", "enabled"} <= keys
    assert keys.isdisjoint({"after", "run_if", "for_each", "parallel", "continue_on_failure"})
    url = next(field for field in form.fields() if field.path[-1] == "url")
    form.context.set(url, "http://localhost/", "typed")
    assert task(canvas)["on_end"]["failed"]["url"] == "http://localhost/"


def test_a_finding_of_a_handler_names_it() -> None:
    found = Finding("error", -1, "no", ("tasks", "t", "on_end", "failed", "url"))

    assert where(found) == "on_end.failed › url"


def test_a_batch_becomes_a_handler_with_its_first_set() -> None:
    tree: Any = {"tasks": {"t": {"nodes": {"a": {"type": "shell", "params": [{"x": 1}, {"x": 2}]}}}}}

    made = edits.make_handler("t", "a", "always")(tree)

    assert made["tasks"]["t"] == {"nodes": {}, "on_end": {"always": {"type": "shell", "params": {"x": 1}}}}


def test_what_is_drawn_is_a_valid_task(canvas: DesignCanvas) -> None:
    canvas.commands.make_handler("mail", "failed")

    found: Document = document(canvas)

    assert [each for each in found.examined(found.text(), found.tree) if each.severity == "error"] == []
