"""With the keyboard a dialog is gone through as it is read, from its first field on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.bundles.repair_dialog import RepairDialog
from app.desktop.design.forms.kinds.members import MemberDialog
from app.desktop.shell.guide import Guide
from app.desktop.widgets.reading_order import in_order
from app.desktop.workers.host_keys import HostKeyQuestion
from tests.desktop.dialogs import DIALOGS, Room
from tests.desktop.test_dialog_sizes import room, service  # noqa: F401  (fixtures)

CAUTIOUS = {HostKeyQuestion}  # trust is given by a hand that went there
BY_THEMSELVES = {MemberDialog, RepairDialog, Guide}  # forms that come and go, and pages, lead Tab themselves
_MOST = 2000  # widgets of a dialog


@pytest.fixture(
    params=[each for each in DIALOGS if each not in BY_THEMSELVES], ids=lambda kind: kind.__name__
)
def dialog(request: pytest.FixtureRequest, room: Room, qtbot: QtBot) -> Iterator[QDialog]:  # noqa: F811
    made = DIALOGS[request.param](room)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close()


def tab_stops(dialog: QDialog) -> list[QWidget]:
    """What Tab reaches one after the other, in Qt's own order."""
    reached, at = set(in_order(dialog)), dialog.nextInFocusChain()
    found: list[QWidget] = []
    for _ in range(_MOST):
        if at is dialog:
            return found
        if at in reached:
            found.append(at)
        at = at.nextInFocusChain()
    raise AssertionError("the chain does not come back")


def fields(dialog: QDialog) -> list[QWidget]:
    return [each for each in in_order(dialog) if not isinstance(each, QPushButton)]


def test_tab_goes_through_a_dialog_as_it_is_read(dialog: QDialog) -> None:
    read, found = in_order(dialog), tab_stops(dialog)

    first = found.index(read[0])
    assert found[first:] + found[:first] == read


def test_enter_does_what_a_dialog_is_for_and_does_not_leave_it(dialog: QDialog) -> None:
    now = dialog.focusWidget()

    takes_enter = isinstance(now, QPushButton) and now.autoDefault()
    assert not takes_enter or now.isDefault() or not fields(dialog) or type(dialog) in CAUTIOUS
