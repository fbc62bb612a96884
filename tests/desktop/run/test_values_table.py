"""Values that may be changed: what a value is can be read as well as where it is."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.desktop.run.rerun_model import EditableValue
from app.desktop.run.values_table import ValuesTable


def test_the_value_has_as_much_room_as_its_path(qtbot: QtBot) -> None:
    table = ValuesTable()
    qtbot.addWidget(table)
    table.resize(780, 300)
    table.show_values((EditableValue("$.TASK.PARAMS['limit']", 10),), (), {})
    with qtbot.waitExposed(table):
        table.show()

    widths = [table.table.columnWidth(column) for column in range(3)]
    assert max(widths) - min(widths) <= 2
