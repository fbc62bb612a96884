"""An operator finds out why a run failed and repairs it, with mouse and keys on the real window parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit, QTreeWidget
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Nowhere
from app.desktop.run.mode import RunMode
from engine.api.documents import RunRequest
from engine.api.service import Service

PATIENCE = 20_000
LIMIT = "$.TASK.PARAMS['limit']"
ROWS = "$.JOB['extract'].RESULT['rows']"


def _click_row(qtbot: QtBot, mode: RunMode, row: int = 0) -> None:
    table = mode.instances.table
    qtbot.waitUntil(lambda: mode.instances.model.rowCount() > row, timeout=PATIENCE)
    where = table.visualRect(mode.instances.model.index(row, 1)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=where)


def _click_item(qtbot: QtBot, table: QTreeWidget, text: str) -> None:
    items = [table.topLevelItem(at) for at in range(table.topLevelItemCount())]
    item = next(each for each in items if each is not None and each.text(0) == text)
    where: QPoint = table.visualItemRect(item).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=where)


def _type(qtbot: QtBot, field: QLineEdit, text: str) -> None:
    qtbot.mouseClick(field, Qt.MouseButton.LeftButton)
    field.selectAll()
    qtbot.keyClicks(field, text)


def test_one_click_on_a_failed_instance_shows_its_error_log_and_remedies(
    mode: RunMode, ran: Callable[..., int], qtbot: QtBot
) -> None:
    number = ran("repair", "nightly")

    _click_row(qtbot, mode)

    qtbot.waitUntil(
        lambda: mode.job.error.isVisible() and bool(mode.job.error.title.text()), timeout=PATIENCE
    )
    assert mode.session.selection.now.instance == number
    assert mode.session.selection.now.node == "load"
    assert mode.graph.view.selected() == {"load"}
    assert "-11000001003" in mode.job.error.code.text()
    assert mode.job.error.message.text() == "exit status 3"
    assert {"Retry what failed…", "Read the log", "In the catalogue"} <= set(mode.job.error.buttons)
    qtbot.waitUntil(lambda: "too many rows: 25 > 10" in _log(mode), timeout=PATIENCE)
    qtbot.waitUntil(lambda: mode.job.inputs.topLevelItemCount() == 3, timeout=PATIENCE)


def _log(mode: RunMode) -> str:
    rows = mode.log.model.all_rows()
    return bytes(rows.text.read(0, rows.text.size)).decode() if rows.text.size else ""


def test_a_parameter_is_changed_and_what_failed_runs_again(
    mode: RunMode, ran: Callable[..., int], engine_service: Service, qtbot: QtBot
) -> None:
    number = ran("repair", "nightly")
    _click_row(qtbot, mode)
    qtbot.waitUntil(lambda: mode.session.look is not None, timeout=PATIENCE)
    _retry_by_key(qtbot, mode)

    assistant = _assistant(mode, qtbot)
    qtbot.waitUntil(lambda: assistant.values.table.topLevelItemCount() > 2, timeout=PATIENCE)
    assert assistant.plan is not None
    assert assistant.plan.nodes("run") == ["load", "index", "publish"]
    _click_item(qtbot, assistant.values.table, LIMIT)
    _type(qtbot, assistant.values.field, "30")
    qtbot.keyClick(assistant.values.field, Qt.Key.Key_Return)
    assert assistant.isVisible()  # without a reason nothing is begun
    assert "Say why" in assistant.forbidden.text()
    assert assistant.values.why.hasFocus()
    _type(qtbot, assistant.values.why, "more rows at the end of the month")
    qtbot.waitUntil(lambda: "edited values: 3" in assistant.summary.text(), timeout=PATIENCE)
    qtbot.keyClick(assistant.values.why, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: engine_service.instance(number)["status"] == "succeeded", timeout=PATIENCE)
    found = engine_service.instance(number)
    assert (found["run"], found["edited"], found["params"]["limit"]) == (2, [LIMIT], 30)
    qtbot.waitUntil(lambda: mode.graph.status.status == "succeeded", timeout=PATIENCE)
    qtbot.waitUntil(lambda: set(mode.graph.view.statuses().values()) == {"succeeded"}, timeout=PATIENCE)
    assert not mode.job.error.isVisible()


def _retry_by_key(qtbot: QtBot, mode: RunMode) -> None:
    """Ctrl+F5, as after a click into the window."""
    mode.activateWindow()
    mode.graph.view.setFocus()
    qtbot.waitUntil(mode.graph.view.hasFocus, timeout=PATIENCE)
    qtbot.keyClick(mode.graph.view, Qt.Key.Key_F5, Qt.KeyboardModifier.ControlModifier)


def _assistant(mode: RunMode, qtbot: QtBot) -> Any:
    qtbot.waitUntil(
        lambda: mode.assistants.rerunning is not None and mode.assistants.rerunning.isVisible(),
        timeout=PATIENCE,
    )
    assistant = mode.assistants.rerunning
    assert assistant is not None
    qtbot.waitUntil(lambda: assistant.plan is not None, timeout=PATIENCE)
    return assistant


def test_a_result_is_edited_with_a_reason_and_what_failed_runs_again(
    mode: RunMode, ran: Callable[..., int], engine_service: Service, qtbot: QtBot, nowhere: Nowhere
) -> None:
    number = ran("repair", "nightly")
    _click_row(qtbot, mode)
    qtbot.waitUntil(lambda: mode.job.error.isVisible(), timeout=PATIENCE)
    mode.raise_dock("context")
    qtbot.waitUntil(lambda: mode.context.model.rowCount() == 2, timeout=PATIENCE)
    mode.context.show_path(ROWS)
    qtbot.waitUntil(lambda: mode.context.history.topLevelItemCount() > 0, timeout=PATIENCE)

    qtbot.mouseClick(mode.context.edit, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(
        lambda: mode.context.dialog is not None and mode.context.dialog.isVisible(), timeout=PATIENCE
    )
    dialog = mode.context.dialog
    assert dialog is not None
    assert "load" in dialog.note.text()
    _type(qtbot, dialog.field, "nine")  # type: ignore[arg-type]
    _type(qtbot, dialog.why, "counted by hand")
    qtbot.keyClick(dialog.why, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.problem.isVisible(), timeout=PATIENCE)  # it stays, and says what is wrong
    assert dialog.isVisible()
    _type(qtbot, dialog.field, "9")  # type: ignore[arg-type]
    qtbot.keyClick(dialog.why, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: engine_service.instance(number)["edited"] == [ROWS], timeout=PATIENCE)
    qtbot.waitUntil(lambda: mode.context.value.toPlainText() == "9", timeout=PATIENCE)

    _retry_by_key(qtbot, mode)
    assistant = _assistant(mode, qtbot)
    qtbot.keyClick(assistant, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: engine_service.instance(number)["status"] == "succeeded", timeout=PATIENCE)
    load = next(job for job in engine_service.instance(number)["jobs"] if job["node"] == "load")
    assert load["based_on_edit"]
    assert load["params"]["rows"] == 9
    mode.context.show_path(ROWS)
    qtbot.waitUntil(
        lambda: mode.context.history.topLevelItem(0).text(4) == "counted by hand", timeout=PATIENCE
    )  # type: ignore[union-attr]


def test_what_is_at_work_is_not_rerun_and_the_reason_is_said_in_words(
    mode: RunMode, ran: Callable[..., int], qtbot: QtBot
) -> None:
    ran("repair", "nightly")
    _click_row(qtbot, mode)
    qtbot.waitUntil(lambda: mode.session.look is not None, timeout=PATIENCE)
    mode.assistants.retry()
    assistant = _assistant(mode, qtbot)

    assistant._choose(mode="only", nodes=("nothing",))

    qtbot.waitUntil(lambda: assistant.forbidden.isVisible(), timeout=PATIENCE)
    assert "has no node 'nothing'" in assistant.forbidden.text()
    assert not assistant.start_button.isEnabled()
    assistant.reject()


REPORT = """
skerry: 1
tasks:
  summary:
    schedule: manual
    depends_on: [{task: nightly}]
    nodes: {tell: {type: shell, process: "echo reported"}}
"""


def test_the_tasks_that_depend_on_it_run_again_after_it_when_that_is_ticked(
    mode: RunMode, ran: Callable[..., int], engine_service: Service, qtbot: QtBot
) -> None:
    number = ran("repair", "nightly", limit=30)
    engine_service.load([{"name": "report.yaml", "text": REPORT}])
    other = engine_service.run(RunRequest(task="summary"))
    qtbot.waitUntil(lambda: engine_service.instance(other)["status"] == "succeeded", timeout=PATIENCE)
    qtbot.waitUntil(lambda: mode.instances.model.rowCount() == 2, timeout=PATIENCE)
    _click_row(qtbot, mode, 1)
    qtbot.waitUntil(lambda: mode.session.look is not None, timeout=PATIENCE)
    mode.assistants.rerun()
    assistant = _assistant(mode, qtbot)
    qtbot.waitUntil(lambda: "summary" in assistant.tasks.text(), timeout=PATIENCE)

    assistant._choose(mode="all")
    assistant.downstream.click()

    message = f"Instance {other} of summary, after {number}: tell"
    qtbot.waitUntil(lambda: message in assistant.tasks.text(), timeout=PATIENCE)
    assert "other instances after it: 1" in assistant.summary.text()
    assistant.start()
    qtbot.waitUntil(lambda: engine_service.instance(other)["run"] == 2, timeout=PATIENCE)
    assert engine_service.instance(other)["reason"] == f"run again after instance {number}"


def test_a_remedy_leads_to_the_catalogue(
    mode: RunMode, ran: Callable[..., int], qtbot: QtBot, nowhere: Nowhere
) -> None:
    ran("repair", "nightly")
    _click_row(qtbot, mode)
    qtbot.waitUntil(lambda: "In the catalogue" in mode.job.error.buttons, timeout=PATIENCE)

    qtbot.mouseClick(mode.job.error.buttons["In the catalogue"], Qt.MouseButton.LeftButton)

    assert (nowhere.gone[-1].kind, nowhere.gone[-1].id) == ("code", "-11000001003")
