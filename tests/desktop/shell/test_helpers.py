"""The locator, the page of shortcuts, the tour: what opens over the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMenu
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from app.desktop.design.questions import AskId
from app.desktop.kernel.settings import WindowSettings
from app.desktop.shell.closing import Choice
from app.desktop.shell.locator import Locator
from app.desktop.shell.locator_search import LocatorEntry
from app.desktop.shell.shortcuts import Shortcuts
from app.desktop.shell.tour import STEPS, Tour
from app.desktop.shell.window import MainWindow
from app.desktop.widgets.tree_items import children, tops
from tests.api.fake_service import FakeService

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def _locator(window: MainWindow, qtbot: QtBot) -> Locator:
    qtbot.keyClick(window, Qt.Key.Key_K, CTRL)
    locator = window.findChild(Locator)
    assert isinstance(locator, Locator)
    qtbot.waitUntil(lambda: locator.list.count() > 0)
    return locator


def test_a_command_is_found_and_done(window: MainWindow, qtbot: QtBot) -> None:
    locator = _locator(window, qtbot)

    qtbot.keyClicks(locator.line, ">dark")
    qtbot.keyClick(locator.line, Qt.Key.Key_Return)

    assert window.console.theme.dark
    assert not locator.isVisible()


def test_tasks_of_the_engine_are_found(window: MainWindow, qtbot: QtBot) -> None:
    locator = _locator(window, qtbot)
    qtbot.keyClicks(locator.line, "@nightly")

    qtbot.waitUntil(lambda: locator.list.count() > 0 and "nightly" in locator.list.item(0).text())


def test_what_was_moved_to_stays_chosen_when_more_is_found_late(window: MainWindow, qtbot: QtBot) -> None:
    # given a person who moved on before the engine answered
    locator = _locator(window, qtbot)
    qtbot.keyClicks(locator.line, "a")
    qtbot.keyClick(locator.line, Qt.Key.Key_Down)
    chosen = locator.list.currentItem().text()

    # when its answer has what fits better
    locator._found([LocatorEntry("task", "a", "")])

    # then Enter is still for what the person sees chosen
    assert locator.list.item(0).text() == "a"
    assert locator.list.currentItem().text() == chosen


def test_arrows_move_and_escape_leaves(window: MainWindow, qtbot: QtBot) -> None:
    locator = _locator(window, qtbot)

    qtbot.keyClick(locator.line, Qt.Key.Key_Down)
    assert locator.list.currentRow() == 1
    qtbot.keyClick(locator.line, Qt.Key.Key_Escape)

    assert not locator.isVisible()


def test_the_page_of_shortcuts_shows_and_filters(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_F1, Qt.KeyboardModifier.ControlModifier)
    page = window.findChild(Shortcuts)
    assert isinstance(page, Shortcuts)
    rows = [row for branch in tops(page.tree) for row in children(branch)]
    shown = {row.text(0) for row in rows}
    assert {"Home", "Find…", "Quit"} <= shown

    qtbot.keyClicks(page.line, "quit")

    assert {row.text(0) for row in rows if not row.isHidden()} == {"Quit"}
    page.reject()


def test_no_two_actions_of_one_place_share_a_key(window: MainWindow) -> None:
    everywhere: dict[str, list[str]] = {}
    for spec, action in window.console.actions.all():
        if spec.mode is None:
            for key in action.shortcuts():
                everywhere.setdefault(key.toString(), []).append(spec.id)

    assert {key: ids for key, ids in everywhere.items() if len(ids) > 1} == {}


def test_the_tour_leads_through_and_ends(window: MainWindow, qtbot: QtBot) -> None:
    window.console.actions.get("help.tour").trigger()
    tour = window.findChild(Tour)
    assert isinstance(tour, Tour)
    qtbot.waitUntil(tour.isVisible)
    assert QRect(0, 0, window.width(), window.height()).contains(tour.geometry())

    for _ in STEPS:
        qtbot.mouseClick(tour.next, Qt.MouseButton.LeftButton)

    assert not tour.isVisible()


def test_without_a_task_the_tour_draws_the_first_one(
    window: MainWindow, service: FakeService, qtbot: QtBot
) -> None:
    service.definitions = lambda _kind: []  # type: ignore[method-assign]
    window.console.actions.get("help.tour").trigger()
    tour = window.findChild(Tour)
    assert isinstance(tour, Tour)
    qtbot.waitUntil(tour.isVisible)
    assert "New task" in tour.act.text()

    qtbot.mouseClick(tour.act, Qt.MouseButton.LeftButton)

    assert window.front == "design"
    dialog = window.findChild(AskId)
    assert dialog is not None
    assert dialog.isVisible()
    dialog.reject()
    assert "New task" in tour.act.text()  # given up, it can be done again

    qtbot.mouseClick(tour.next, Qt.MouseButton.LeftButton)
    assert "Insert a job" in tour.act.text()
    assert not tour.act.isEnabled()  # there is no task to put one into


def test_every_pane_is_in_the_menu_and_the_layout_can_be_reset(window: MainWindow, qtbot: QtBot) -> None:
    mode = window.show_mode("design")
    listed = {action.text() for menu in window.findChildren(QMenu) for action in menu.actions()}
    assert {dock.windowTitle() for dock in mode.docks.values()} <= listed

    mode.docks["outline"].hide()
    mode.docks["form"].setFloating(True)
    window.console.actions.get("view.reset_layout").trigger()

    assert mode.docks["outline"].toggleViewAction().isChecked()
    assert not mode.docks["form"].isFloating()


def test_a_mode_that_was_never_shown_leaves_the_layout_as_it_was(
    window: MainWindow, settings: WindowSettings
) -> None:
    window.mode("design").save_layout()

    assert settings.blob("layout/design").isEmpty()


def test_docks_come_back_as_wide_as_they_were_left(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 720)
    first = window.show_mode("design")
    qtbot.waitUntil(lambda: first.updatesEnabled() and first.docks["form"].width() > 200)
    first.resizeDocks([first.docks["form"]], [400], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: first.docks["form"].width() == 400)
    first.save_layout()

    again = MainWindow(window.console)
    qtbot.addWidget(again)
    again.choose = lambda *_: Choice.STOP
    again.resize(1280, 720)
    again.show()
    mode = again.show_mode("design")

    qtbot.waitUntil(lambda: mode.updatesEnabled() and mode.docks["form"].width() == 400)
    again.close()


def test_a_report_can_be_saved(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = tmp_path / "stick" / "report.txt"
    wanted.parent.mkdir()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(wanted), ""))

    window.console.actions.get("help.report").trigger()

    assert "MainThread" in wanted.read_text("utf-8")
    assert str(wanted) in window.status.message.text()


def test_f6_goes_round_the_panes(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_F6)
    qtbot.keyClick(window, Qt.Key.Key_F6, SHIFT)

    assert window.focusWidget() is not None


def test_what_is_chosen_is_done_although_what_had_the_focus_before_is_gone(
    window: MainWindow, qtbot: QtBot
) -> None:
    field = QLineEdit(window)
    field.show()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    window.locate(">Queue")
    locator = window._locator
    assert locator is not None
    qtbot.waitUntil(lambda: locator.list.count() > 0)

    delete(field)  # as a form does that is made again
    QTest.keyClick(locator.line, Qt.Key.Key_Return)

    assert not locator.isVisible()
    assert window.front == "queue"
