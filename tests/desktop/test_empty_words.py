"""Lists without rows say so: a blank one looks as if it were still being read."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QListWidget,
    QPlainTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
)
from pytestqt.qtbot import QtBot

from app.desktop.history.statistics_panel import StatisticsPanel
from app.desktop.kernel.console import Console
from app.desktop.monitor.mode import MonitorMode
from app.desktop.shell.modes import MODES
from app.desktop.shell.window import MainWindow
from app.desktop.widgets import empty_words
from app.desktop.widgets.empty_words import EmptyWords
from tests.desktop.test_panes_fit import parts


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was looked up to be painted."""
    found: list[str] = []
    monkeypatch.setattr(empty_words, "tr", lambda text: found.append(text) or text)  # type: ignore[func-returns-value]
    return found


def test_a_tree_says_that_it_is_empty_until_it_has_rows(qtbot: QtBot, said: list[str]) -> None:
    tree = QTreeWidget()
    qtbot.addWidget(tree)
    EmptyWords(tree, "No tasks.")
    tree.grab()
    assert said == ["No tasks."]

    tree.addTopLevelItem(QTreeWidgetItem(["load"]))
    said.clear()
    tree.grab()
    assert said == []


def test_the_words_are_seen_where_the_rows_would_be(qtbot: QtBot) -> None:
    blank, worded = QListWidget(), QListWidget()
    for each in (blank, worded):
        qtbot.addWidget(each)
        each.resize(300, 100)
    EmptyWords(worded, "No tasks.")

    assert worded.grab().toImage() != blank.grab().toImage()


def test_no_list_in_an_empty_workspace_is_blank(window: MainWindow, qtbot: QtBot, said: list[str]) -> None:
    blank = set()
    for entry in MODES:
        mode = window.show_mode(entry.key)
        for part in parts(mode):
            qtbot.wait(1)
            blank |= {f"{entry.key} {part} {each}" for each in _blank(window, said)}

    assert blank == set()


def _blank(window: MainWindow, said: list[str]) -> list[str]:
    """The lists and texts that can be seen, have nothing to show and do not say so."""
    found = []
    for view in (each for each in window.findChildren(QAbstractItemView) if each.isVisible()):
        said.clear()
        view.viewport().grab()
        if _is_empty(view) and not said:
            found.append(f"{type(view).__name__} {view.accessibleName()}")
    for text in (each for each in window.findChildren(QPlainTextEdit) if each.isVisible()):
        if not text.toPlainText() and not text.placeholderText():
            found.append(f"{type(text).__name__} {text.accessibleName()}")
    return found


def _is_empty(view: QAbstractItemView) -> bool:
    return not isinstance(view, QHeaderView) and view.model() is not None and not view.model().rowCount()


def test_statistics_of_nothing_have_no_axes(console: Console, qtbot: QtBot) -> None:
    panel = StatisticsPanel(console.theme)
    qtbot.addWidget(panel)
    panel.show()
    panel._make_chart()

    assert panel.chart is not None
    assert panel.chart.isHidden()
    assert panel.codes.isHidden()
    assert panel.summary.text() == "No runs yet."


def test_a_monitor_without_samples_says_so_instead_of_drawing_axes(window: MainWindow, qtbot: QtBot) -> None:
    mode = window.show_mode("monitor")
    assert isinstance(mode, MonitorMode)

    qtbot.waitUntil(mode.board.empty.isVisible)
    assert not any(chart.isVisible() for chart in mode.board.charts.values())
