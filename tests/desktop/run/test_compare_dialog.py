"""The dialog that compares two runs says nothing of what it could not read."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Console
from app.desktop.run.compare_dialog import CompareDialog
from tests.api.fake_service import FakeService, instance, job


def test_a_run_that_cannot_be_read_leaves_nothing_of_what_was_compared_before(
    console: Console, service: FakeService, qtbot: QtBot
) -> None:
    # given two runs that were compared
    service.found[1] = instance(1, "failed", jobs=[job("load", "failed")])
    service.found[2] = instance(2, "succeeded", jobs=[job("load", "succeeded")])
    dialog = CompareDialog(console, console.link, (1, 1), (2, 1))
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: dialog.found is not None)
    assert any(table.topLevelItemCount() for table in dialog.tables.values())

    # when one is chosen that is not there any more
    del service.found[2]
    dialog.read()

    # then neither its differences are shown nor that there are none
    qtbot.waitUntil(lambda: "no instance" in dialog.said.text())
    assert {table.topLevelItemCount() for table in dialog.tables.values()} == {0}
    assert dialog.diff.toPlainText() == ""
