"""What holds for every mode: it bears every language, theme and text size, and says what its parts are."""

from __future__ import annotations

import re
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.desktop.grid.grid_table import GridTable
from app.desktop.kernel.console import Target
from app.desktop.kernel.mode import Mode
from app.desktop.shell.modes import MODES
from app.desktop.shell.window import MainWindow
from app.desktop.widgets.cut_cells import CutCells
from tests.api.fake_service import FakeService, instance, job
from tests.desktop.screen_texts import screen_texts

KEYS = [entry.key for entry in MODES]
_ROW = 26  # pixels
_PLAYED = {
    "home": "nightly",
    "run": "load",
    "queue": "load",
    "codes": "nightly",
}  # what comes from the engine
_HIDDEN = re.compile(r"<[^>]*>|\s*\([A-Z][\w+. ]*.\)$")  # tags; the keys of an action
_WORD = re.compile(r"^[^\u4e00-\u9fff]*[A-Za-z]{3}[^\u4e00-\u9fff]*$")
_KNOWN = re.compile(
    r"(English|Skerry|CPU|[Nn]ightly|load|index|local|UTC|workspace|Paused|JOB|tides|GiB|anna|a lost night|skerry [a-z]+|\W|\d)+"
)


@pytest.mark.parametrize("key", KEYS)
def test_it_bears_every_look(window: MainWindow, qtbot: QtBot, key: str) -> None:
    mode = window.show_mode(key)
    before = window.size()
    for language, dark, scale in (("zh_CN", True, 1.5), ("en", False, 0.8), ("zh_CN", False, 1.0)):
        window.console.language.switch(language)
        window.console.theme.switch(dark=dark, scale=scale)
        qtbot.wait(1)  # a turn of the loop: the texts change with it
        assert not mode.grab().isNull()
        assert window.size() == before


def test_what_takes_the_focus_has_a_name(window: MainWindow) -> None:
    for key in KEYS:
        takes = [
            each
            for each in window.show_mode(key).findChildren(QWidget)
            if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.isVisible() and not _part(each)
        ]
        nameless = {
            f"{type(each).__name__} in {type(each.parent()).__name__}" for each in takes if not name(each)
        }
        assert nameless == set(), key


def test_every_button_is_as_high_as_a_row(window: MainWindow) -> None:
    for key in KEYS:
        buttons = [each for each in window.show_mode(key).findChildren(QPushButton) if each.text()]

        low = {each.text(): each.sizeHint().height() for each in buttons if each.sizeHint().height() < _ROW}
        assert low == {}, key


def test_a_cell_that_is_cut_says_all_of_its_text(window: MainWindow) -> None:
    for key in KEYS:
        views = [each for each in window.show_mode(key).findChildren(QAbstractItemView) if each.isVisible()]
        silent = {
            f"{type(each).__name__} {each.accessibleName()}"
            for each in views
            if not isinstance(each, QHeaderView | GridTable) and not isinstance(each.itemDelegate(), CutCells)
        }
        assert silent == set(), key


def test_after_a_switch_to_chinese_nothing_of_a_mode_is_left_in_english(
    window: MainWindow, service: FakeService, qtbot: QtBot
) -> None:
    service.found[1] = instance(1, "failed", jobs=[job("load", "failed"), job("index", "succeeded")])
    for mode in [window.show_mode(key) for key in KEYS]:
        window.console.language.switch("en")
        window.show_mode(mode.KEY)
        if mode.KEY == "run":
            mode.open(Target("instance", "1", "load"))
        qtbot.waitUntil(partial(shows, mode, _PLAYED.get(mode.KEY, "")))

        window.console.language.switch("zh_CN")

        qtbot.wait(1)  # a turn of the loop: the texts change with it
        assert english(mode) == set(), mode.KEY


def shows(mode: Mode, part: str) -> bool:
    return any(part in text for _, text in screen_texts(mode))


def english(window: QWidget) -> set[tuple[str, str]]:
    """Where and what is not Chinese on the screen, but for data of the played engine."""
    found = ((where, _HIDDEN.sub("", text).replace("&", "")) for where, text in screen_texts(window))
    return {(where, text) for where, text in found if _WORD.search(text) and not _KNOWN.fullmatch(text)}


def name(widget: QWidget) -> str:
    """What a screen reader says of it."""
    if widget.accessibleName():
        return widget.accessibleName()
    if isinstance(widget, QAbstractButton):
        return widget.text() or widget.toolTip()
    if isinstance(widget, QLabel):
        return widget.text()
    buddies = [each for each in widget.window().findChildren(QLabel) if each.buddy() is widget]
    return buddies[0].text() if buddies else ""


def _part(widget: QWidget) -> bool:
    """Parts of Qt's own widgets, and areas that only scroll."""
    if isinstance(widget, QTabBar) or type(widget) is QWidget:
        return True
    inside = widget.parent()
    if isinstance(widget, QLineEdit) and isinstance(inside, QComboBox):
        return True
    return type(widget).__name__ in ("QScrollArea", "QWidget", "QGraphicsView") or (
        isinstance(inside, QAbstractScrollArea) and widget is inside.viewport()
    )
