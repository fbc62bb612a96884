"""Monitor mode as a person uses it, over samples of an hour and a run."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from app import wiring
from app.desktop.kernel.console import Console, Target
from app.desktop.monitor.job_charts import JobCharts
from app.desktop.monitor.mode import MonitorMode
from app.desktop.widgets.charts import ChartLine
from engine.runtime.clock import SystemClock
from engine.runtime.monitoring.job_samples import JobSample
from engine.runtime.monitoring.machine_samples import MachineSample
from engine.store.changes import Changes
from engine.store.opening import open_store
from engine.store.rows import time_text


def machine_lines(now: datetime) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for i in range(1800, 0, -1):
        time = now - timedelta(seconds=i)
        values = [
            i % 100,
            1,
            1,
            1,
            8 << 30,
            4 << 30,
            0,
            9 << 30,
            5 << 30,
            0,
            0,
            0,
            0,
            5,
            70 << 20,
            8,
            1,
            2,
            0.001,
        ]
        text = f"{time.isoformat(timespec='milliseconds')},{','.join(map(str, values))}"
        found.setdefault(time.date().isoformat(), []).append(text)
    return found


def a_run(url: str, now: datetime) -> None:
    store = open_store(url, clock=SystemClock())
    start = time_text(now - timedelta(minutes=10))
    row = {"id": 7, "task": "nightly", "status": "failed", "trigger": "manual", "scheduled_time": start}
    changes = Changes()
    changes.insert("instance", row | {"created_at": start, "started_at": start, "ended_at": time_text(now)})
    store.commit(changes)
    store.close()


@pytest.fixture
def mode(
    console: Console, workspace: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MonitorMode]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(workspace.parent / "cache"))
    now = datetime.now(UTC)
    place = wiring.open_workspace(workspace)
    place.monitor.mkdir(exist_ok=True)
    head = ",".join(("time", *MachineSample._fields))
    for day, lines in machine_lines(now).items():
        (place.monitor / f"{day}.csv").write_text("\n".join([head, *lines, ""]))
    a_run(place.database_url, now)
    mode = MonitorMode(console)
    mode.resize(1280, 800)
    qtbot.addWidget(mode)
    with qtbot.waitExposed(mode):
        mode.show()
    mode.live.setChecked(False)
    mode.entered()
    qtbot.waitUntil(lambda: len(mode.board._samples) > 0)
    qtbot.waitUntil(lambda: len(mode.strips[0].lanes.runs) == 1)
    yield mode
    mode.let_go()


def said(mode: MonitorMode) -> list[str]:
    found: list[str] = mode.console.navigator.said
    return found


def gone(mode: MonitorMode) -> list[Target]:
    found: list[Target] = mode.console.navigator.gone
    return found


def test_the_samples_of_the_last_hour_are_drawn_on_one_axis(mode: MonitorMode) -> None:
    assert 1790 <= len(mode.board._samples) <= 1801
    spans = {tuple(map(round, chart.span())) for chart in mode.board.charts.values()}
    assert len(spans) == 1
    first, last = mode.board.span()
    assert last - first == pytest.approx(3600)
    assert not mode.board.empty.isVisible()


def test_what_hardly_changes_looks_level(mode: MonitorMode) -> None:
    chart, times = mode.board.charts["memory"], np.arange(3, dtype=float)
    chart.show_lines([ChartLine("#123456", times, np.array([56.254, 56.246, np.nan]))])
    chart.plot.grab()  # which fits the axis
    _, (low, high) = chart.item.viewRange()
    assert high - low == pytest.approx(5.6, abs=0.1)
    chart.show_lines([ChartLine("#123456", times, np.full(3, np.nan))])  # no peak to go by
    chart.plot.grab()


def test_the_cursor_goes_through_all_charts_and_tells_the_values(mode: MonitorMode) -> None:
    moment = float(mode.board._samples.times[100])
    mode.board.charts["memory"].hovered.emit(moment)
    assert all(chart._cursor.isVisible() for chart in mode.board.charts.values())
    assert "4" in mode.board.legends["memory"].text()
    mode.board.charts["memory"].hovered.emit(None)
    assert not mode.board.charts["cpu"]._cursor.isVisible()


def test_a_run_is_under_the_charts_and_a_click_opens_it(mode: MonitorMode, qtbot: QtBot) -> None:
    strip = mode.strips[0]
    rect = strip._rect(strip._painted()[0])
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=rect.center().toPoint())
    assert gone(mode) == [Target("instance", "7")]
    assert strip.bar_at(QPointF(1, 1)) is None


def test_zooming_and_back(mode: MonitorMode, qtbot: QtBot) -> None:
    first, last = mode.board.span()
    mode.board.show_span(last - 600, last)
    mode.back()
    assert mode.board.span() == pytest.approx((first, last))

    mode.show_last(7 * 86_400.0)
    qtbot.waitUntil(lambda: 0 < len(mode.board._samples) < 100)
    mode.board.show_span(last - 600, last)
    qtbot.waitUntil(lambda: len(mode.board._samples) > 500)
    mode.back()
    mode.back()
    assert mode.board.span()[1] - mode.board.span()[0] == pytest.approx(7 * 86_400)


def test_the_runs_of_the_interval_are_listed_in_the_history(mode: MonitorMode) -> None:
    first, last = mode.board.span()
    mode.runs_of_interval()
    assert gone(mode) == [Target("history", detail=f"{first:.0f}/{last:.0f}")]


def test_samples_and_picture_are_saved(mode: MonitorMode, tmp_path: Path, qtbot: QtBot) -> None:
    mode.export(tmp_path / "samples.csv")
    qtbot.waitUntil(lambda: "The samples are exported." in said(mode))
    lines = (tmp_path / "samples.csv").read_text().splitlines()
    assert lines[0].startswith("time,cpu")
    assert 1790 <= len(lines) <= 1801
    assert mode.picture(tmp_path / "monitor.png")
    assert (tmp_path / "monitor.png").read_bytes().startswith(b"\x89PNG")
    assert not mode.picture(tmp_path / "no" / "folder.png")


def test_another_place_shows_a_span(mode: MonitorMode) -> None:
    mode.open(Target("monitor", "1000/2000"))
    assert mode.board.span() == pytest.approx((1000, 2000))


def test_the_charts_of_a_job_are_read_when_they_are_seen(
    console: Console, tmp_path: Path, qtbot: QtBot
) -> None:
    rows = [f"2026-11-21T08:00:{i:02}.000+00:00,50,1048576,0,0,1,2,0,0" for i in range(10)]
    (tmp_path / "monitor.csv").write_text("\n".join([",".join(("time", *JobSample._fields)), *rows, ""]))
    charts = JobCharts(console.theme)
    qtbot.addWidget(charts)
    charts.show_folder(tmp_path)
    assert charts.board is None

    with qtbot.waitExposed(charts):
        charts.show()

    qtbot.waitUntil(lambda: charts.board is not None and len(charts.board._samples) == 10)
    charts.show_folder(None)
    qtbot.waitUntil(charts.empty.isVisible)
    assert charts.empty.text().startswith("No samples")
    charts.stop()
