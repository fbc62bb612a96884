"""What is selected in a table stays so whatever keys are held while its rows are read again."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Console
from app.desktop.plan.backfill_rows import BACKFILLS
from app.desktop.widgets.table import TableView
from tests.api.fake_backfills import backfill


def test_a_row_that_is_selected_again_while_ctrl_is_held_stays_selected(
    console: Console, qtbot: QtBot
) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    table = TableView(console, "Backfills", BACKFILLS, lambda row: row["backfill"], holder)
    table.show_rows([backfill(1), backfill(2)])
    holder.show()

    QTest.keyPress(table, Qt.Key.Key_Control, Qt.KeyboardModifier.ControlModifier)
    for _ in range(2):
        table.select(2)
    current = table.current
    QTest.keyRelease(table, Qt.Key.Key_Control)

    assert current is not None
    assert current["backfill"] == 2
