"""Cancel, settle, re-prioritise, pause: each question names what will happen, and then it happens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Nowhere, Target
from app.desktop.run.confirmation import Confirm
from app.desktop.run.mode import RunMode
from engine.api.documents import RunRequest, Source
from engine.api.service import Service

PATIENCE = 20_000
SLOW = """
skerry: 1
tasks:
  slow:
    nodes:
      first: {type: shell, process: sleep 600}
      second: {type: shell, process: sleep 600}
      then: {type: shell, after: [first], process: echo done}
      hold: {type: wait, for: 1h}
"""


@pytest.fixture
def slow(mode: RunMode, engine_service: Service, qtbot: QtBot) -> int:
    """An instance with two jobs of which only one has a place, and a wait; shown."""
    engine_service.load([Source(name="slow.yaml", text=SLOW)])
    engine_service.queue_size(1)
    number = engine_service.run(RunRequest(task="slow"))
    mode.open(Target("instance", str(number), "second"))
    qtbot.waitUntil(lambda: _shown(mode, "first") == "running", timeout=PATIENCE)
    return number


def _shown(mode: RunMode, node: str) -> str | None:
    return mode.graph.view.statuses().get(node)


def _question(mode: RunMode, qtbot: QtBot) -> Confirm:
    qtbot.waitUntil(
        lambda: mode.commands.shown is not None and mode.commands.shown.isVisible(), timeout=PATIENCE
    )
    assert mode.commands.shown is not None
    return mode.commands.shown


def _agree(question: Confirm) -> None:
    QTest.mouseClick(question.do, Qt.MouseButton.LeftButton)


def _text(question: Confirm) -> str:
    return str(question.text.text())


def test_a_run_at_work_is_watched_explained_and_cancelled(
    mode: RunMode, slow: int, engine_service: Service, qtbot: QtBot, nowhere: Nowhere
) -> None:
    qtbot.waitUntil(lambda: mode.job.why.isVisible(), timeout=PATIENCE)
    qtbot.waitUntil(lambda: "number 1 of 1 in the queue" in mode.job.why.text.text(), timeout=PATIENCE)
    QTest.mouseClick(mode.job.why.link, Qt.MouseButton.LeftButton)
    assert nowhere.gone[-1].kind == "queue"
    mode.session.selection.choose(node="then")
    assert mode.job.why.text.text() == "Waits for first (running)."
    QTest.mouseClick(mode.job.why.link, Qt.MouseButton.LeftButton)
    assert mode.session.selection.now.node == "first"
    mode.session.selection.choose(node="hold")
    assert mode.job.why.text.text().startswith("Waits 1 h 00 min, until ")
    mode.raise_dock("problems")
    qtbot.waitUntil(lambda: mode.problems.table.topLevelItemCount() == 2, timeout=PATIENCE)

    mode.commands.cancel()
    question = _question(mode, qtbot)
    assert "Stopped with everything they started: first." in _text(question)
    assert "Will not start: " in _text(question)
    assert (question.do.text(), question.leave.text()) == ("Stop it", "Leave it")  # "Cancel" would be both
    _agree(question)

    qtbot.waitUntil(lambda: engine_service.instance(slow)["status"] == "cancelled", timeout=PATIENCE)
    qtbot.waitUntil(lambda: mode.graph.status.status == "cancelled", timeout=PATIENCE)
    qtbot.waitUntil(lambda: _shown(mode, "first") == "cancelled", timeout=PATIENCE)


def test_a_job_that_waits_gets_another_priority_and_one_that_runs_is_stopped(
    mode: RunMode, slow: int, engine_service: Service, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: mode.console.actions.get("run.priority").isEnabled(), timeout=PATIENCE)
    mode.console.actions.get("run.priority").trigger()
    question = _question(mode, qtbot)
    question.number.setValue(7)
    _agree(question)
    qtbot.waitUntil(lambda: engine_service.queue()["waiting"][0]["priority"] == 7, timeout=PATIENCE)

    mode.session.selection.choose(node="first")
    qtbot.waitUntil(lambda: mode.console.actions.get("run.cancel_job").isEnabled(), timeout=PATIENCE)
    mode.console.actions.get("run.cancel_job").trigger()
    question = _question(mode, qtbot)
    assert "What comes after it may not run: then." in _text(question)
    _agree(question)

    qtbot.waitUntil(lambda: _shown(mode, "first") == "cancelled", timeout=PATIENCE)
    qtbot.waitUntil(lambda: _shown(mode, "second") == "running", timeout=PATIENCE)
    engine_service.cancel(slow)


def test_the_queue_is_paused_and_resumed_with_a_word_on_what_that_means(
    mode: RunMode, slow: int, engine_service: Service, qtbot: QtBot
) -> None:
    mode.commands.pause_queue()
    question = _question(mode, qtbot)
    assert "No further job starts, of any task" in _text(question)
    _agree(question)
    qtbot.waitUntil(lambda: bool(engine_service.queue()["paused"]), timeout=PATIENCE)

    mode.commands.pause_queue()
    qtbot.waitUntil(lambda: _question(mode, qtbot).windowTitle() == "Resume the queue", timeout=PATIENCE)
    _agree(_question(mode, qtbot))
    qtbot.waitUntil(lambda: not engine_service.queue()["paused"], timeout=PATIENCE)
    engine_service.cancel(slow)


def test_an_instance_is_paused_and_goes_on_and_everybody_sees_why(
    mode: RunMode, slow: int, engine_service: Service, qtbot: QtBot
) -> None:
    # when it is paused from the menu, then the question names what goes on and what waits
    mode.console.actions.get("run.pause").trigger()
    question = _question(mode, qtbot)
    assert "Goes on to its end: first." in _text(question)
    assert "Waits until then: second, then." in _text(question)
    question.why.setText("the disk is full")
    _agree(question)

    # then the window says who paused it and why, with the way on one click away
    qtbot.waitUntil(lambda: "the disk is full" in mode.graph.why.text.text(), timeout=PATIENCE)
    assert engine_service.instance(slow)["status"] == "paused"
    qtbot.waitUntil(lambda: "nstance is paused by" in mode.job.why.text.text(), timeout=PATIENCE)
    mode.commands.shown = None
    QTest.mouseClick(mode.graph.why.link, Qt.MouseButton.LeftButton)
    question = _question(mode, qtbot)
    assert "goes on" in _text(question)
    _agree(question)
    qtbot.waitUntil(lambda: engine_service.instance(slow)["status"] == "running", timeout=PATIENCE)
    qtbot.waitUntil(lambda: "in the queue" in mode.job.why.text.text(), timeout=PATIENCE)
    engine_service.cancel(slow)


def test_an_outcome_is_settled_by_hand_only_with_a_reason(
    mode: RunMode, ran: Callable[..., int], engine_service: Service, qtbot: QtBot
) -> None:
    number = ran("repair", "nightly")
    mode.open(Target("instance", str(number), "load"))
    qtbot.waitUntil(lambda: _shown(mode, "load") == "failed", timeout=PATIENCE)

    mode.console.actions.get("run.force").trigger()
    question = _question(mode, qtbot)
    assert "it counts for the outcome of the instance" in _text(question)
    assert not question.do.isEnabled()
    QTest.keyClicks(question.why, "loaded by hand")
    _agree(question)

    qtbot.waitUntil(lambda: _shown(mode, "load") == "succeeded", timeout=PATIENCE)
    job: Any = next(each for each in engine_service.instance(number)["jobs"] if each["node"] == "load")
    assert "loaded by hand" in job["reason"]


def test_two_runs_are_compared(mode: RunMode, ran: Callable[..., int], qtbot: QtBot) -> None:
    first = ran("repair", "nightly")
    second = ran("repair", "nightly", limit=30)
    mode.open(Target("instance", str(second)))
    qtbot.waitUntil(lambda: mode.session.look is not None, timeout=PATIENCE)

    mode.assistants.compare()
    dialog = mode.assistants.comparison
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.left.count() > 1, timeout=PATIENCE)
    for box, instance in ((dialog.left, first), (dialog.right, second)):
        box.setCurrentIndex(box.findText(f"#{instance},", Qt.MatchFlag.MatchStartsWith))
    dialog.left.activated.emit(dialog.left.currentIndex())

    qtbot.waitUntil(
        lambda: dialog.found is not None and bool(dialog.found.differing("params")), timeout=PATIENCE
    )
    table = dialog.tables["params"]
    item = table.topLevelItem(table.topLevelItemCount() - 1)
    assert item is not None
    assert [item.text(at) for at in range(3)] == ["limit", "10", "30"]
    assert dialog.diff.toPlainText() == "The definitions are the same."
    assert "Parameters" in dialog.said.text()
    dialog.close()


def test_another_place_sends_two_runs_to_be_compared(
    mode: RunMode, ran: Callable[..., int], qtbot: QtBot
) -> None:
    first = ran("repair", "nightly")
    second = ran("repair", "nightly", limit=30)

    mode.open(Target("instance", str(second), detail=f"compare:{first}"))

    qtbot.waitUntil(lambda: mode.assistants.comparison is not None, timeout=PATIENCE)
    dialog = mode.assistants.comparison
    assert dialog is not None
    qtbot.waitUntil(
        lambda: dialog.found is not None and bool(dialog.found.differing("params")), timeout=PATIENCE
    )
    dialog.close()


def test_problems_are_stepped_through_and_a_result_is_saved(
    mode: RunMode, ran: Callable[..., int], qtbot: QtBot, tmp_path: Path
) -> None:
    number = ran("repair", "nightly")
    mode.open(Target("instance", str(number)))
    qtbot.waitUntil(lambda: mode.session.look is not None, timeout=PATIENCE)
    mode.session.selection.choose(node="extract")

    mode.console.actions.get("run.next_problem").trigger()

    assert mode.session.selection.now.node == "load"
    assert mode.problems.table.topLevelItemCount() == 1
    QTest.keyClick(mode.problems.table, Qt.Key.Key_Return)
    assert "exit status 3" in mode.problems.found[0].words
    mode.session.selection.choose(node="extract")
    qtbot.waitUntil(lambda: mode.job.results.topLevelItemCount() == 2, timeout=PATIENCE)
    mode.job.previewer.save_to(tmp_path / "rows", 25, None)
    saved = tmp_path / "rows"
    qtbot.waitUntil(lambda: saved.exists() and saved.read_text() == "25", timeout=PATIENCE)
    first = mode.job.results.topLevelItem(0)
    assert first is not None
    mode.job.results.setCurrentItem(first)
    mode.job._result(mode.job.previewer.show)
    qtbot.waitUntil(lambda: mode.job.previewer.shown is not None, timeout=PATIENCE)
    assert mode.job.previewer.shown is not None
    assert mode.job.previewer.shown.text.toPlainText() == "25"
    mode.job.previewer.shown.reject()
