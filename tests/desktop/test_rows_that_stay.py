"""Rows that are read again stay where they are in a table: under the mouse, in what is selected and in sight."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Console
from app.desktop.widgets.row_steps import row_steps
from app.desktop.widgets.table import Row, TableColumn, TableView

KEYS = st.lists(st.sampled_from("abcdefgh"), unique=True)
COLUMNS = (
    TableColumn("Name", lambda row: str(row["name"])),
    TableColumn("Size", lambda row: str(row["size"])),
)


@given(KEYS, KEYS)
def test_the_steps_turn_one_order_into_the_other(before: list[str], after: list[str]) -> None:
    shown = list(before)
    for step in row_steps(before, after) or ():
        key = shown.pop(step.source) if step.source is not None else None
        if step.to is not None:
            shown.insert(step.to, key or after[step.to])

    assert shown == after


@pytest.mark.parametrize(
    ("before", "after"), [("aa", "a"), ("a", "aa"), ([], range(100)), (range(60), range(60, 0, -1))]
)
def test_what_is_not_done_in_a_few_steps_is_shown_anew(before: Any, after: Any) -> None:
    assert row_steps(before, after) is None


class Dragged(TableView):
    """Keeps what was dragged instead of waiting for where it is dropped."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(console, "Files", COLUMNS, lambda row: row["name"], parent)
        self.holder = parent  # lives as long as this
        self.setDragEnabled(True)
        self.taken: list[Row | None] = []

    def startDrag(self, supportedActions: Qt.DropAction) -> None:
        self.taken.append(self.current)


@pytest.fixture
def table(console: Console, qtbot: QtBot) -> Dragged:
    holder = QWidget()
    qtbot.addWidget(holder)
    made = Dragged(console, holder)
    made.resize(400, 300)
    made.show_rows(rows("abc"))
    with qtbot.waitExposed(holder):
        holder.show()
    return made


def rows(names: str, size: int = 1) -> list[Row]:
    return [{"name": name, "size": size} for name in names]


@pytest.mark.parametrize("names", ["abc", "xabc", "bc", "cba"])
def test_what_the_mouse_holds_is_dragged_though_rows_are_read_again(table: Dragged, names: str) -> None:
    port = table.viewport()
    place = table.visualRect(table.model().index(2, 0)).center()
    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=place)

    table.show_rows(rows(names, 2))
    for far in (20, 40):
        QTest.mouseMove(port, place - QPoint(0, far))

    assert table.taken == [{"name": "c", "size": 2}]


def test_several_rows_stay_selected_when_one_comes_and_one_goes(table: Dragged) -> None:
    table.selectAll()

    table.show_rows(rows("xbc", 2))

    assert [row["name"] for row in table.selected] == ["b", "c"]


def test_what_is_read_anew_of_the_selected_row_is_announced(table: Dragged, qtbot: QtBot) -> None:
    table.select("b")

    with qtbot.waitSignal(table.looked_at) as seen:
        table.show_rows(rows("abc", 2))

    assert seen.args == [{"name": "b", "size": 2}]


def test_the_first_row_is_selected_where_the_selected_one_is_gone(table: Dragged) -> None:
    table.select("b")

    table.show_rows(rows("ac"))

    assert table.current == {"name": "a", "size": 1}
