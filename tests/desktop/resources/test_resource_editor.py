"""Resources, edited and checked now: a file, a database that is dynamic, a web service that is down."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.design.forms.kinds.text import TextEditor
from app.desktop.design.questions import AskId
from app.desktop.design.resources.resource_editor import ResourceEditor, needed
from app.desktop.kernel.console import Console
from engine.api.service import Service
from tests.desktop.conftest import load_example
from tests.desktop.forms.acting import click, opened, pick, type_into


@pytest.fixture
def editor(engine_console: Console, engine_service: Service, qtbot: QtBot) -> ResourceEditor:
    load_example(engine_service, "tour")
    shown = ResourceEditor(engine_console)
    shown.resize(900, 700)
    qtbot.addWidget(shown)
    with qtbot.waitExposed(shown):
        shown.show()
    qtbot.waitUntil(lambda: shown.id == "ledger", timeout=20_000)
    return shown


def make(editor: ResourceEditor, id: str, kind: str, qtbot: QtBot) -> None:
    click(editor.adds)
    dialog = opened(AskId, qtbot)
    type_into(dialog.field, id)
    dialog.kind.setCurrentText(kind)
    click(dialog.make)
    qtbot.waitUntil(lambda: editor.id == id, timeout=10_000)


def test_a_file_is_made_edited_and_checked_in_one_go(
    editor: ResourceEditor, engine_service: Service, tmp_path: Path, qtbot: QtBot
) -> None:
    make(editor, "inbox", "File", qtbot)
    assert editor.form is not None
    file = tmp_path / "in.csv"
    type_into(editor.form.rows["resources/inbox/uri"].box.main(), str(file))
    type_into(editor.form.rows["resources/inbox/check/min_size"].box.main(), "1KB")

    click(editor.checks)  # saves first
    qtbot.waitUntil(lambda: editor.outcome.text().startswith("Not in order"), timeout=10_000)
    assert "-13001001000" in editor.outcome.text()
    stored = engine_service.definition("resource", "inbox")["definition"]
    assert stored == {"type": "file", "uri": str(file), "check": {"min_size": "1KB"}}

    file.write_text("x" * 2000)
    click(editor.checks)
    qtbot.waitUntil(lambda: editor.outcome.text().startswith("In order"), timeout=10_000)
    assert editor.details.isVisible()
    assert editor.dynamic.text() == "Static: the same in every run."


def test_a_dynamic_one_is_checked_with_values_for_it(
    editor: ResourceEditor, tmp_path: Path, qtbot: QtBot
) -> None:
    assert needed(editor.own()) == ("dir",)
    assert editor.dynamic.text().startswith("Dynamic")
    type_into(editor.inputs["dir"], str(tmp_path))
    click(editor.checks)

    qtbot.waitUntil(lambda: editor.outcome.text().startswith("In order"), timeout=10_000)


def test_a_path_is_put_into_the_address_by_picking(
    editor: ResourceEditor, engine_service: Service, qtbot: QtBot
) -> None:
    make(editor, "drop", "File", qtbot)
    assert editor.form is not None
    box = editor.form.rows["resources/drop/uri"].box
    assert isinstance(box.editor, TextEditor)
    type_into(box.editor.edit, "/")
    pick(box.picks, "dir", qtbot)

    assert editor.own()["uri"] == "/{$.TASK.PARAMS['dir']}"


def test_a_service_that_is_down_is_said_with_its_code(editor: ResourceEditor, qtbot: QtBot) -> None:
    make(editor, "web", "Web service", qtbot)
    assert editor.form is not None
    type_into(editor.form.rows["resources/web/uri"].box.main(), "http://127.0.0.1:9/")
    click(editor.checks)

    qtbot.waitUntil(lambda: editor.outcome.text().startswith("Not in order"), timeout=20_000)
    assert "-13003" in editor.outcome.text()


def test_what_a_check_finds_is_said_in_the_language_of_the_window(
    editor: ResourceEditor, engine_console: Console, qtbot: QtBot
) -> None:
    make(editor, "inbox", "File", qtbot)
    assert editor.form is not None
    type_into(editor.form.rows["resources/inbox/uri"].box.main(), "/nowhere/at/all")
    type_into(editor.form.rows["resources/inbox/check/min_size"].box.main(), "1KB")
    engine_console.language.switch("zh_CN")
    click(editor.checks)

    qtbot.waitUntil(lambda: "不存在：/nowhere/at/all" in editor.outcome.text(), timeout=10_000)


def test_what_cannot_be_stored_is_said(editor: ResourceEditor, qtbot: QtBot) -> None:
    make(editor, "inbox", "File", qtbot)
    assert editor.form is not None
    row = editor.form.rows["resources/inbox/check/min_size"]
    type_into(row.box.main(), "big")
    qtbot.waitUntil(row.finding.isVisible, timeout=10_000)
    click(editor.checks)

    qtbot.waitUntil(editor.error.isVisible, timeout=10_000)
    assert "size" in editor.error.text()
