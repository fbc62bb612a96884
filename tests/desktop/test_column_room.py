"""Columns that have more room than they need give it to the one that matters."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QListWidget, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from app.desktop.codes.columns import EXCEPTIONS, key_of
from app.desktop.kernel.console import Console
from app.desktop.shell.modes import MODES
from app.desktop.shell.window import MainWindow
from app.desktop.widgets.column_room import View, content_width, header_of
from app.desktop.widgets.cut_cells import cut_items
from app.desktop.widgets.pane_widgets import tree
from app.desktop.widgets.plain_label import CutLine
from app.desktop.widgets.table import TableView
from tests.api.fake_service import TIME, FakeService, instance, job
from tests.desktop.painted_texts import painted_texts

MESSAGE = "the file /data/orders.csv has no column that is called amount"
MESSAGE_COLUMN = len(EXCEPTIONS) - 1


def exception(number: int) -> dict[str, Any]:
    return {
        "id": number, "asks": False, "status": "open", "created_at": TIME, "task": "load", "instance": number,
        "node": "read", "code": -11000001003, "message": MESSAGE,
    }  # fmt: skip


@pytest.fixture
def table(console: Console, qtbot: QtBot) -> TableView:
    """Of exceptions, in a narrow pane."""
    parent = QListWidget()
    qtbot.addWidget(parent)
    made = TableView(console, "Exceptions", EXCEPTIONS, key_of, parent)
    made.setParent(None)
    qtbot.addWidget(made)
    made.resize(700, 200)
    made.show_rows([exception(1)])
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_what_matters_gets_what_the_other_columns_do_not_need(table: TableView, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: table.columnWidth(MESSAGE_COLUMN) > 250)

    assert all(table.columnWidth(at) >= content_width(table, at) for at in range(MESSAGE_COLUMN))
    assert table.horizontalScrollBar().maximum() == 0


def test_what_matters_is_readable_where_there_is_room_for_nothing(table: TableView, qtbot: QtBot) -> None:
    table.resize(300, 200)
    qtbot.waitUntil(lambda: table.columnWidth(MESSAGE_COLUMN) == 160)
    assert table.horizontalScrollBar().maximum() > 0

    table.resize(900, 200)

    qtbot.waitUntil(lambda: table.columnWidth(MESSAGE_COLUMN) > 300)
    assert table.horizontalScrollBar().maximum() == 0


def test_the_columns_are_as_wide_as_declared_where_there_is_room(table: TableView, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: table.columnWidth(0) < EXCEPTIONS[0].width)

    table.resize(1600, 200)

    qtbot.waitUntil(lambda: table.columnWidth(0) == EXCEPTIONS[0].width)


def test_a_column_that_a_person_has_drawn_stays_so(table: TableView, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: table.columnWidth(0) < EXCEPTIONS[0].width)
    header = table.horizontalHeader()
    edge = QPoint(header.sectionViewportPosition(1) - 1, header.height() // 2)

    qtbot.mouseMove(header.viewport(), edge)
    qtbot.mousePress(header.viewport(), Qt.MouseButton.LeftButton, pos=edge)
    qtbot.mouseMove(header.viewport(), edge + QPoint(60, 0))
    qtbot.mouseRelease(header.viewport(), Qt.MouseButton.LeftButton, pos=edge + QPoint(60, 0))
    drawn = table.columnWidth(0)
    table.resize(900, 200)
    table.show_rows([exception(1), exception(2)])
    qtbot.wait(20)

    assert table.columnWidth(0) == drawn > content_width(table, 0) + 40


def test_a_tree_of_rows_shares_its_room_too(qtbot: QtBot) -> None:
    made = tree("Differences", ("Line", "Here", "Message"), widths=(200, 200))
    qtbot.addWidget(made)
    made.resize(420, 100)
    made.addTopLevelItem(QTreeWidgetItem(["1", "a", MESSAGE]))
    with qtbot.waitExposed(made):
        made.show()

    qtbot.waitUntil(lambda: made.columnWidth(2) > 250)


def test_a_tree_whose_columns_fit_is_not_scrolled_sideways(qtbot: QtBot) -> None:
    made = tree("Differences", ("Line", "Here"), widths=(100, 400))
    qtbot.addWidget(made)
    made.resize(300, 100)
    with qtbot.waitExposed(made):
        made.show()

    assert made.columnWidth(1) <= made.viewport().width() - 100
    assert made.horizontalScrollBar().maximum() == 0


def test_an_item_that_is_longer_than_its_list_is_elided_not_scrolled(qtbot: QtBot) -> None:
    made = QListWidget()
    qtbot.addWidget(made)
    cut_items(made)
    made.addItem(MESSAGE)
    made.resize(150, 100)
    with qtbot.waitExposed(made):
        made.show()

    assert made.visualItemRect(made.item(0)).width() == made.viewport().width()
    assert made.horizontalScrollBar().maximum() == 0


@pytest.mark.parametrize("size", [(800, 500), (1280, 720)])
def test_no_table_of_a_mode_scrolls_sideways_while_a_column_has_room_to_give(
    window: MainWindow, service: FakeService, qtbot: QtBot, size: tuple[int, int]
) -> None:
    service.found[1] = instance(1, "failed", jobs=[job("load", "failed"), job("index", "succeeded")])
    window.resize(*size)
    for entry in MODES:
        mode = window.show_mode(entry.key)
        qtbot.wait(100)  # its answers come
        for table in mode.findChildren(TableView):
            if table.isVisible() and table.horizontalScrollBar().maximum():
                qtbot.waitUntil(lambda table=table: not generous(table))


def generous(table: View) -> list[int]:
    """The columns that are wider than what they show needs."""
    header = header_of(table)
    seen = [at for at in range(header.count()) if not header.isSectionHidden(at)]
    spare = {at: header.sectionSize(at) - content_width(table, at) for at in seen}
    stretched = [at for at in seen if header.sectionResizeMode(at) is header.ResizeMode.Stretch]
    return [at for at, pixels in spare.items() if pixels > 2 and at not in stretched]


def test_a_line_without_room_ends_in_an_ellipsis_and_its_tip_says_all_of_it(qtbot: QtBot) -> None:
    line = CutLine()
    qtbot.addWidget(line)
    line.setText(MESSAGE)
    line.resize(120, 24)
    with qtbot.waitExposed(line):
        line.show()

    [painted] = painted_texts(line)
    assert painted.endswith("…")
    assert "amount" in line.toolTip()
    assert line.text() == MESSAGE

    line.resize(line.sizeHint())

    assert list(painted_texts(line)) == [MESSAGE]
    assert line.toolTip() == ""
