"""History mode over a real engine, as a person uses it."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QDockWidget
from pytestqt.qtbot import QtBot

from app.desktop.history.filters import Filter
from app.desktop.history.mode import HistoryMode
from app.desktop.kernel.console import Console, Target
from app.durations import seconds_between
from engine.api.documents import RunRequest, Source
from engine.api.service import Service
from engine.model.errors import SkerryError
from engine.model.states import INSTANCE_BAD
from engine.store.rows import InstanceRow

TASK = """\
skerry: 1
tasks:
  fine: {nodes: {a: {type: shell, process: "true"}}}
  bad: {nodes: {load: {type: shell, process: "exit 7"}}}
  long: {nodes: {a: {type: shell, process: "sleep 60"}}}
"""


def ended(service: Service, instance: int) -> bool:
    return service.instance(instance)["ended_at"] is not None


@pytest.fixture
def ran(engine_service: Service, qtbot: QtBot) -> list[int]:
    """Two good runs and a bad one."""
    engine_service.load([Source(name="t.yaml", text=TASK)])
    found = [engine_service.run(RunRequest(task=task)) for task in ("fine", "bad", "fine")]
    qtbot.waitUntil(lambda: all(ended(engine_service, each) for each in found), timeout=20_000)
    return found


@pytest.fixture
def mode(engine_console: Console, ran: list[int], qtbot: QtBot) -> Iterator[HistoryMode]:
    mode = HistoryMode(engine_console)
    mode.resize(1280, 700)
    qtbot.addWidget(mode)
    with qtbot.waitExposed(mode):
        mode.show()
    mode.entered()
    shows(mode, qtbot, "3 runs")
    yield mode
    mode.let_go()


def shows(mode: HistoryMode, qtbot: QtBot, text: str) -> None:
    qtbot.waitUntil(lambda: mode.count.text() == text)
    qtbot.waitUntil(lambda: all(mode.rows.row_at(i) is not None for i in range(mode.rows.rowCount())))


def cell(mode: HistoryMode, row: int, key: str) -> str:
    column = [each.key for each in mode.rows.columns].index(key)
    return str(mode.rows.data(mode.rows.index(row, column)))


def gone(mode: HistoryMode) -> list[Target]:
    found: list[Target] = mode.console.navigator.gone
    return found


def test_the_newest_run_is_first_and_enter_opens_it(mode: HistoryMode, ran: list[int], qtbot: QtBot) -> None:
    assert [cell(mode, i, "instance") for i in range(3)] == [f"#{each}" for each in reversed(ran)]
    assert cell(mode, 1, "status") == "failed"
    qtbot.keyClick(mode.table, Qt.Key.Key_Down)
    qtbot.keyClick(mode.table, Qt.Key.Key_Return)
    assert gone(mode) == [Target("instance", str(ran[1]))]


def test_space_shows_why_it_failed_without_leaving(mode: HistoryMode, qtbot: QtBot) -> None:
    mode.table.selectRow(1)
    qtbot.keyClick(mode.table, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: mode.preview.jobs.topLevelItemCount() == 1)
    assert mode.preview.jobs.topLevelItem(0).text(1) == "failed"
    assert "7" in mode.preview.error.text()


def test_filters_narrow_down_and_are_kept_under_a_name(
    mode: HistoryMode, ran: list[int], qtbot: QtBot
) -> None:
    mode.bar.statuses["failed"].trigger()
    shows(mode, qtbot, "1 run")
    assert cell(mode, 0, "task") == "bad"
    mode.bar.keep("what failed")
    mode.bar.set_filter(Filter())
    shows(mode, qtbot, "3 runs")

    kept = next(each for each in mode.bar.saved.menu().actions() if each.text() == "what failed")
    kept.trigger()
    shows(mode, qtbot, "1 run")
    mode.bar.forget("what failed")
    assert "what failed" not in [each.text() for each in mode.bar.saved.menu().actions()]


def test_text_node_code_and_task_are_looked_for_as_typed(mode: HistoryMode, qtbot: QtBot) -> None:
    qtbot.keyClicks(mode.bar.node, "load")
    shows(mode, qtbot, "1 run")
    code = cell(mode, 0, "code")
    mode.bar.set_filter(Filter())
    shows(mode, qtbot, "3 runs")
    qtbot.keyClicks(mode.bar.code, code)
    shows(mode, qtbot, "1 run")
    mode.bar.set_filter(Filter(task="fine", span="today"))
    shows(mode, qtbot, "2 runs")
    mode.bar.set_filter(Filter(text="no such text"))
    qtbot.waitUntil(lambda: mode.count.text() == "0 runs")
    assert mode.empty.isVisible()


def test_a_code_that_is_no_number_leaves_the_other_filters_as_they_are(
    mode: HistoryMode, qtbot: QtBot
) -> None:
    shows(mode, qtbot, "3 runs")
    mode.bar.set_filter(Filter(between="0/60", code="abc"))
    qtbot.waitUntil(lambda: mode.count.text() == "0 runs")


@pytest.mark.parametrize(
    "key",
    ["status", "instance", "task", "scheduled", "duration", "code", "message", "trigger", "started"],
)
def test_a_click_on_any_header_sorts_by_its_column_and_another_one_the_other_way(
    mode: HistoryMode, key: str, qtbot: QtBot
) -> None:
    keys = [each.key for each in mode.rows.columns]
    rows = [row for row in map(mode.rows.row_at, range(3)) if row]
    assert len(rows) == 3
    header = mode.table.horizontalHeader()

    ways = set()
    for _ in range(2):
        header.sectionClicked.emit(keys.index(key))
        falling = header.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder
        expected = [row.id for row in sorted(rows, key=lambda row: _rank(row, key), reverse=falling)]
        qtbot.waitUntil(lambda expected=expected: _ids(mode) == expected)
        ways.add(falling)
    assert ways == {True, False}


def _ids(mode: HistoryMode) -> list[int | None]:
    return [row and row.id for row in map(mode.rows.row_at, range(3))]


def _rank(row: InstanceRow, key: str) -> tuple[Any, ...]:
    """In the order of the database: what is missing first, equal ones by number."""
    value = {
        "instance": row.id,
        "scheduled": row.scheduled_time,
        "duration": seconds_between(row.started_at, row.ended_at),
        "code": row.error_code,
        "message": row.error_message,
        "started": row.started_at,
    }.get(key) or getattr(row, key, None)
    return value is not None, value, row.id


def test_every_column_can_be_sorted_by(mode: HistoryMode) -> None:
    assert all(each.order for each in mode.rows.columns)


def test_a_new_run_waits_behind_a_button(mode: HistoryMode, engine_service: Service, qtbot: QtBot) -> None:
    engine_service.run(RunRequest(task="fine"))
    qtbot.waitUntil(lambda: mode.fresh.isVisible() and mode.fresh.text() == "1 new run", timeout=10_000)
    assert mode.rows.rowCount() == 3
    qtbot.mouseClick(mode.fresh, Qt.MouseButton.LeftButton)
    shows(mode, qtbot, "4 runs")
    assert not mode.fresh.isVisible()


def test_what_changes_while_the_rows_are_read_is_not_called_new(
    mode: HistoryMode, ran: list[int], qtbot: QtBot
) -> None:
    mode.read()
    mode._changed([{"kind": "instance", "instance": max(ran)}])
    mode._look()
    qtbot.waitUntil(lambda: mode.rows.rowCount() == 3 and not mode.fresh.isVisible())


def test_what_failed_is_run_again_for_all_that_are_selected(
    mode: HistoryMode, engine_service: Service, ran: list[int], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(mode, "sure", lambda _, lines: asked.append(lines) or True)
    mode.table.selectRow(1)
    mode.rerun_failed()
    qtbot.waitUntil(lambda: engine_service.instance(ran[1])["run"] == 2, timeout=10_000)
    assert asked == [[f"#{ran[1]}: load"]]
    qtbot.waitUntil(lambda: ended(engine_service, ran[1]), timeout=10_000)


def test_what_cannot_be_done_with_the_selected_runs_says_why(
    mode: HistoryMode, engine_service: Service, ran: list[int], qtbot: QtBot
) -> None:
    actions = mode.console.actions
    mode.table.clearSelection()
    assert actions.refusal("history.open") == "No run is selected."
    assert actions.refusal("history.rerun") == "No run is selected."

    mode.table.selectRow(1)

    assert actions.refusal("history.rerun") == ""
    assert actions.refusal("history.compare") == "Select two runs to compare them."
    assert not actions.get("history.compare").isEnabled()
    both = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    mode.table.selectionModel().select(mode.rows.index(2, 0), both)
    assert actions.get("history.compare").isEnabled()
    assert actions.get("history.rerun").isEnabled()
    number = engine_service.run(RunRequest(task="long"))
    mode.read()
    qtbot.waitUntil(lambda: (row := mode.rows.row_at(0)) is not None and row.id == number)
    mode.table.selectRow(0)
    qtbot.waitUntil(lambda: actions.refusal("history.rerun") == "The run has not ended.")
    engine_service.cancel(number)
    qtbot.waitUntil(lambda: actions.get("history.rerun").isEnabled())
    qtbot.waitUntil(lambda: ended(engine_service, number))


def test_two_runs_are_sent_to_be_compared(mode: HistoryMode, ran: list[int]) -> None:
    mode.table.selectRow(0)
    mode.compare()
    assert gone(mode) == []
    both = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    mode.table.selectionModel().select(mode.rows.index(2, 0), both)
    mode.compare()
    assert gone(mode) == [Target("instance", str(ran[2]), detail=f"compare:{ran[0]}")]


def test_an_export_has_every_run_and_no_formula(mode: HistoryMode, tmp_path: Path, qtbot: QtBot) -> None:
    mode.export(tmp_path / "runs.csv")
    qtbot.waitUntil(lambda: "The runs are exported." in mode.console.navigator.said)
    with (tmp_path / "runs.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["task"] for row in rows] == ["fine", "bad", "fine"]
    assert rows[1]["status"] in INSTANCE_BAD
    assert float(rows[0]["seconds"]) >= 0


def test_the_statistics_speak_of_what_is_shown(mode: HistoryMode, qtbot: QtBot) -> None:
    mode.findChild(QDockWidget, "dock-history-statistics").raise_()
    qtbot.waitUntil(lambda: "33.3 %" in mode.statistics.summary.text())
    assert mode.statistics.codes.topLevelItemCount() == 1
    code = mode.statistics.codes.topLevelItem(0)
    mode.statistics.codes.itemActivated.emit(code, 0)
    assert gone(mode)[-1] == Target("code", code.text(0))
    assert [mode.bar.task.itemText(i) for i in range(mode.bar.task.count())] == ["", "bad", "fine"]


def test_another_place_opens_all_runs_of_a_task(mode: HistoryMode, qtbot: QtBot) -> None:
    mode.open(Target("history", "fine"))
    shows(mode, qtbot, "2 runs")


def test_it_speaks_chinese_at_once(mode: HistoryMode, qtbot: QtBot) -> None:
    mode.console.language.switch("zh_CN")
    qtbot.waitUntil(lambda: mode.bar.status.text() == "任意状态")
    assert mode.rows.headerData(0, Qt.Orientation.Horizontal) == "状态"
    assert "run" not in mode.count.text()
    assert mode.count.text().startswith("3")


def test_an_error_of_the_database_is_said(
    mode: HistoryMode, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise SkerryError(next(iter(_codes())), "no database")

    monkeypatch.setattr(mode._shelf, "browser", broken)
    mode.read()
    qtbot.waitUntil(lambda: any("no database" in each for each in mode.console.navigator.said))


def _codes() -> Iterator[object]:
    from engine.model.codes.store import DAMAGED

    yield DAMAGED
