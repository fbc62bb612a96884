"""The export assistant: runs from a list, what would be replaced line by line, files that stay here."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot

from app.desktop.bundles.export_dialog import ExportDialog
from app.desktop.bundles.replaced_lines import ReplacedLines
from app.desktop.bundles.run_picker import RunPicker
from app.desktop.kernel.console import Console
from app.desktop.widgets.tree_items import tops
from engine.api.documents import RunRequest, Source
from engine.api.service import Service
from engine.runtime.clock import SystemClock
from export_import.container import open_bundle
from export_import.keys import Keys
from tests.desktop.bundles.test_loop import settled

LONG = 30_000
TASK = """\
skerry: 1
tasks:
  feed: {nodes: {load: {type: shell, process: 'echo fine; echo "mail to anna@pier4.example at 10.20.30.40"; exit 3'}}}
"""


@pytest.fixture
def runs(engine_service: Service, qtbot: QtBot) -> list[int]:
    engine_service.load([Source(name="t.yaml", text=TASK)])
    found = [engine_service.run(RunRequest(task="feed")) for _ in range(2)]
    qtbot.waitUntil(
        lambda: all(engine_service.instance(each)["ended_at"] is not None for each in found), timeout=LONG
    )
    return found


@pytest.fixture
def dialog(engine_console: Console, runs: list[int], qtbot: QtBot) -> ExportDialog:
    made = ExportDialog(engine_console, [str(runs[0])])
    qtbot.addWidget(made)
    made.show()
    return made


def row(dialog: ExportDialog, end: str) -> QTreeWidgetItem:
    return next(each for each in tops(dialog.files) if each.text(0).endswith(end))


def preview(dialog: ExportDialog, qtbot: QtBot) -> None:
    qtbot.mouseClick(dialog.look, Qt.MouseButton.LeftButton)
    settled(dialog, qtbot)


def test_runs_are_ticked_in_a_list(dialog: ExportDialog, runs: list[int], qtbot: QtBot) -> None:
    dialog.runs.setText(f"{runs[0]}:load")
    dialog.choose_runs()
    picker = dialog.findChild(RunPicker)
    assert isinstance(picker, RunPicker)
    qtbot.waitUntil(lambda: len(tops(picker.runs)) == 2)
    first, second = tops(picker.runs)
    assert (first.text(0), first.checkState(0)) == (f"#{runs[1]}", Qt.CheckState.Unchecked)
    assert second.checkState(0) is Qt.CheckState.Checked

    first.setCheckState(0, Qt.CheckState.Checked)
    qtbot.mouseClick(picker.take, Qt.MouseButton.LeftButton)

    assert dialog.runs.text() == f"{runs[1]} {runs[0]}:load"


def test_what_is_replaced_is_shown_line_by_line(dialog: ExportDialog, qtbot: QtBot) -> None:
    preview(dialog, qtbot)
    assert not dialog.replaced.isEnabled()
    dialog.files.setCurrentItem(row(dialog, "job.log"))
    assert dialog.replaced.isEnabled()

    qtbot.mouseClick(dialog.replaced, Qt.MouseButton.LeftButton)
    settled(dialog, qtbot)

    shown = dialog.findChild(ReplacedLines)
    assert isinstance(shown, ReplacedLines)
    [line] = tops(shown.lines)
    assert line.text(0) == "2"
    assert "10.20.30.40" in line.text(1)
    assert "10.20.30.40" not in line.text(2)
    assert line.text(2).startswith("mail to ")
    shown.reject()


def test_a_file_whose_box_is_cleared_stays_here(
    dialog: ExportDialog, engine_console: Console, tmp_path: Path, qtbot: QtBot
) -> None:
    preview(dialog, qtbot)
    log = row(dialog, "job.log")
    name = log.text(0)
    log.setCheckState(0, Qt.CheckState.Unchecked)
    needed = [each.text(0) for each in tops(dialog.files) if not _has_box(each)]
    assert needed  # what makes it a case has no box
    preview(dialog, qtbot)
    assert row(dialog, "job.log").checkState(0) is Qt.CheckState.Unchecked

    dialog.target.setText(str(tmp_path / "part.skerry"))
    qtbot.mouseClick(dialog.write, Qt.MouseButton.LeftButton)
    settled(dialog, qtbot)

    assert dialog.written is not None
    bundle = open_bundle([dialog.written], Keys(engine_console.workspace, SystemClock()), clock=SystemClock())
    assert {each.name: each.reason for each in bundle.omitted}[name] == "left out on request"
    assert name not in bundle.entries
    assert set(needed) <= set(bundle.entries)


def _has_box(item: QTreeWidgetItem) -> bool:
    return item.data(0, Qt.ItemDataRole.CheckStateRole) is not None


def test_enter_writes_the_bundle_once_and_then_closes(
    dialog: ExportDialog, tmp_path: Path, qtbot: QtBot
) -> None:
    assert dialog.said.foregroundRole() is QPalette.ColorRole.BrightText  # it is not encrypted
    dialog.target.setText(str(tmp_path / "run.skerry"))
    qtbot.keyClick(dialog.target, Qt.Key.Key_Return)
    settled(dialog, qtbot)
    assert dialog.written == tmp_path / "run.skerry"
    assert dialog.said.foregroundRole() is QPalette.ColorRole.WindowText
    said = dialog.said.text()

    qtbot.keyClick(dialog.leave, Qt.Key.Key_Return)

    assert not dialog.isVisible()
    assert dialog.said.text() == said
