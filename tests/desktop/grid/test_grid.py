"""The grid of runs, as a person uses it in Run and in History."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.desktop.grid.grid_pane import GridPane
from app.desktop.grid.grid_table import GridTable
from app.desktop.grid.run_grid import GridRun, RunGrid, read_grid
from app.desktop.history.mode import HistoryMode
from app.desktop.kernel.console import Console, Target
from app.desktop.run.mode import RunMode
from app.desktop.shell.window import MainWindow
from engine.api.documents import RunRequest, Source
from engine.api.service import Service
from tests.api.fake_service import FakeService, instance, job

LONG = 30_000
NOW = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
TASK = """\
skerry: 1
tasks:
  pair:
    params: {fails: "0"}
    nodes:
      first: {type: shell, process: 'exit "$fails"'}
      then: {after: [first], type: shell, process: "true"}
"""


@pytest.fixture
def ran(engine_service: Service, qtbot: QtBot) -> list[int]:
    """A good run, then two that failed."""
    engine_service.load([Source(name="t.yaml", text=TASK)])
    found = []
    for fails in ("0", "3", "3"):
        found.append(engine_service.run(RunRequest(task="pair", params={"fails": fails})))
        qtbot.waitUntil(lambda: engine_service.instance(found[-1])["ended_at"] is not None, timeout=LONG)
    return found


def shown(pane: GridPane) -> list[list[str | None]]:
    """The states of all cells, row by row."""
    grid = pane.table.cells.grid
    return [[grid.status(row, at) for at in range(len(grid.runs))] for row in range(len(grid.nodes))]


def run_mode(window: MainWindow, instance: int) -> RunMode:
    window.go(Target("instance", str(instance), detail="grid"))
    mode = window.mode("run")
    assert isinstance(mode, RunMode)
    return mode


def test_runs_are_columns_and_nodes_are_rows_and_a_click_shows_the_job_of_that_run(
    engine_window: MainWindow, ran: list[int], qtbot: QtBot
) -> None:
    mode = run_mode(engine_window, ran[2])
    grid = mode.grid
    expected = [["succeeded", "failed", "failed"], ["succeeded", "skipped", "skipped"]]
    qtbot.waitUntil(lambda: shown(grid) == expected, timeout=LONG)
    assert grid.table.cells.grid.nodes == ("first", "then")

    at = grid.table.visualRect(grid.table.cells.index(0, 1)).center()
    qtbot.mouseClick(grid.table.viewport(), Qt.MouseButton.LeftButton, pos=at)

    now = mode.session.selection.now
    assert (now.instance, now.node) == (ran[1], "first")
    qtbot.waitUntil(lambda: grid.table.bars.marked == ran[1], timeout=LONG)


def test_the_keyboard_does_the_same(engine_window: MainWindow, ran: list[int], qtbot: QtBot) -> None:
    mode = run_mode(engine_window, ran[2])
    qtbot.waitUntil(lambda: len(mode.grid.table.cells.grid.runs) == 3, timeout=LONG)
    mode.grid.table.setFocus()
    mode.grid.table.setCurrentIndex(mode.grid.table.cells.index(0, 2))

    qtbot.keyClick(mode.grid.table, Qt.Key.Key_Left)
    qtbot.keyClick(mode.grid.table, Qt.Key.Key_Left)
    qtbot.keyClick(mode.grid.table, Qt.Key.Key_Return)

    assert (mode.session.selection.now.instance, mode.session.selection.now.node) == (ran[0], "first")


def test_jobs_of_several_runs_are_settled_together(
    engine_window: MainWindow, engine_service: Service, ran: list[int], qtbot: QtBot
) -> None:
    grid = run_mode(engine_window, ran[2]).grid
    qtbot.waitUntil(lambda: len(grid.table.cells.grid.runs) == 3, timeout=LONG)
    assert not grid.settle.isEnabled()
    _select(grid, (0, 1), (0, 2))

    grid.settle.trigger()
    assert grid.question is not None
    assert f"#{ran[1]}: first\n#{ran[2]}: first" in grid.question.text.text()
    qtbot.keyClicks(grid.question.why, "checked by hand")
    qtbot.mouseClick(grid.question.do, Qt.MouseButton.LeftButton)

    qtbot.waitUntil(lambda: shown(grid)[0] == ["succeeded"] * 3, timeout=LONG)
    assert {_status(engine_service, each, "first") for each in ran} == {"succeeded"}


def test_jobs_of_several_runs_run_again_together(
    engine_window: MainWindow, engine_service: Service, ran: list[int], qtbot: QtBot
) -> None:
    grid = run_mode(engine_window, ran[2]).grid
    qtbot.waitUntil(lambda: len(grid.table.cells.grid.runs) == 3, timeout=LONG)
    _select(grid, (0, 1), (0, 2))

    grid.again.trigger()
    qtbot.waitUntil(lambda: grid.question is not None, timeout=LONG)
    assert grid.question is not None
    assert f"#{ran[1]}: first, then" in grid.question.text.text()
    qtbot.mouseClick(grid.question.do, Qt.MouseButton.LeftButton)

    qtbot.waitUntil(lambda: [engine_service.instance(each)["run"] for each in ran] == [1, 2, 2], timeout=LONG)
    qtbot.waitUntil(lambda: [run.run for run in grid.table.cells.grid.runs] == [1, 2, 2], timeout=LONG)


def test_history_shows_the_runs_of_the_task_of_its_row(
    engine_window: MainWindow, ran: list[int], qtbot: QtBot
) -> None:
    mode = engine_window.show_mode("history")
    assert isinstance(mode, HistoryMode)
    qtbot.waitUntil(lambda: len(mode.grid.table.cells.grid.runs) == 3, timeout=LONG)

    mode.grid.table.chosen.emit(ran[0], "then")

    assert engine_window.front == "run"
    run = engine_window.mode("run")
    assert isinstance(run, RunMode)
    assert (run.session.selection.now.instance, run.session.selection.now.node) == (ran[0], "then")


def test_what_has_ended_is_read_once() -> None:
    service = FakeService()
    service.found = {
        1: instance(1, "failed", jobs=[job("a", "failed")]),
        2: instance(2, "running", jobs=[job("a", "succeeded"), job("b", "running")]),
    }
    first = read_grid(service, "nightly", NOW, {})
    service.found[1] = instance(1, "failed", jobs=[job("gone", "failed")])
    service.found[2] = instance(2, "succeeded", jobs=[job("a", "succeeded"), job("b", "succeeded")])

    again = read_grid(service, "nightly", NOW, {run.instance: run for run in first.runs})

    cells = {run.instance: dict(run.cells) for run in again.runs}
    assert cells == {1: {"a": "failed"}, 2: {"a": "succeeded", "b": "succeeded"}}
    assert set(again.nodes) == {"a", "b"}


def test_a_cell_says_in_words_what_its_shape_means(engine_window: MainWindow) -> None:
    mode = engine_window.show_mode("history")
    assert isinstance(mode, HistoryMode)
    model = mode.grid.table.cells
    model.show_grid(
        RunGrid("t", (GridRun(7, 1, "failed", None, 90.0, {"load": "timed_out"}),), ("load", "new"))
    )

    said = model.data(model.index(0, 0), Qt.ItemDataRole.AccessibleTextRole)

    assert said.startswith("load: timed out\n#7 failed")
    assert model.data(model.index(1, 0), Qt.ItemDataRole.AccessibleTextRole) is None


def test_above_each_run_is_a_bar_as_long_as_it_took_beside_the_longest(
    console: Console, qtbot: QtBot
) -> None:
    took = (60.0, 30.0, 15.0, None)
    runs = tuple(GridRun(at + 1, 1, "failed", None, each, {"a": "failed"}) for at, each in enumerate(took))
    table = GridTable(console, None)  # type: ignore[arg-type]
    qtbot.addWidget(table)
    table.resize(600, 200)
    table.show()

    table.show_grid(RunGrid("t", runs, ("a",)))

    high = [_painted(table, at, console.theme.status("failed")) for at in range(len(took))]
    assert high[0] > 20
    assert [round(each / high[0], 1) for each in high[1:3]] == [0.5, 0.2]
    assert high[3] <= 2


def _painted(table: GridTable, column: int, colour: QColor) -> int:
    """How many pixels of this colour are above each other in the bar of a run: left of its shape's middle."""
    picture = table.bars.viewport().grab().toImage()
    left = table.bars.sectionViewportPosition(column) + 8
    return sum(picture.pixelColor(left, y) == colour for y in range(picture.height()))


def _select(pane: GridPane, *cells: tuple[int, int]) -> None:
    for row, column in cells:
        index = pane.table.cells.index(row, column)
        pane.table.selectionModel().select(index, QItemSelectionModel.SelectionFlag.Select)


def _status(service: Service, instance: int, node: str) -> str:
    return next(each["status"] for each in service.instance(instance)["jobs"] if each["node"] == node)
