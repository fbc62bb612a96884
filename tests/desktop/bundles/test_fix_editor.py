"""The fix editor of the desk: a case's own copy drawn as in Design, tried, and sealed for the site."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QComboBox, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app import wiring
from app.desktop.bundles.bundle_dialog import keys_at
from app.desktop.bundles.case_window import CaseWindow
from app.desktop.bundles.given_results import GivenResults, result_kinds
from app.desktop.bundles.keys_page import KeysPage
from app.desktop.bundles.repair_dialog import RepairDialog
from app.desktop.kernel.console import Console
from app.desktop.widgets.tree_items import tops
from export_import.fix.checking import open_fix
from tests.desktop.bundles.test_loop import LONG, case_at_desk, click, desk, exported, failed, settled
from tests.desktop.design.hands import drop_files
from tests.desktop.shell.test_dialogs import answer

__all__ = ["desk", "failed"]
AGE = shutil.which("age")


@pytest.fixture
def case(engine_console: Console, desk: Console, failed: int, tmp_path: Path, qtbot: QtBot) -> CaseWindow:
    """What a site sent whose key the desk trusts."""
    site_keys, desk_keys = KeysPage(engine_console), KeysPage(desk)
    for each in (site_keys, desk_keys):
        qtbot.addWidget(each)
    site_keys.save_card(tmp_path / "site-card")
    desk_keys.trust(tmp_path / "site-card", roles=("site",))
    bundle = exported(engine_console, failed, tmp_path / "stick.skerry", qtbot)
    return case_at_desk(desk, bundle, qtbot, "by a trusted key")


def repairing(case: CaseWindow, qtbot: QtBot) -> RepairDialog:
    dialog = case.repair()
    assert dialog is not None
    settled(dialog, qtbot)
    return dialog


def test_a_node_is_changed_in_its_form_and_the_fix_is_sealed_for_the_site(
    case: CaseWindow, engine_console: Console, desk: Console, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = repairing(case, qtbot)
    assert dialog.editor.canvas.selected() == {"load"}

    form = dialog.editor.form.form()
    assert form is not None
    script = next(each for each in form.findChildren(QPlainTextEdit) if "too many" in each.toPlainText())
    script.selectAll()
    qtbot.keyClicks(script, "echo better")
    qtbot.waitUntil(lambda: "echo better" in dialog.editor.text.document.text())
    click(dialog.build_button, qtbot)
    assert dialog.fix.title.text() == "load changed"
    assert dialog.fix.recipient.currentData() == keys_at(engine_console.workspace).fingerprint
    dialog.fix.target.setText(str(tmp_path / "fix.skerry"))
    qtbot.keyClick(dialog.fix.title, Qt.Key.Key_Return)
    settled(dialog, qtbot)

    assert dialog.written == tmp_path / "fix.skerry", dialog.said.text()
    site = keys_at(engine_console.workspace)
    keys_at(engine_console.workspace).trust(keys_at(desk.workspace).card("desk"), roles=("support",))
    opened = open_fix([dialog.written], site, dialog._clock)
    [changed] = opened.fix.definitions
    assert changed.content["nodes"]["load"]["process"] == "echo better"
    dialog.reject()
    case.close()


@pytest.mark.skipif(AGE is None, reason="age is not installed")
def test_stock_age_opens_the_fix_with_the_key_of_the_site_alone(
    case: CaseWindow, engine_console: Console, desk: Console, tmp_path: Path, qtbot: QtBot
) -> None:
    # given a fix as it is written when nothing of it is chosen
    dialog = repairing(case, qtbot)
    assert dialog.document is not None
    dialog.document.set(dialog.document.node_path("load", "process"), "echo better", "Script")
    click(dialog.build_button, qtbot)
    dialog.fix.target.setText(str(tmp_path / "fix.skerry"))
    click(dialog.build_button, qtbot)
    settled(dialog, qtbot)
    assert "echo better" not in str((tmp_path / "fix.skerry").read_bytes())

    # then age gives it to the site, and to no one else, not even to who wrote it
    with tarfile.open(tmp_path / "fix.skerry") as tape:
        [volume] = [each for each in tape.getnames() if each.endswith("vol-000.age")]
        inside = tape.extractfile(volume)
        assert inside is not None
        sealed = inside.read()
    site, own = (each.workspace / "keys" / "age.txt" for each in (engine_console, desk))
    opened = subprocess.run([str(AGE), "-d", "-i", str(site)], input=sealed, capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(opened.stdout)) as objects:
        assert objects.getnames()
    refused = subprocess.run([str(AGE), "-d", "-i", str(own)], input=sealed, capture_output=True, check=False)
    assert refused.returncode != 0
    dialog.reject()
    case.close()


def test_the_text_beside_and_the_canvas_are_one(case: CaseWindow, qtbot: QtBot) -> None:
    dialog = repairing(case, qtbot)
    editor = dialog.editor
    editor.pages.setCurrentWidget(editor.text)
    dialog.show()
    qtbot.waitUntil(lambda: "nightly" in editor.text.edit.toPlainText(), timeout=LONG)

    more = "      further: {type: shell, process: 'true'}\n"
    editor.text.edit.setPlainText(editor.text.edit.toPlainText().rstrip("\n") + "\n" + more)
    qtbot.waitUntil(lambda: "further" in editor.canvas.items_by_id, timeout=LONG)
    assert list(dialog.document.changes()["tasks"]) == ["nightly"]

    editor.console.actions.get("design.undo").trigger()
    assert "further" not in editor.text.edit.toPlainText()
    assert not dialog.changed
    dialog.reject()
    case.close()


def test_nothing_runs_here_that_was_not_agreed_to(case: CaseWindow, tmp_path: Path, qtbot: QtBot) -> None:
    ran = tmp_path / "ran"
    dialog = repairing(case, qtbot)
    assert dialog.document is not None
    dialog.document.set(dialog.document.node_path("load", "process"), f"touch {ran}", "Script")
    click(dialog.try_button, qtbot)
    settled(dialog, qtbot)
    assert list(dialog.trial.boxes) == ["load"]

    answer("Do nothing")
    click(dialog.trial.run_here, qtbot)
    settled(dialog, qtbot)
    assert not ran.exists()

    answer("Run them here", lambda box: None)
    click(dialog.try_button, qtbot)
    settled(dialog, qtbot)
    assert ran.exists()
    answer("Throw it away")
    dialog.reject()
    assert not dialog.isVisible()
    case.close()


def test_what_is_not_known_can_be_taken_as_recorded(case: CaseWindow, qtbot: QtBot) -> None:
    dialog = repairing(case, qtbot)
    assert dialog.document is not None
    dialog.document.set(dialog.document.node_path("extract", "process"), "printf 25 > /dev/null", "Script")
    click(dialog.try_button, qtbot)
    settled(dialog, qtbot)
    box = dialog.trial.boxes["extract"]
    box.setCurrentIndex(box.findData("recorded"))
    box.activated.emit(box.currentIndex())
    click(dialog.try_button, qtbot)
    settled(dialog, qtbot)

    rows = dialog.trial.jobs
    how = {
        rows.topLevelItem(i).text(0): rows.topLevelItem(i).text(2) for i in range(rows.topLevelItemCount())
    }
    assert how["extract"] == how["load"] == "recorded"
    answer("Throw it away")
    dialog.reject()
    case.close()


def test_definitions_that_are_dropped_are_put_over_those_of_the_case(
    case: CaseWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    # given the task as someone else repaired it, and a further one
    dialog = repairing(case, qtbot)
    editor = dialog.editor
    assert dialog.document is not None
    dialog.show()
    repaired = dialog.document.text().replace("too many rows", "far too many rows")
    (tmp_path / "repaired.yaml").write_text(repaired)
    (tmp_path / "more.yaml").write_text(
        "skerry: 1\ntasks: {more: {nodes: {a: {type: shell, process: 'true'}}}}\n"
    )

    # when both are dropped on the canvas
    drop_files(editor.canvas.viewport(), tmp_path / "repaired.yaml", tmp_path / "more.yaml")

    # then they are in the case's copy, as one step of undo
    qtbot.waitUntil(lambda: dialog.changed)
    assert set(dialog.document.changes()["tasks"]) == {"nightly", "more"}
    assert [editor.tasks.itemText(at) for at in range(editor.tasks.count())] == ["nightly", "more"]
    editor.console.actions.get("design.undo").trigger()
    assert not dialog.changed

    # and what is wrong changes nothing
    (tmp_path / "wrong.yaml").write_text("skerry: 1\ntasks: {nightly: {nodes: {a: {type: none}}}}\n")
    drop_files(editor.canvas.viewport(), tmp_path / "wrong.yaml")
    qtbot.waitUntil(lambda: "none" in dialog.said.text())
    assert not dialog.changed
    dialog.reject()
    case.close()


def test_definitions_on_the_clipboard_are_pasted_onto_the_canvas_of_a_fix(
    case: CaseWindow, qtbot: QtBot
) -> None:
    dialog = repairing(case, qtbot)
    assert dialog.document is not None
    text = dialog.document.text().replace("too many rows", "far too many rows")
    QGuiApplication.clipboard().setText(text)

    dialog.console.actions.get("design.paste").trigger()

    qtbot.waitUntil(lambda: dialog.changed)
    answer("Throw it away")
    dialog.reject()
    case.close()


def test_what_a_job_would_give_is_typed_by_its_kind_and_the_trial_goes_on(
    case: CaseWindow, qtbot: QtBot
) -> None:
    # given a trial that does not know what a changed job would give
    dialog = repairing(case, qtbot)
    assert dialog.document is not None
    dialog.document.set(dialog.document.node_path("extract", "process"), "./fetch --new", "Script")
    click(dialog.try_button, qtbot)
    settled(dialog, qtbot)
    trial = dialog.trial
    seen: list[str] = []

    def give() -> None:
        asking = QApplication.activeModalWidget()
        if not isinstance(asking, GivenResults):
            return QTimer.singleShot(10, give)
        [label], [field] = asking.fields, asking.fields.values()
        qtbot.keyClicks(field, "many")
        qtbot.keyClick(field, Qt.Key.Key_Return)
        seen.extend([label, asking.problem.text()])
        field.selectAll()
        qtbot.keyClicks(field, "5")
        qtbot.keyClick(field, Qt.Key.Key_Return)
        return None

    # when a supporter says that it succeeds, what is no number is refused, and a number is taken
    QTimer.singleShot(0, give)
    choose(trial.boxes["extract"], "succeeded")
    settled(dialog, qtbot)

    # then the trial has gone on with it: what follows has read it, and is the next that is not known
    assert seen[0] == "rows"
    assert "is not a number" in seen[1]
    how = {item.text(0): (item.text(2), item.text(3)) for item in tops(trial.jobs)}
    assert how["extract"] == ("by hand", "rows = 5")
    assert how["load"][0] == "unknown"
    choose(trial.boxes["load"], "succeeded")  # it gives nothing, so nothing is asked
    assert trial.choices().by_hand["load"].results == {}
    answer("Throw it away")
    dialog.reject()
    case.close()


def choose(box: QComboBox, kind: str) -> None:
    box.setCurrentIndex(box.findData(kind))
    box.activated.emit(box.currentIndex())


def test_results_are_those_of_the_type_and_those_that_are_not_computed() -> None:
    tree = {
        "jobs": {"ask": {"type": "sql_query", "results": {"day": {"kind": "text"}, "sum": {"value": 3}}}},
        "tasks": {"t": {"nodes": {"a": {"job": "ask"}, "b": {"type": "shell", "process": "true"}}}},
    }
    types = wiring.job_types()

    found = result_kinds(tree, "t", "a", types)
    assert found["day"] == "text"
    assert {each.name for each in types["sql_query"].results} - {"exit_code"} <= found.keys()
    assert "sum" not in found
    assert result_kinds(tree, "t", "gone", types) == {}
