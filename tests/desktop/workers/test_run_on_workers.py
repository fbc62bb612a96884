"""A run on several workers in Run: the graph, the list of jobs, the records with their logs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Target
from app.desktop.run.mode import RunMode
from app.desktop.shell.window import MainWindow
from engine.api.documents import RunRequest, Source
from engine.api.service import Service
from engine.model.worker_request import WorkerRequest
from tests.small_disk import small_disk

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


ROOM = """
skerry: 1
jobs:
  use: {{type: shell, params: {{big: {{kind: file, send: true}}}}, process: 'wc -c < "$big"'}}
tasks:
  room: {{nodes: {{use: {{job: use, on: {{workers: [small]}}, params: {{big: {big}}}}}}}}}
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

    widest = max(records.fontMetrics().horizontalAdvance(records.itemText(at)) for at in range(4))
    qtbot.waitUntil(lambda: records.width() > widest)  # its words are not cut

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

    # where there is little room it is that of the names
    mode.jobs.resize(170, 200)
    assert table.isColumnHidden(4)
    assert table.columnWidth(0) > 50


def test_the_signs_of_the_jobs_follow_the_look(mode: RunMode, qtbot: QtBot) -> None:
    mode.raise_dock("jobs")
    table = mode.jobs.table
    qtbot.waitUntil(lambda: table.topLevelItemCount() == 2)

    def signs() -> list[QImage]:
        items = [table.topLevelItem(0), table.topLevelItem(1).child(1)]
        return [each.icon(1).pixmap(16, 16).toImage() for each in items]

    light = signs()
    mode.console.theme.switch(dark=True)

    assert all(before != now for before, now in zip(light, signs(), strict=True))


def test_a_job_whose_files_wait_for_room_on_its_worker_says_so(
    engine_window: MainWindow,
    build: str,
    way: WorkerRequest,
    engine_service: Service,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    big = tmp_path / "big"
    big.write_bytes(bytes(6 << 20))
    with small_disk(tmp_path / "disk", "8m") as disk:
        # given a worker whose disk is too full for the file of a job
        (disk / "ballast").write_bytes(bytes(4 << 20))
        engine_service.add_worker("small", replace(way, root=str(disk / "jobs")))
        engine_service.trust_worker("small")
        engine_service.load([Source(name="room.yaml", text=ROOM.format(big=big))])

        # when it runs
        run = engine_service.run(RunRequest(task="room"))
        engine_window.go(Target("instance", str(run), node="use"))
        mode = engine_window.show_mode("run")
        assert isinstance(mode, RunMode)

        # then the pane of the job, the graph and the list of jobs say what it waits for
        waits = "files wait for room since "
        qtbot.waitUntil(lambda: waits in (engine_service.instance(run)["jobs"][0]["reason"] or ""))
        qtbot.waitUntil(lambda: waits in mode.job.why.text.text())
        qtbot.waitUntil(lambda: mode.job.why.link.text() == "Show worker small")
        assert waits in mode.graph._tip("use")
        mode.raise_dock("gantt")
        qtbot.waitUntil(lambda: any(waits in each for each in mode.gantt.view.notes.values()))
        mode.raise_dock("jobs")
        qtbot.waitUntil(lambda: waits in mode.jobs.table.topLevelItem(0).text(3))

        # and with room it ends well
        (disk / "ballast").unlink()
        qtbot.waitUntil(lambda: engine_service.instance(run)["status"] == "succeeded", timeout=60_000)
