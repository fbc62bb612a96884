"""The loop over the gap through both windows: the site's, and the desk's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from app import wiring
from app.desktop.bundles.bundle_dialog import WorkDialog
from app.desktop.bundles.case_window import CaseWindow, open_case
from app.desktop.bundles.export_dialog import ExportDialog
from app.desktop.bundles.fix_dialog import FixDialog
from app.desktop.bundles.keys_page import KeysPage
from app.desktop.bundles.opening import OpeningDialog
from app.desktop.bundles.repair_dialog import RepairDialog
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.link import Link
from app.desktop.kernel.settings import WindowSettings
from app.desktop.run.actions import OF_NODE
from app.desktop.shell.startup import make_console
from app.desktop.subjects.menu import subject_menu
from engine.api.documents import RunRequest
from engine.api.service import Service
from tests.desktop.conftest import load_example
from tests.desktop.queue import test_queue
from tests.desktop.shell.test_dialogs import answer

LONG = 30_000  # milliseconds


@pytest.fixture
def desk(looks: QApplication, tmp_path: Path) -> Iterator[Console]:
    """Another town: a workspace of its own."""
    root = wiring.open_workspace(tmp_path / "desk").root
    link = Link()
    yield make_console(looks, root, link, WindowSettings(tmp_path / "desk.ini"))
    link.close()


@pytest.fixture
def failed(engine_service: Service, qtbot: QtBot) -> int:
    """repair.yaml, failed at load."""
    load_example(engine_service, "repair")
    instance = engine_service.run(RunRequest(task="nightly"))
    qtbot.waitUntil(lambda: engine_service.instance(instance)["ended_at"] is not None, timeout=LONG)
    assert engine_service.instance(instance)["status"] == "failed"
    return instance


def settled(dialog: WorkDialog, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not dialog.task.busy, timeout=LONG)


def click(button: object, qtbot: QtBot) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def exported(console: Console, instance: int, path: Path, qtbot: QtBot, said: str = "not encrypted") -> Path:
    dialog = ExportDialog(console, [str(instance)])
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.target.setText(str(path))
    click(dialog.look, qtbot)
    settled(dialog, qtbot)
    names = [dialog.files.topLevelItem(i).text(0) for i in range(dialog.files.topLevelItemCount())]
    assert any(name.endswith("ctx.log") for name in names)
    assert not path.exists()
    click(dialog.write, qtbot)
    settled(dialog, qtbot)
    assert dialog.written == path
    assert said in dialog.said.text()
    dialog.reject()
    return path


def case_at_desk(
    desk: Console, bundle: Path, qtbot: QtBot, trust: str = "nobody here trusts yet"
) -> CaseWindow:
    windows: list[CaseWindow] = []
    dialog = OpeningDialog(desk, [bundle], lambda folder: windows.append(open_case(desk, folder)))
    qtbot.addWidget(dialog)
    dialog.show()
    settled(dialog, qtbot)
    assert trust in dialog.facts.text()
    click(dialog.go_on, qtbot)
    qtbot.waitUntil(lambda: bool(windows), timeout=LONG)
    return windows[0]


def larger_limit(dialog: RepairDialog, text: str, qtbot: QtBot) -> None:
    """Typed over the value in the table of values."""
    dialog.values.select("$.TASK.PARAMS['limit']")
    dialog.values.field.selectAll()
    qtbot.keyClicks(dialog.values.field, text)


def test_a_run_fails_is_understood_far_away_and_repaired_by_a_fix(
    engine_console: Console, engine_service: Service, desk: Console, failed: int, tmp_path: Path, qtbot: QtBot
) -> None:
    # given what the site sent
    bundle = exported(engine_console, failed, tmp_path / "stick.skerry", qtbot)
    window = case_at_desk(desk, bundle, qtbot)

    # when the supporter sees what the operator saw, and computes everything again
    qtbot.waitUntil(lambda: window.findings.list.topLevelItemCount() > 0, timeout=LONG)
    assert "too many rows: 25 > 10" in window.findings.said.text()
    assert window.findings.list.columnWidth(0) == window.findings.list.viewport().width() > 200
    window.check.compute()
    qtbot.waitUntil(lambda: "differences: 0" in window.check.said.text(), timeout=LONG)
    window.search.text.setText("too many rows")
    qtbot.keyClick(window.search.text, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.search.hits.topLevelItemCount() > 0, timeout=LONG)
    window.search.hits.setCurrentItem(window.search.hits.topLevelItem(0))  # logs of errors come first
    qtbot.keyClick(window.search.hits, Qt.Key.Key_Return)
    assert window.run.session.selection.now.node == "load"
    qtbot.waitUntil(lambda: len(window.run.log.model.starts) == 1, timeout=LONG)
    assert window.run.log.bar.search.text() == "too many rows"
    window.notes.text.setPlainText("The limit is too small.")
    click(window.notes.add, qtbot)
    assert window.notes.notes.topLevelItem(0).text(2) == "The limit is too small."

    # and compares it with what the site has, and sees the machine
    window.compare.compare_with(engine_console.workspace)
    qtbot.waitUntil(lambda: f"run {failed} there" in window.compare.said.text(), timeout=LONG)
    window.console.actions.get("case.machine").trigger()
    assert window.machine is not None
    first, last = window.machine.board.span()
    assert 120 <= last - first < 300

    # and what can only be done at the site says so, in the menu and where commands are found
    actions = window.console.actions
    menu = subject_menu(window, actions, OF_NODE)
    greyed = {each.text(): each.toolTip() for each in menu.actions() if each.text() and not each.isEnabled()}
    menu.close()
    assert "this can be done at the site" in greyed["Retry what failed…"]
    assert actions.get("thing.copy").isEnabled()
    actions.get("case.find").trigger()
    assert window.locator is not None
    qtbot.keyClicks(window.locator.line, ">open its folder")
    assert window.locator.list.item(0).text().startswith("Open its folder")
    qtbot.keyClick(window.locator.line, Qt.Key.Key_Escape)

    # and a changed limit succeeds in a stand-in run, and is signed as a fix
    dialog = window.repair()
    assert isinstance(dialog, RepairDialog)
    settled(dialog, qtbot)
    larger_limit(dialog, "30", qtbot)
    click(dialog.try_button, qtbot)
    settled(dialog, qtbot)
    assert dialog.trial.outcome.text().startswith("failed here, failed at the site"), dialog.said.text()
    assert "1 job is not known" in dialog.trial.outcome.text()
    asked: list[str] = []
    answer("Run them here", lambda box: asked.append(box.text()))
    click(dialog.trial.run_here, qtbot)
    settled(dialog, qtbot)
    assert [line.split()[0] for line in asked[0].splitlines()[2:]] == ["load", "index", "publish"]
    assert 'echo load >> "${dir}/journal"' in asked[0]
    assert dialog.trial.outcome.text().startswith("succeeded here, failed at the site"), dialog.said.text()
    click(dialog.build_button, qtbot)
    assert dialog.fix.title.text() == "$.TASK.PARAMS['limit'] = 30"
    dialog.fix.title.setText("A larger limit")
    dialog.fix.letter.setPlainText("The limit was 10, the rows are 25.")
    fix = tmp_path / "fix.skerry"
    dialog.build(fix)
    settled(dialog, qtbot)
    assert dialog.written == fix, dialog.said.text()
    dialog.reject()
    window.close()

    # then the site, which trusts the desk's key, sees what it does, applies it, and the run succeeds
    card = tmp_path / "desk-card"
    desk_keys = KeysPage(desk)
    qtbot.addWidget(desk_keys)
    desk_keys.save_card(card)
    site_keys = KeysPage(engine_console)
    qtbot.addWidget(site_keys)
    site_keys.trust(card, roles=("support",))
    assert site_keys.list.topLevelItemCount() == 1
    applied = FixDialog(engine_console, [fix])
    qtbot.addWidget(applied)
    applied.show()
    settled(applied, qtbot)
    assert "A larger limit" in applied.head.text()
    assert applied.values.topLevelItem(0).text(2) == "30"
    click(applied.apply_button, qtbot)
    qtbot.waitUntil(lambda: "receipt" in applied.said.text().lower(), timeout=LONG)
    assert engine_service.instance(failed)["status"] == "succeeded"
    assert Target("instance", str(failed)) in engine_console.navigator.gone

    # and the receipt tells the desk so
    [receipt] = (engine_console.workspace / "bundles").glob("receipt-*")
    seen = OpeningDialog(desk, [receipt], lambda folder: None)
    qtbot.addWidget(seen)
    seen.show()
    settled(seen, qtbot)
    assert "succeeded" in seen.facts.text()
    test_queue.answer("Take it back", lambda form: form.findChild(QLineEdit).setText("no longer wanted"))
    applied.undo_button.click()
    assert applied.said.text() == "The fix is taken back."
    applied.reject()
    seen.reject()


def test_a_fix_that_nobody_here_trusts_is_refused_with_the_reason(
    engine_console: Console, desk: Console, failed: int, tmp_path: Path, qtbot: QtBot
) -> None:
    bundle = exported(engine_console, failed, tmp_path / "stick.skerry", qtbot)
    window = case_at_desk(desk, bundle, qtbot)
    dialog = window.repair()
    assert dialog is not None
    settled(dialog, qtbot)
    larger_limit(dialog, "many", qtbot)
    click(dialog.try_button, qtbot)
    settled(dialog, qtbot)
    assert "limit" in dialog.said.text()
    larger_limit(dialog, "30", qtbot)
    dialog.fix.title.setText("x")
    dialog.build(tmp_path / "fix.skerry")
    settled(dialog, qtbot)
    dialog.reject()
    window.close()

    refused = FixDialog(engine_console, [tmp_path / "fix.skerry"])
    qtbot.addWidget(refused)
    refused.show()
    settled(refused, qtbot)
    assert refused.said.text().startswith("-150")
    assert not refused.apply_button.isEnabled()
    refused.reject()


def test_a_file_that_is_no_bundle_is_an_error_with_its_code(
    desk: Console, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "x.skerry").write_bytes(b"not a bundle")
    dialog = OpeningDialog(desk, [tmp_path / "x.skerry"], lambda folder: None)
    qtbot.addWidget(dialog)
    dialog.show()
    settled(dialog, qtbot)
    assert dialog.said.text().startswith("-150")
    assert not dialog.go_on.isEnabled()
    dialog.reject()
