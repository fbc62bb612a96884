"""Parameters before a run, and one node tried alone."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.desktop.design.document import Document
from app.desktop.design.forms.one_node import trial_of
from app.desktop.design.forms.run_form import RunForm
from app.desktop.design.forms.try_node import TryNode
from app.desktop.kernel.console import Console
from engine.api.service import Service
from tests.desktop.forms.acting import choose, click, opened, type_into
from tests.desktop.forms.conftest import Open, Play, Show, load, run

SPECS: dict[str, Any] = {
    "day": {"kind": "text", "required": True, "help": "Which day"},
    "times": {"kind": "number", "value": 3},
    "how": {"choices": ["fast", "slow"], "value": "slow"},
    "dir": "$.TASK.DIRECTORY",
    "word": {"secret": True},
}
TASK = {"params": SPECS, "nodes": {"a": {"type": "shell", "process": "true"}}}


def form_of(console: Console, qtbot: QtBot) -> tuple[RunForm, list[Any]]:
    form = RunForm(console, "t", SPECS)
    qtbot.addWidget(form)
    form.show()
    chosen: list[Any] = []
    form.chosen.connect(chosen.append)
    return form, chosen


def test_values_are_typed_by_their_kind(console: Console, qtbot: QtBot) -> None:
    form, chosen = form_of(console, qtbot)
    lines = form.form.lines
    type_into(lines["day"]._box.main(), "monday")  # type: ignore[union-attr]
    type_into(lines["times"]._box.main(), "12")  # type: ignore[union-attr]
    choose(lines["how"]._box.main(), "fast")  # type: ignore[union-attr,arg-type]
    QTest.keyClicks(lines["word"]._secret, "hush")
    click(form.run)

    assert chosen == [{"day": "monday", "times": 12, "how": "fast", "word": "hush"}]
    assert not form.isVisible()


def test_what_does_not_fit_is_said_and_nothing_runs(console: Console, qtbot: QtBot) -> None:
    form, chosen = form_of(console, qtbot)
    type_into(form.form.lines["times"]._box.main(), "many")  # type: ignore[union-attr]
    click(form.run)

    assert chosen == []
    assert form.form.lines["day"]._problem.text() == "A value is needed."
    assert "number" in form.form.lines["times"]._problem.text()


def test_the_values_of_the_last_run_are_filled_in_and_can_be_taken_back(
    engine_console: Console, engine_service: Service, qtbot: QtBot
) -> None:
    load(engine_service, {"tasks": {"t": TASK}})
    instance = run(engine_service, "t", qtbot, day="friday", times=7, word="hush")
    form, _ = form_of(engine_console, qtbot)
    qtbot.waitUntil(lambda: form.words.text() == f"Filled with the values of run #{instance}.")

    assert form.values() == {"day": "friday", "times": 7}
    click(form.usual)
    assert form.values() == {}


def test_a_task_without_parameters_runs_with_enter(console: Console, qtbot: QtBot) -> None:
    form = RunForm(console, "t", {})
    qtbot.addWidget(form)
    form.show()
    chosen: list[Any] = []
    form.chosen.connect(chosen.append)
    QTest.keyClick(form.run, Qt.Key.Key_Return)

    assert chosen == [{}]


def test_everything_from_elsewhere_becomes_an_input(tour: Document, show: Show) -> None:
    scope = show(tour).context.scope()

    table = trial_of(scope, "table")
    assert [(each.label, each.expression) for each in table.inputs] == [
        ("count", "$.JOB['words'].RESULT['count']"),
        ("first", "$.JOB['words'].RESULT['words'][0]"),
    ]
    enough = trial_of(scope, "enough")
    assert [each.expression for each in enough.inputs] == ["$.JOB['query'].RESULT['rows'][0]['n']"]
    node = enough.tree["tasks"][enough.task]["nodes"]["enough"]
    assert node["value"] == "$.TASK.PARAMS['read_1']"
    assert node["branches"] == {"4": [], "default": []}
    assert "after" not in node
    assert set(enough.tree) == {"tasks"}
    assert set(table.tree["resources"]) == {"ledger"}
    greeting = trial_of(scope, "greeting")
    assert set(greeting.tree["tasks"]) == {"greet", greeting.task}


def test_a_node_of_a_batch_is_tried_with_the_set_that_is_shown(play: Play, show: Show, qtbot: QtBot) -> None:
    nodes = {"a": {"type": "shell", "process": "true", "params": [{"x": 1}, {"x": 2}]}}
    form = show(play("t", {"tasks": {"t": {"nodes": nodes}}}))
    form.show_node("a")
    click(form.sets.next)

    click(form.test)

    assert [each.expression for each in opened(TryNode, qtbot).trial.inputs] == [2]


def test_a_node_is_tried_alone_with_samples_of_the_latest_run(
    real_tour: Document, show: Show, engine_service: Service, qtbot: QtBot
) -> None:
    run(engine_service, "tour", qtbot)
    form = show(real_tour)
    qtbot.waitUntil(lambda: bool(form.samples.runs))
    form.show_node("words")
    click(form.test)
    dialog = opened(TryNode, qtbot)
    line = dialog.form.lines["given_1"]
    qtbot.waitUntil(lambda: line.value == "the quick brown fox")
    type_into(line._box.main(), "two words")  # type: ignore[union-attr]
    click(dialog.run)

    qtbot.waitUntil(lambda: "succeeded" in dialog.status.text(), timeout=30_000)
    qtbot.waitUntil(lambda: dialog.log.toPlainText() == "start 2 end\n")
    shown = {dialog.results.item(row, 0).text(): dialog.results.item(row, 1).text() for row in range(4)}  # type: ignore[union-attr]
    assert shown["count"] == "2"
    assert shown["words"] == '["two","words"]'
    dialog.close()


def test_a_node_that_fails_shows_its_code_and_its_log(
    engine_service: Service, open_task: Open, show: Show, qtbot: QtBot
) -> None:
    load(engine_service, {"tasks": {"t": {"nodes": {
        "a": {"type": "shell", "process": "echo oh no >&2; exit 3"},
    }}}})  # fmt: skip
    form = show(open_task("t"))
    form.show_node("a")
    click(form.test)
    dialog = opened(TryNode, qtbot)
    click(dialog.run)

    qtbot.waitUntil(
        lambda: "failed" in dialog.status.text() and "003" in dialog.status.text(), timeout=30_000
    )
    qtbot.waitUntil(lambda: "oh no" in dialog.log.toPlainText())
    dialog.close()
