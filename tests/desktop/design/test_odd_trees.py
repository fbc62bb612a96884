"""Whatever a text makes of a task, the designer shows it, does what is asked with it, and takes it all back."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.design.actions import CANVAS
from app.desktop.design.definition_library import DefinitionLibrary
from app.desktop.design.document import Document
from app.desktop.design.mode import DesignMode
from app.desktop.design.tree import Path, get, put
from app.desktop.kernel.console import Console, Nowhere
from tests.effort import effort

WHOLE = """
jobs:
  count: {type: shell, process: wc, params: {day: {kind: text, value: "$.TASK.PARAMS['day']"}}, results: {n: {kind: number}}}
  ways: {type: condition, value: "$.JOB['get'].RESULT['n']", branches: {"1": [tell], default: {run: [get], again: true, from: get}}}
resources:
  room: {type: file, uri: /tmp, check: {exists: true}}
tasks:
  load:
    name: Load
    params: {day: {kind: text, required: true}, limit: 10}
    env: {LANG: C}
    defaults: {timeout: 1m, retry: {times: 2, interval: 1s}}
    schedule: {level: day, every: 1, at: '03:00'}
    depends_on: [{task: other, on_failure: wait}]
    nodes:
      get: {type: shell, process: "true", position: [0, 0], env: {A: b}, resources: [room]}
      put: {job: count, after: [get], position: [272, 0], when: "{$.TASK.RUN} > 0"}
      ask: {type: condition, value: 1 == 1, after: [put], branches: {"true": [tell], "false": {run: [], again: true, from: get}}}
      tell: {type: shell, process: "true", params: {a: {kind: list, value: [1, 2]}}}
      choose: {job: ways, after: [tell]}
      each: {type: task, task: other, for_each: "$.TASK.PARAMS['day']", parallel: 2, params: {x: 1}}
      all: {type: group, jobs: [{type: shell, process: "true"}, {job: count}], parallel: 2}
      wait: {type: wait, for: 1s}
    on_end: {failed: {type: shell, process: "true"}, always: {job: count}}
  other: {nodes: {a: {type: wait, for: 1s}}}
"""
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 10**30, 1.5, "", "x", "get", "$.", "{$.TASK", "\t", "名" * 300, "a\nb", "\u202eabc",
    [], [1], ["get", "get"], [[]], [None, {}], {}, {"x": 1}, {"": None}, {"run": 5}, {"type": []},
)  # fmt: skip
_ASKS = ("rename", "comment", "at-end")  # these open a field or a dialog


@pytest.fixture
def mode(console: Console, qtbot: QtBot) -> DesignMode:
    made = DesignMode(console)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    with qtbot.waitExposed(made):
        made.show()
    made.tasks.library = DefinitionLibrary({**yaml.safe_load(WHOLE), "calendars": {}})
    made.tasks._looked = True
    made.tasks.open("load")
    return made


@pytest.mark.parametrize("seed", range(effort(6, 300)))
def test_an_odd_task_is_shown_changed_and_taken_back(mode: DesignMode, seed: int) -> None:
    chance = random.Random(seed)
    document = mode.tasks.current
    assert document is not None
    before = document.tree
    for pane in ("outline", "problems", "form"):
        mode.raise_dock(pane)

    for _ in range(3):
        where, what = chance.choice(list(places(document))), chance.choice(ODD)
        document.edit(lambda tree, where=where, what=what: put(tree, where, what), f"{where}: {what!r}")
        look_around(mode, document)
        for spec in chance.sample(CANVAS, 6):
            if not spec.id.endswith(_ASKS):
                mode.canvas.select(chance.sample(sorted(document.parts), len(document.parts) // 2))
                mode.console.actions.get(spec.id).trigger()
        look_around(mode, document)

    while document.undo.canUndo():
        document.undo.undo()
    assert document.tree == before
    look_around(mode, document)


@pytest.mark.parametrize(
    "nodes",
    [
        {"a": "text", "b": {"type": "shell", "after": ["a"]}},
        {"a": {"type": "condition", "branches": [1]}},
        {"a": {"type": "condition", "branches": {"true": "b", "5": 7, "x": {"run": 7, "from": {}}}}},
        {"a": {"job": "none"}, "b": {"job": [1]}, "c": {"type": {}}},
    ],
)
def test_nodes_of_a_wrong_shape_can_be_shown_copied_and_deleted(
    mode: DesignMode, nodes: dict[str, Any]
) -> None:
    document = mode.tasks.current
    assert document is not None
    document.edit(lambda tree: put(tree, ("tasks", "load", "nodes"), nodes), "odd")

    for action in ("duplicate", "copy", "paste", "cut", "layout", "switch", "delete"):
        look_around(mode, document)
        mode.canvas.select(("a",))
        mode.console.actions.get(f"design.{action}").trigger()

    assert "a" not in document.nodes


def test_a_text_that_cannot_be_read_stays_while_another_pane_is_looked_at(
    mode: DesignMode, qtbot: QtBot
) -> None:
    mode.raise_dock("text")
    qtbot.waitUntil(lambda: "load:" in mode.text.edit.toPlainText())
    mode.text.edit.setPlainText("tasks: [half a")
    qtbot.waitUntil(lambda: bool(mode.text.label.text()))

    mode.raise_dock("problems")
    QApplication.processEvents()
    mode.raise_dock("text")
    QApplication.processEvents()

    assert mode.text.edit.toPlainText() == "tasks: [half a"
    assert mode.text.label.text()


@pytest.mark.parametrize("text", ["", "hello", "[1, 2]", "{a: " * 3000, "tasks: 'a\x00b'"])
def test_what_is_neither_nodes_nor_definitions_is_said_when_it_is_pasted(
    mode: DesignMode, console: Console, text: str
) -> None:
    console.navigator = said = Nowhere()
    QGuiApplication.clipboard().setText(text)

    mode.console.actions.get("design.paste").trigger()

    assert said.said == ["There are no nodes or definitions on the clipboard."]


def places(document: Document) -> Iterator[Path]:
    """The path of everything in the task and in the jobs that it uses."""
    yield from _below(document.tree, ("tasks", "load"))
    yield from _below(document.tree, ("jobs", "count"))
    yield from _below(document.tree, ("jobs", "ways"))


def _below(tree: Any, path: Path) -> Iterator[Path]:
    value = get(tree, path)
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield (*path, key)
        yield from _below(tree, (*path, key))


def look_around(mode: DesignMode, document: Document) -> None:
    """Every pane shows it, the form each of its nodes and the task itself."""
    for ids in ((), *((id,) for id in document.parts), tuple(document.parts)):
        mode.canvas.select(ids)
        QApplication.processEvents()
    mode.canvas.grab()
