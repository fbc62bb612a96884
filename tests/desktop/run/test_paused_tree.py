"""A sub-task that is paused with its parent: the window says so, and leads to whom it waits for."""

from __future__ import annotations

import os
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Target
from app.desktop.run.confirmation import Confirm
from app.desktop.run.mode import RunMode
from engine.api.documents import RunRequest, Source
from engine.api.service import Service

PATIENCE = 20_000
WAITS = f"while [ -d /proc/{os.getpid()} ] && [ ! -e ${{dir}}/go ]; do sleep 0.05; done"
TREE = f"""
skerry: 1
tasks:
  load:
    params: {{dir: null}}
    nodes:
      fetch: {{type: shell, process: '{WAITS}', params: {{dir: "$.TASK.PARAMS['dir']"}}}}
      book: {{type: shell, after: [fetch], process: echo booked}}
  nightly:
    params: {{dir: null}}
    nodes:
      load: {{type: task, task: load, params: {{dir: "$.TASK.PARAMS['dir']"}}}}
      report: {{type: shell, after: [load], process: echo done}}
"""


@pytest.fixture
def parent(mode: RunMode, engine_service: Service, qtbot: QtBot, tmp_path: Any) -> int:
    """An instance with a sub-task at work; shown."""
    engine_service.load([Source(name="tree.yaml", text=TREE)])
    number = engine_service.run(RunRequest(task="nightly", params={"dir": str(tmp_path)}))
    mode.open(Target("instance", str(number), "load"))
    qtbot.waitUntil(lambda: _child(engine_service, number) is not None, timeout=PATIENCE)
    qtbot.waitUntil(lambda: "load" in mode.graph.view.statuses(), timeout=PATIENCE)
    return number


def _child(service: Service, parent: int) -> Any:
    job = next(each for each in service.instance(parent)["jobs"] if each["node"] == "load")
    return job["results"].get("instance")


def _open(mode: RunMode) -> int | None:
    return mode.session.look.run["instance"] if mode.session.look else None


def _knows_sub_task(mode: RunMode) -> bool:
    look = mode.session.look
    return look is not None and any("instance" in job["results"] for job in look.run["jobs"])


def _question(mode: RunMode, qtbot: QtBot) -> Confirm:
    qtbot.waitUntil(
        lambda: mode.commands.shown is not None and mode.commands.shown.isVisible(), timeout=PATIENCE
    )
    assert mode.commands.shown is not None
    return mode.commands.shown


def _text(question: Confirm) -> str:
    return "\n".join(label.text() for label in question.findChildren(QLabel))


def _agree(question: Confirm) -> None:
    QTest.mouseClick(question.do, Qt.MouseButton.LeftButton)


def test_a_child_names_the_pause_of_its_parent_and_is_resumed_with_it(
    mode: RunMode, parent: int, engine_service: Service, qtbot: QtBot, tmp_path: Any
) -> None:
    # when the parent is paused, then the question tells that its sub-tasks are as well
    child = _child(engine_service, parent)
    qtbot.waitUntil(lambda: _knows_sub_task(mode), timeout=PATIENCE)
    mode.console.actions.get("run.pause").trigger()
    question = _question(mode, qtbot)
    assert "The sub-tasks that it has started are paused with it" in _text(question)
    question.why.setText("the file is late")
    _agree(question)
    qtbot.waitUntil(lambda: engine_service.instance(parent)["status"] == "paused", timeout=PATIENCE)
    (tmp_path / "go").touch()

    # then the child says so, with a way to its parent
    mode.open(Target("instance", str(child), "book"))
    words = f"aused with instance {parent}, paused by "
    qtbot.waitUntil(lambda: words in mode.graph.why.text.text(), timeout=PATIENCE)
    qtbot.waitUntil(lambda: words in mode.job.why.text.text(), timeout=PATIENCE)
    assert mode.job.why.text.text().endswith(": the file is late.")
    assert mode.graph.why.link.text() == f"Show instance {parent}"
    QTest.mouseClick(mode.graph.why.link, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: _open(mode) == parent, timeout=PATIENCE)

    # when an operator resumes at the child, then it is the parent that goes on, and the child with it
    mode.open(Target("instance", str(child), "book"))
    qtbot.waitUntil(lambda: _open(mode) == child, timeout=PATIENCE)
    mode.commands.shown = None
    mode.console.actions.get("run.pause").trigger()
    question = _question(mode, qtbot)
    assert question.do.text() == f"Resume instance {parent}"
    assert f"Instance {child} was paused with instance {parent}" in _text(question)
    _agree(question)
    qtbot.waitUntil(lambda: engine_service.instance(parent)["status"] == "succeeded", timeout=PATIENCE)
    assert engine_service.instance(child)["status"] == "succeeded"
