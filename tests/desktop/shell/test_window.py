"""The window: its modes, its menus, its way around."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Target
from app.desktop.kernel.overview import Snapshot
from app.desktop.shell.engine_link import EngineLink
from app.desktop.shell.modes import MODES, mode_for
from app.desktop.shell.window import MainWindow


def test_it_opens_at_home(window: MainWindow) -> None:
    assert window.front == "home"
    assert window.console.actions.get("mode.home").isChecked()


def test_every_mode_has_a_button_that_says_what_it_is_for(window: MainWindow) -> None:
    for entry in MODES:
        action = window.console.actions.get(f"mode.{entry.key}")
        assert action.isEnabled()
        assert entry.tip in action.toolTip()


def test_every_kind_of_target_has_a_mode() -> None:
    for kind in ("task", "job", "resource", "instance", "code", "exception", "rule", "queue", "file"):
        assert mode_for(kind) is not None


def test_a_key_brings_a_mode_to_the_front(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)

    assert window.front == "home"


def test_going_to_the_home_mode(window: MainWindow) -> None:
    window.go(Target("mode", "home"))

    assert window.front == "home"


def test_a_long_message_is_cut_and_the_window_keeps_its_size(window: MainWindow, qtbot: QtBot) -> None:
    before = window.size()

    window.notify("a very long message <b>of data</b> " * 50, bad=True)
    qtbot.wait(1)

    assert window.size() == before
    assert "&lt;b&gt;" in window.status.message.toolTip()


def test_a_message_does_not_outlast_its_language(window: MainWindow, qtbot: QtBot) -> None:
    window.notify("tour #5: succeeded")
    assert window.status.message.isVisible()

    window.console.language.switch("zh_CN")
    qtbot.waitUntil(lambda: not window.status.message.isVisible())


def test_nothing_written_down_is_said_in_every_mode(window: MainWindow) -> None:
    window.show_mode("run")
    held = {"since": "2026-11-23T03:10:00+00:00", "reason": "No space left on <b>device</b>", "instances": 2}

    window.overview.latest = Snapshot(hold_up=held)
    window.overview.refreshed.emit(window.overview.latest)
    assert window.status.held.isVisible()
    assert window.status.held.words.startswith("Nothing is written down since ")
    assert "&lt;b&gt;" in window.status.held.toolTip()

    window.overview.latest = Snapshot()
    window.overview.refreshed.emit(window.overview.latest)
    assert not window.status.held.isVisible()


def test_with_a_real_engine_it_says_so(engine_window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: "connected" in engine_window.status.engine.words)

    assert isinstance(engine_window.console.link, EngineLink)


def test_back_and_forward_go_one_place_at_a_time(window: MainWindow) -> None:
    # given a way through three modes, the last but one at a certain run
    window.show_mode("history")
    window.go(Target("instance", "1"))
    window.show_mode("queue")

    # then each place is reached once on the way back, and again on the way forward
    def fronts(step: Callable[[], None]) -> list[str]:
        return [(step(), window.front)[1] for _ in range(4)]  # type: ignore[func-returns-value]

    assert fronts(window.back) == ["run", "history", "home", "home"]
    assert fronts(window.forward) == ["history", "run", "queue", "queue"]
