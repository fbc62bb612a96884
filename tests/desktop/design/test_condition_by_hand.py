"""A condition put together with mouse and keys alone: what the file says afterwards, and who notices its job."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import yaml
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.design.forms.kinds.condition import ConditionEditor
from app.desktop.design.forms.node_form import NodeForm
from app.desktop.design.mode import DesignMode
from app.desktop.design.picker.condition_rows import ConditionRow, ConditionRows
from app.desktop.design.picker.picker import Picker
from app.desktop.kernel.console import Target
from app.desktop.shell.window import MainWindow
from engine.api.documents import Source
from engine.api.service import Service
from tests.desktop.design.hands import click
from tests.desktop.forms.acting import choose, opened

FILE = """\
skerry: 1
tasks:
  choose:
    params: {limit: 10}
    nodes:
      count: {type: shell, process: 'printf 25 > "${SKERRY_OUTPUTS}/rows"', results: {rows: {kind: number}}}
      ask: {type: condition, after: [count], value: 1 == 1, branches: {"true": [many], "false": [few]}}
      many: {type: shell, process: echo many}
      few: {type: shell, process: echo few}
"""
CONTROL = Qt.KeyboardModifier.ControlModifier


def dumped(window: MainWindow) -> Any:
    """The task as another process writes it out of the workspace."""
    workspace = str(window.console.workspace)
    command = [sys.executable, "-m", "app.cli.main", "--workspace", workspace, "dump", "choose"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return yaml.safe_load(text)["tasks"]["choose"]["nodes"]


def saved(window: MainWindow, mode: DesignMode, qtbot: QtBot) -> Any:
    window.activateWindow()  # off screen the list of a closed combo box stays active
    mode.canvas.setFocus()
    QTest.keyClick(mode.canvas, Qt.Key.Key_S, CONTROL)
    qtbot.waitUntil(lambda: mode.tasks.current is not None and not mode.tasks.current.unsaved, timeout=10_000)
    return dumped(window)


def press(widget: QWidget) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def write(field: QWidget, text: str) -> None:
    """Into a field, instead of what is there."""
    QTest.mouseClick(field, Qt.MouseButton.LeftButton, pos=QPoint(8, field.height() // 2))
    QTest.keyClick(field, Qt.Key.Key_A, CONTROL)
    QTest.keyClicks(field, text)


def take(button: QToolButton, words: str, qtbot: QtBot) -> None:
    """Press "from…", type some words and press Enter."""
    press(button)
    picker = opened(Picker, qtbot)
    QTest.keyClicks(picker.search, words)
    qtbot.waitUntil(picker.use.isEnabled)
    press(picker.use)
    qtbot.waitUntil(lambda: not any(each.isVisible() for each in button.window().findChildren(Picker)))


def form_of(mode: DesignMode) -> NodeForm:
    form = mode.form.form()
    assert form is not None
    return form


def rows_of(mode: DesignMode) -> ConditionRows:
    shown = [each for each in mode.findChildren(ConditionEditor) if each.isVisible()]
    return shown[0].rows


def last(rows: ConditionRows) -> ConditionRow:
    row = rows.parts[-1]
    assert isinstance(row, ConditionRow)
    return row


def test_it_is_bound_in_the_file_follows_a_new_name_and_misses_what_is_deleted(
    engine_window: MainWindow, engine_service: Service, qtbot: QtBot
) -> None:
    # given a condition that compares two numbers
    engine_service.load([Source(name="choose.yaml", text=FILE)])
    mode = engine_window.show_mode("design")
    assert isinstance(mode, DesignMode)
    engine_window.go(Target("task", "choose"))
    qtbot.waitUntil(lambda: "ask" in mode.canvas.positions())
    click(mode.canvas, "ask")
    qtbot.waitUntil(lambda: bool(form_of(mode).standing.library.raw))  # its fields are made from that again
    qtbot.waitUntil(lambda: any(each.isVisible() for each in mode.findChildren(ConditionEditor)))

    # when something is typed on its left, then picked in its place, and a second row is added
    rows = rows_of(mode)
    write(last(rows).left.main(), "1")
    take(last(rows).left.picks, "count rows", qtbot)
    choose(last(rows).operator, "is greater than")
    take(last(rows).right.picks, "limit", qtbot)
    press(rows.adds)
    take(last(rows).left.picks, "count rows", qtbot)
    write(last(rows).right.main(), "it's")
    choose(rows.joins, "at least one of these holds")

    # then the file binds every one of them
    rowed = "{$.JOB['%s'].RESULT['rows']}"
    condition = f"{rowed} > {{$.TASK.PARAMS['limit']}} or {rowed} == 'it\\'s'"
    assert saved(engine_window, mode, qtbot)["ask"]["value"] == condition % ("count", "count")

    # and it follows when the job gets another name
    click(mode.canvas, "count")
    QTest.keyClick(mode.canvas, Qt.Key.Key_F2)
    assert mode.canvas.editor is not None
    field = mode.canvas.editor.field
    QTest.keyClicks(field, "total")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert saved(engine_window, mode, qtbot)["ask"]["value"] == condition % ("total", "total")

    # and says what it misses when the job is deleted
    click(mode.canvas, "total")
    QTest.keyClick(mode.canvas, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: any("total" in each.message for each in mode.tasks.current.findings))
    found = [each for each in mode.tasks.current.findings if "total" in each.message]
    assert {"/".join(map(str, each.path[-2:])) for each in found} == {"ask/value"}
