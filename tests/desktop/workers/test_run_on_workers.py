"""A run on several workers in Run: the graph, the list of jobs, the records with their logs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Target
from app.desktop.run.mode import RunMode
from app.desktop.shell.window import MainWindow
from engine.api.documents import RunRequest, Source
from engine.api.service import Service
from engine.model.worker_request import WorkerRequest

TASK = """
skerry: 1
tasks:
  render:
    nodes:
      frames: {type: shell, process: "true", on: {workers: [build]}}
      tidy:
        type: shell
        process: 'echo "out of $PWD"; case $PWD in *two*) exit 3;; esac'
        on: {workers: [local, build, two], strategy: all, success: single}
        after: [frames]
"""


@pytest.fixture
def mode(
    engine_window: MainWindow,
    build: str,
    way: WorkerRequest,
    engine_service: Service,
    tmp_path: Path,
    qtbot: QtBot,
) -> RunMode:
    """A run that has ended: on two of three workers it went well."""
    engine_service.add_worker("two", replace(way, root=str(tmp_path / "two")))
    engine_service.trust_worker("two")
    engine_service.load([Source(name="render.yaml", text=TASK)])
    run = engine_service.run(RunRequest(task="render"))
    qtbot.waitUntil(lambda: engine_service.instance(run)["status"] == "succeeded", timeout=60_000)
    engine_window.go(Target("instance", str(run)))
    found = engine_window.show_mode("run")
    assert isinstance(found, RunMode)
    qtbot.waitUntil(lambda: "tidy" in found.graph.view.items_by_id)
    return found


def test_the_worker_is_seen_in_the_graph_and_each_record_has_its_log(mode: RunMode, qtbot: QtBot) -> None:
    drawn = mode.graph.view.items_by_id
    qtbot.waitUntil(lambda: drawn["tidy"].node.badges == ("@2/3",))
    assert drawn["frames"].node.badges == ("@build",)

    mode.session.selection.choose(node="tidy")
    records = mode.job.records
    qtbot.waitUntil(lambda: records.count() == 4)
    assert [records.itemData(at) for at in range(4)] == ["tidy", "tidy@local", "tidy@build", "tidy@two"]

    records.setCurrentIndex(3)
    records.activated.emit(3)

    assert mode.session.selection.now.node == "tidy@two"
    assert mode.graph.view.selected() == frozenset({"tidy"})
    job = mode.session.job()
    assert job is not None
    assert job["status"] == "failed"


def test_the_list_of_jobs_has_a_column_for_the_worker_where_another_one_ran_something(
    mode: RunMode, qtbot: QtBot
) -> None:
    mode.raise_dock("jobs")
    table = mode.jobs.table
    qtbot.waitUntil(lambda: table.topLevelItemCount() == 2)

    tidy = table.topLevelItem(1)
    assert not table.isColumnHidden(4)
    assert table.topLevelItem(0).text(4) == "build"
    found = {tidy.child(at).text(0): tidy.child(at).text(4) for at in range(tidy.childCount())}
    assert found == {"tidy": "", "tidy@local": "local", "tidy@build": "build", "tidy@two": "two"}
