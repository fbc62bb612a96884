"""Replay: every pane shows the chosen moment, nothing can be changed meanwhile, and a case replays alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.desktop.kernel.actions import Actions
from app.desktop.kernel.console import Console, Target
from app.desktop.run.case_link import CaseLink
from app.desktop.run.mode import RunMode
from app.desktop.run.node_states import by_node
from engine.api.service import Service
from engine.context.timeline import JobKey

PATIENCE = 20_000


def _opened(mode: RunMode, number: int, qtbot: QtBot) -> None:
    mode.open(Target("instance", str(number)))
    qtbot.waitUntil(lambda: mode.graph.bar.slider.maximum() > 10, timeout=PATIENCE)
    mode.activateWindow()
    mode.graph.view.setFocus()
    qtbot.waitUntil(mode.graph.view.hasFocus, timeout=PATIENCE)


def _key(mode: RunMode, key: Qt.Key, shift: bool = False) -> None:
    modifier = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    QTest.keyClick(mode.graph.view, key, modifier)


def test_the_middle_of_a_finished_run_equals_the_context_at_that_line(
    mode: RunMode, ran: Callable[..., int], engine_service: Service, qtbot: QtBot
) -> None:
    number = ran("repair", "nightly")
    _opened(mode, number, qtbot)
    middle = mode.replay.last // 2

    mode.graph.bar.slider.setValue(middle)

    qtbot.waitUntil(lambda: mode.session.at is not None and mode.session.at.seq == middle, timeout=PATIENCE)
    assert mode.session.at is not None
    tree = engine_service.context(number, at=middle)
    assert mode.session.at.tree == tree
    shown = mode.graph.view.statuses()
    assert {node: status for node, status in shown.items() if status != "pending"} == {
        node: entry["STATUS"] for node, entry in tree["JOB"].items()
    }
    assert shown["publish"] == "pending"
    assert mode.graph.banner.isVisible()
    assert mode.graph.banner.text() == "REPLAY"
    assert not any(
        mode.console.actions.get(id).isEnabled()
        for id in ("run.retry", "run.rerun", "run.force", "run.cancel")
    )
    assert mode.gantt.view.moment is not None
    mode.raise_dock("context")
    mode.context.show_path("$.JOB['extract'].STATUS")
    assert mode.context.value.toPlainText() == tree["JOB"]["extract"]["STATUS"]


def test_keys_step_jump_to_failures_and_lead_back_to_the_present(
    mode: RunMode, ran: Callable[..., int], qtbot: QtBot
) -> None:
    number = ran("repair", "nightly")
    _opened(mode, number, qtbot)
    failures = mode.replay.failures()

    _key(mode, Qt.Key.Key_Home)
    assert mode.replay.position == 0
    _key(mode, Qt.Key.Key_Period)
    assert mode.replay.position == 1
    _key(mode, Qt.Key.Key_Period, shift=True)
    assert mode.replay.position == failures[0]
    qtbot.waitUntil(lambda: mode.job.status.status == "retrying", timeout=PATIENCE)
    _key(mode, Qt.Key.Key_Comma)
    assert mode.replay.position == failures[0] - 1
    _key(mode, Qt.Key.Key_End)
    assert mode.replay.position == mode.replay.last
    _key(mode, Qt.Key.Key_L)

    assert mode.replay.position is None
    assert mode.session.at is None
    assert not mode.graph.banner.isVisible()
    assert mode.console.actions.get("run.retry").isEnabled()


def test_the_slider_goes_where_it_is_clicked(mode: RunMode, ran: Callable[..., int], qtbot: QtBot) -> None:
    number = ran("repair", "nightly")
    _opened(mode, number, qtbot)
    slider = mode.graph.bar.slider
    place = QPoint(slider.width() // 4, slider.height() // 2)

    QTest.mouseClick(slider, Qt.MouseButton.LeftButton, pos=place)

    assert mode.replay.position is not None
    assert abs(mode.replay.position - mode.replay.last / 4) <= max(1, mode.replay.last * 0.03)


def test_it_plays_to_the_end_and_halts_there(mode: RunMode, ran: Callable[..., int], qtbot: QtBot) -> None:
    number = ran("repair", "nightly")
    _opened(mode, number, qtbot)
    mode.replay.set_speed(100)
    seen: list[int] = []
    mode.session.moment.connect(lambda moment: seen.append(moment.seq) if moment else None)

    mode.replay.play()
    assert mode.replay.playing
    qtbot.waitUntil(lambda: mode.replay.position == mode.replay.last, timeout=PATIENCE)
    qtbot.waitUntil(lambda: not mode.replay.playing, timeout=PATIENCE)

    assert seen == sorted(seen)
    assert len(seen) > 1


def test_a_loop_shows_the_round_that_was_latest_then(
    mode: RunMode, ran: Callable[..., int], qtbot: QtBot
) -> None:
    number = ran("loop", "climb")
    _opened(mode, number, qtbot)
    mode.session.selection.choose(node="look")
    qtbot.waitUntil(lambda: mode.graph.view.items_by_id["look"].node.badges == ("↻4",), timeout=PATIENCE)
    assert mode.graph.view.items_by_id["reached"].node.badges == ("↻4", "→ true")
    assert mode.job.rounds.count() == 4
    second = [tick.seq for tick in mode.replay.ticks() if tick.node == "look" and tick.kind == "ended"][1]

    mode.replay.seek(second)

    qtbot.waitUntil(lambda: mode.session.at is not None and mode.session.at.seq == second, timeout=PATIENCE)
    assert mode.session.at is not None
    assert by_node(mode.session.at.statuses)["look"].round == 2
    job = mode.session.job()
    assert job is not None
    assert (job["round"], job["status"]) == (2, "succeeded")
    assert mode.session.at.entry(JobKey("look", 3)) is None


def test_an_edit_leads_to_its_line_from_the_history_of_the_value(
    mode: RunMode, ran: Callable[..., int], engine_service: Service, qtbot: QtBot
) -> None:
    number = ran("repair", "nightly")
    engine_service.set_value(number, "$.TASK.PARAMS['limit']", "30", "typo")
    _opened(mode, number, qtbot)
    mode.raise_dock("context")
    qtbot.waitUntil(lambda: mode.context.model.rowCount() == 2, timeout=PATIENCE)
    mode.context.show_path("$.TASK.PARAMS['limit']")
    qtbot.waitUntil(lambda: mode.context.history.topLevelItemCount() > 1, timeout=PATIENCE)
    newest = mode.context.history.topLevelItem(0)
    assert newest is not None
    assert (newest.text(3), newest.text(4)) == ("30", "typo")

    mode.context.history.itemActivated.emit(newest, 0)

    assert mode.replay.position == int(newest.text(0))
    assert "edited" in {tick.kind for tick in mode.replay.ticks()}


def test_an_imported_workspace_is_shown_and_replayed_but_not_changed(
    engine_console: Console, workspace: Path, ran: Callable[..., int], engine_service: Service, qtbot: QtBot
) -> None:
    number = ran("repair", "nightly")
    link = CaseLink(workspace)
    mode = RunMode(replace(engine_console, link=link, actions=Actions(engine_console.icons)))
    with qtbot.waitExposed(mode):
        mode.show()

    _opened(mode, number, qtbot)
    mode.replay.seek(20)

    qtbot.waitUntil(lambda: mode.session.at is not None and mode.session.at.seq == 20, timeout=PATIENCE)
    assert mode.session.at is not None
    assert mode.session.at.tree == engine_service.context(number, at=20)
    mode.replay.leave()
    assert not mode.console.actions.get("run.retry").isEnabled()
    assert not mode.context.edit.isEnabled()
    mode.let_go()
    mode.close()
    link.close()
    mode.deleteLater()


def test_the_log_is_that_of_the_attempt_that_stood_then_and_says_how_well_it_is_known(
    mode: RunMode, ran: Callable[..., int], qtbot: QtBot
) -> None:
    # given a job that was tried twice
    number = ran("repair", "nightly")
    _opened(mode, number, qtbot)
    mode.session.selection.choose(node="load")
    mode.raise_dock("log")
    first, second = [tick for tick in mode.replay.ticks() if tick.node == "load" and tick.kind == "started"]

    # when the last moment before its second attempt is shown, then the log is the whole one of the first
    mode.replay.seek(second.seq - 1)
    qtbot.waitUntil(lambda: _log(mode).endswith("/attempts/1/job.log"), timeout=PATIENCE)
    assert mode.log.known.text() == "At this moment the log was complete."

    # when it had only just begun, then nothing was in it yet
    mode.replay.seek(first.seq)
    qtbot.waitUntil(lambda: "its log was empty" in mode.log.known.text(), timeout=PATIENCE)

    # when the present is shown again, then the latest log, and nothing is said of it
    mode.replay.leave()
    qtbot.waitUntil(lambda: "attempts" not in _log(mode) and mode.log.known.isHidden(), timeout=PATIENCE)


def _log(mode: RunMode) -> str:
    file = mode.log._current()
    return file["path"] if file is not None else ""
