"""The map of tasks on the screen: what waits for what, and one selection in graph, table and day."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Console
from app.desktop.plan.map_pane import MapPane
from app.desktop.plan.mode import PlanMode
from app.desktop.plan.task_map import COLUMNS, map_of
from engine.api.documents import Document
from tests.api.fake_service import FakeService, a_day, on_the_day

TODAY = "2026-11-21"


def a_task(task: str, *upstream: str, **changes: Any) -> Document:
    return {"task": task, "name": None, "state": "online", "upstream": list(upstream), "next": None,
            "status": "succeeded", "instance": 1, "scheduled_time": None, **changes}  # fmt: skip


TASKS = [
    a_task("tides", next="2026-11-22T06:00:00+00:00"),
    a_task("forecast", "tides", "forecast", status="failed"),
    a_task("report", "forecast", state="offline", status=None, name="Report of the day"),
]


@pytest.fixture
def mode(console: Console, service: FakeService, qtbot: QtBot) -> PlanMode:
    service.answers["task_map"] = TASKS
    times = [f"{TODAY}T0{hour}:00:00.000000+00:00" for hour in (4, 6)]
    service.days[None] = service.days[TODAY] = a_day(
        TODAY, on_the_day(1, "tides", times[0]), on_the_day(2, "forecast", times[1], "failed")
    )
    mode = PlanMode(console)
    qtbot.addWidget(mode)
    mode.resize(1200, 700)
    with qtbot.waitExposed(mode):
        mode.show()
    mode.tabs.setCurrentWidget(mode.map)
    mode.entered()
    qtbot.waitUntil(lambda: len(mode.map.graph.items_by_id) == 3 and mode.day.view.count() == 2)
    return mode


@pytest.fixture
def map(mode: PlanMode) -> MapPane:
    return mode.map


def chosen(map: MapPane) -> str | None:
    return map.table.current["task"] if map.table.current else None


def test_an_arrow_leads_from_each_task_to_those_that_wait_for_it() -> None:
    graph = map_of(TASKS)

    assert [(each.source, each.target) for each in graph.links] == [
        ("tides", "forecast"),
        ("forecast", "report"),
    ]
    assert [each.status for each in graph.nodes] == ["succeeded", "failed", None]
    assert [each.faint for each in graph.nodes] == [False, False, True]
    assert [each.badges for each in graph.nodes] == [(), ("self",), ()]
    assert graph.nodes[2].title == "Report of the day"


def test_a_task_that_waits_for_one_that_is_not_there_has_no_arrow() -> None:
    assert map_of([a_task("forecast", "gone")]).links == ()


def test_the_second_line_of_a_node_is_its_next_time_where_there_is_no_room_for_its_status_too(
    map: MapPane,
) -> None:
    texts = {}
    for id, node in map.graph.items_by_id.items():
        node._fit()
        texts[id] = node._below

    assert texts["tides"] == map_of(TASKS).nodes[0].brief
    assert not any("…" in text for text in texts.values())


def test_the_table_says_what_a_task_waits_for() -> None:
    assert COLUMNS[-1].text(TASKS[1]) == "tides, itself"


def test_a_click_selects_the_task_in_the_table_and_in_the_day(mode: PlanMode, map: MapPane) -> None:
    spot = map.graph.mapFromScene(map.graph.items_by_id["forecast"].sceneBoundingRect().center())

    QTest.mouseClick(map.graph.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot)

    assert chosen(map) == "forecast"
    assert mode.day.view.current is not None
    assert mode.day.view.current.task == "forecast"


def test_a_row_of_the_table_selects_in_the_graph_and_enter_shows_the_day(
    mode: PlanMode, map: MapPane
) -> None:
    map.table.setFocus()
    map.table.select("forecast")
    QTest.keyClick(map.table, Qt.Key.Key_Return)

    assert map.graph.selected() == {"forecast"}
    assert mode.tabs.currentWidget() is mode.day
    assert mode.day.view.current is not None
    assert mode.day.view.current.instance == 2


def test_what_is_typed_is_found_in_graph_and_table(map: MapPane, qtbot: QtBot) -> None:
    map.text.setText("repo")

    qtbot.waitUntil(lambda: map.graph.selected() == {"report"})
    assert [row["task"] for row in map.table.shown] == ["report"]


def test_past_times_are_those_of_the_selected_task(
    mode: PlanMode, map: MapPane, service: FakeService, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "definitions", lambda kind: [{"id": each["task"]} for each in TASKS])
    map.select("forecast")

    mode.begin()

    qtbot.waitUntil(lambda: mode.assistant is not None)
    assert mode.assistant is not None
    assert mode.assistant.task.currentText() == "forecast"
