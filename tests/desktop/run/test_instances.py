"""The table of instances in docks of any width."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Console
from app.desktop.run.instances_pane import COLUMNS, InstancesModel, InstancesPane, InstancesTable
from engine.api.documents import InstanceQuery
from tests.api.fake_service import FakeService


@pytest.mark.parametrize("width", [225, 250, 330])
def test_the_time_is_whole_or_out_of_sight(console: Console, qtbot: QtBot, width: int) -> None:
    pane = InstancesPane(console)
    qtbot.addWidget(pane)
    table = InstancesTable(InstancesModel(console, pane))
    qtbot.addWidget(table)
    table.resize(width + 2 * table.frameWidth(), 200)
    with qtbot.waitExposed(table):
        table.show()

    room, time = table.viewport().width(), table.columnViewportPosition(3)
    assert room == width
    assert time >= room or time + COLUMNS[3].width <= room


def test_what_is_typed_is_looked_for_among_all_instances(
    console: Console, service: FakeService, qtbot: QtBot
) -> None:
    asked: list[InstanceQuery] = []
    found = service.instances
    service.instances = lambda query: (asked.append(query), found(query))[1]  # type: ignore[method-assign]
    pane = InstancesPane(console)
    qtbot.addWidget(pane)

    qtbot.keyClicks(pane.text, "tides")

    qtbot.waitUntil(lambda: any(query.text == "tides" for query in asked))
