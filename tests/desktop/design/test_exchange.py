"""Definitions come in from files, the clipboard and drops, and go out: what changes is seen first."""

from __future__ import annotations

import os
from operator import attrgetter
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.desktop.design.exchange import preview_import
from app.desktop.design.exchange_dialogs import ExportDefinitions, ImportDialog
from app.desktop.design.mode import DesignMode
from app.desktop.shell.modes import MODES
from app.desktop.shell.window import MainWindow
from app.desktop.widgets.tree_items import tops
from engine.api.documents import Source
from engine.api.service import Service
from tests.desktop.design.hands import drop_files
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


@pytest.mark.parametrize("onto", ["canvas", "text.edit"])
def test_files_that_are_dropped_on_a_pane_are_looked_at(
    mode: DesignMode, engine_service: Service, tmp_path: Path, qtbot: QtBot, onto: str
) -> None:
    load(engine_service, SMALL)
    opened(mode, "small", qtbot)
    (tmp_path / "other.yaml").write_text(OTHER)
    (tmp_path / "third.json").write_text('{"skerry": 1, "tasks": {"third": {"nodes": {}}}}')
    mode.raise_dock("text")

    drop_files(attrgetter(onto)(mode).viewport(), tmp_path / "other.yaml", tmp_path / "third.json")

    dialog = importing(mode, qtbot)
    assert [row[1:] for row in rows(dialog)] == [["small", "changed"], ["further", "new"], ["third", "new"]]
    dialog.reject()


@pytest.mark.parametrize("key", [entry.key for entry in MODES])
def test_definitions_that_are_dropped_in_any_mode_are_offered_for_import(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, key: str
) -> None:
    (tmp_path / "other.yaml").write_text(OTHER)
    before = window.show_mode(key)

    drop_files(before.centralWidget(), tmp_path / "other.yaml")

    design = window.mode("design")
    assert isinstance(design, DesignMode)
    dialog = importing(design, qtbot)
    assert ["Task", "further", "new"] in rows(dialog)
    dialog.reject()
    window.back()  # what was dropped is no place to come back to
    assert window.front == key or key == "design"
    assert not any(each.isVisible() for each in design.findChildren(ImportDialog))


def test_what_is_no_readable_file_is_said_and_holds_nothing_up(
    mode: DesignMode, tmp_path: Path, qtbot: QtBot
) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "folder.yaml").mkdir()
    with (tmp_path / "large.yaml").open("wb") as file:
        file.truncate((16 << 20) + 1)

    for name, problem in (
        ("pipe", "it is no file"),
        ("folder", "it is no file"),
        ("large", "it is too large"),
        ("gone", "No such file"),
    ):
        drop_files(mode.canvas.viewport(), tmp_path / f"{name}.yaml")
        qtbot.waitUntil(lambda: bool(mode.findChildren(ImportDialog)))
        dialog = mode.findChildren(ImportDialog)[-1]

        assert problem in dialog.said.text()
        assert not dialog.take.isEnabled()
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
