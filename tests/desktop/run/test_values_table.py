"""Values that may be changed: what a value is can be read as well as where it is."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.desktop.run.rerun_model import EditableValue
from app.desktop.run.values_table import ValuesTable


def test_the_value_has_as_much_room_as_its_path_and_what_it_becomes_none_before_it_changes(
    qtbot: QtBot,
) -> None:
    # given
    table = ValuesTable()
    qtbot.addWidget(table)
    table.resize(780, 300)
    values = (EditableValue("$.TASK.PARAMS['limit']", 10),)
    table.show_values(values, (), {})
    with qtbot.waitExposed(table):
        table.show()

    # then
    assert _widths(table) == [(table.table.viewport().width()) // 2] * 2

    # when
    table.show_values(values, (), {"$.TASK.PARAMS['limit']": "12"})

    # then
    widths = _widths(table)
    assert len(widths) == 3
    assert max(widths) - min(widths) <= 2


def _widths(table: ValuesTable) -> list[int]:
    shown = [column for column in range(3) if not table.table.isColumnHidden(column)]
    return [table.table.columnWidth(column) for column in shown]
