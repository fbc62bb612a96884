"""The Gantt chart of a run that is still being read does not say that nothing has begun."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Console, Target
from app.desktop.run.gantt_view import GanttView
from app.desktop.run.mode import RunMode
from tests.api.fake_service import FakeService, instance, job


def test_a_chart_that_is_being_read_says_so(console: Console, service: FakeService, qtbot: QtBot) -> None:
    service.found[1] = instance(1, "running", jobs=[job("load", "pending")])
    mode = RunMode(console)
    qtbot.addWidget(mode)
    with qtbot.waitExposed(mode):
        mode.show()
    mode.raise_dock("gantt")
    chart = mode.findChild(GanttView)
    assert isinstance(chart, GanttView)

    mode.open(Target("instance", "1"))
    assert chart.empty == "Reading…"

    qtbot.waitUntil(lambda: chart.empty == "Nothing has begun.")
    mode.let_go()
