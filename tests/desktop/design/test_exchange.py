"""Definitions come in from files, the clipboard and drops, and go out: what changes is seen first."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.desktop.design.exchange import preview_import
from app.desktop.design.exchange_dialogs import ExportDefinitions, ImportDialog
from app.desktop.design.mode import DesignMode
from app.desktop.widgets.tree_items import tops
from engine.api.documents import Source
from engine.api.service import Service
from tests.desktop.design.test_mode import SMALL, load, mode, opened, press
from tests.desktop.forms.acting import click

__all__ = ["mode"]
OTHER = (
    SMALL.replace("echo one", "echo two")
    + "  further:\n    nodes:\n      a: {type: shell, process: 'true'}\n"
)


def importing(mode: DesignMode, qtbot: QtBot) -> ImportDialog:
    qtbot.waitUntil(lambda: bool(mode.findChildren(ImportDialog)))
    dialog = mode.findChildren(ImportDialog)[-1]
    qtbot.waitUntil(lambda: dialog.preview is not None)
    return dialog


def rows(dialog: ImportDialog) -> list[list[str]]:
    return [[item.text(column) for column in range(3)] for item in tops(dialog.list)]


def test_a_file_shows_what_it_changes_before_it_comes_in(
    mode: DesignMode, engine_service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    # given a task that is here, and a file that has it in another form, and one more
    load(engine_service, SMALL)
    (tmp_path / "other.yaml").write_text(OTHER)
    monkeypatch.setattr(
        QFileDialog, "getOpenFileNames", lambda *_, **__: ([str(tmp_path / "other.yaml")], "")
    )

    # when it is chosen
    press(mode, "import")
    dialog = importing(mode, qtbot)

    # then nothing has happened yet, but it is seen what would
    assert rows(dialog) == [["Task", "small", "changed"], ["Task", "further", "new"]]
    assert "echo two" in dialog.changes.toPlainText()
    assert engine_service.definition("task", "small")["revision"] == 1
    click(dialog.take)
    qtbot.waitUntil(lambda: mode.tasks.current is not None and mode.tasks.current.task_id == "small")
    assert engine_service.definition("task", "small")["revision"] == 2
    assert [each["id"] for each in engine_service.definitions("task")] == ["further", "small"]


def test_what_is_wrong_in_a_text_is_said_with_its_line_and_nothing_comes_in(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    QGuiApplication.clipboard().setText("skerry: 1\ntasks:\n  bad:\n    nodes: {a: {type: none}}\n")
    dialog = mode.exchange.bring_in([Source(name="x.yaml", text=SMALL)])
    qtbot.waitUntil(lambda: dialog.preview is not None)

    click(dialog.pasted)
    qtbot.waitUntil(lambda: "clipboard:4" in dialog.said.text())

    assert not dialog.take.isEnabled()
    assert engine_service.definitions("task") == []
    dialog.reject()


def test_definitions_on_the_clipboard_are_pasted_onto_the_canvas(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    opened(mode, "small", qtbot)
    QGuiApplication.clipboard().setText(OTHER)

    press(mode, "paste")

    dialog = importing(mode, qtbot)
    assert ["Task", "further", "new"] in rows(dialog)
    dialog.reject()


def test_a_file_that_is_dropped_on_the_canvas_is_looked_at(
    mode: DesignMode, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "other.yaml").write_text(OTHER)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "other.yaml"))])
    none = Qt.KeyboardModifier.NoModifier
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton

    mode.canvas.dropEvent(QDropEvent(QPoint(5, 5).toPointF(), copy, data, left, none))

    dialog = importing(mode, qtbot)
    assert len(rows(dialog)) == 2
    dialog.reject()


def test_what_goes_out_comes_in_again_as_it_is(
    mode: DesignMode, engine_service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    load(engine_service, "skerry: 1\njobs: {say: {type: shell, process: echo}}\n"
         "tasks: {a: {nodes: {n: {job: say}}}, b: {nodes: {n: {type: task, task: a}}}}\n")  # fmt: skip
    opened(mode, "b", qtbot)
    target = tmp_path / "out.yaml"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(target), ""))

    press(mode, "export")
    [dialog] = mode.findChildren(ExportDefinitions)
    assert dialog.chosen() == ["b"]
    click(dialog.saves)

    types = mode.console.job_types, mode.console.resource_types
    found = preview_import(engine_service, [Source(name="o", text=target.read_text())], *types)
    assert sorted((each.kind, each.id, each.effect) for each in found.definitions) == [
        ("job", "say", "same"), ("task", "a", "same"), ("task", "b", "same"),
    ]  # fmt: skip
    assert not found.possible
