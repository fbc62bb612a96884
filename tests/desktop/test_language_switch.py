"""Whoever changes the language sees all of it at once: nothing that was already on the screen stays in the other one."""

from __future__ import annotations

import re

import pytest
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.bundles.case_window import CaseWindow
from app.desktop.bundles.delivery_dialog import DeliveryDialog
from app.desktop.bundles.export_dialog import ExportDialog
from app.desktop.bundles.fix_dialog import FixDialog
from app.desktop.bundles.repair_dialog import RepairDialog
from app.desktop.design.forms.task_table import TaskTableDialog
from app.desktop.design.forms.try_node import TryNode
from app.desktop.kernel.console import Console
from app.desktop.run.compare_dialog import CompareDialog
from app.desktop.shell.guide import Guide
from app.desktop.shell.window import MainWindow
from app.texts import catalogue
from tests.desktop.bundles.test_fix_editor import case, desk
from tests.desktop.bundles.test_loop import failed
from tests.desktop.dialogs import DIALOGS, Room
from tests.desktop.screen_texts import screen_texts
from tests.desktop.test_dialog_sizes import room
from tests.desktop.test_panes_fit import runs, shown

__all__ = ["case", "desk", "failed", "room", "runs"]
# Without locking the window that has the choice of the language: shown, or over the window of a case.
_STAY_OPEN = (
    CompareDialog, DeliveryDialog, ExportDialog, FixDialog, Guide, RepairDialog, TaskTableDialog, TryNode,
)  # fmt: skip
_KEYS = re.compile(r"<[^>]*>|\s*\([A-Z][\w+. ]*.\)$")  # tags; the keys of an action


def test_what_was_shown_in_english_is_in_chinese_after_the_switch(
    engine_window: MainWindow, runs: tuple[int, int], qtbot: QtBot
) -> None:
    for _ in shown(engine_window, runs, qtbot):
        qtbot.wait(1)

    engine_window.console.language.switch("zh_CN")
    soon_all_chinese(engine_window, qtbot)


@pytest.mark.parametrize("kind", _STAY_OPEN, ids=lambda kind: kind.__name__)
def test_a_dialog_that_stays_open_beside_the_window_changes_with_it(
    room: Room, qtbot: QtBot, kind: type[QDialog]
) -> None:
    dialog = DIALOGS[kind](room)
    with qtbot.waitExposed(dialog):
        dialog.show()

    room.console.language.switch("zh_CN")

    soon_all_chinese(dialog, qtbot)
    assert not dialog.windowTitle().isascii()
    dialog.close()


def test_a_case_changes_with_the_window_that_it_was_opened_from(
    case: CaseWindow, desk: Console, qtbot: QtBot
) -> None:
    desk.language.switch("zh_CN")

    soon_all_chinese(case, qtbot)
    desk.language.switch("en")
    case.close()


def soon_all_chinese(window: QWidget, qtbot: QtBot) -> None:
    def all_is_chinese() -> None:  # what was replaced goes a few turns later
        assert left_in_english(window) == set()

    qtbot.waitUntil(all_is_chinese)


def left_in_english(window: QWidget) -> set[tuple[str, str]]:
    """Sentences of the catalogue that are still shown as they are in the source."""
    known = {_plain(text) for text, chinese in catalogue("zh").items() if text != chinese and " " in text}
    return {(where, text) for where, text in screen_texts(window) if _plain(text) in known}


def _plain(text: str) -> str:
    return _KEYS.sub("", text).replace("&", "").rstrip("…")
