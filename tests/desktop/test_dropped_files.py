"""A file that is dropped on a field is opened by the window around it, or becomes a path in the field's text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.design.forms.kinds.code_window import NumberedEdit
from app.desktop.design.forms.kinds.script_text import ScriptText
from app.desktop.design.mode import DesignMode
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.dropped_files import Takes, definitions_of, quoted, takes_files
from app.desktop.shell.modes import MODES
from app.desktop.shell.window import MainWindow
from engine.api.service import Service
from tests.desktop.design.test_mode import SMALL, load, mode, opened

__all__ = ["mode"]
_COPY, _LEFT, _NONE = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
Text = QLineEdit | QTextEdit | QPlainTextEdit


def dragged(*paths: Path) -> QMimeData:
    """As file managers hand them over: addresses, and text beside them."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    data.setText("\n".join(map(str, paths)))
    return data


def enter(field: Text, data: QMimeData) -> QDragEnterEvent:
    """Drag over the middle of a field; what is around it may take what it leaves."""
    under = _under(field)
    event = QDragEnterEvent(under.rect().center(), _COPY, data, _LEFT, _NONE)
    QApplication.sendEvent(under, event)
    return event


def drop(field: Text, data: QMimeData) -> None:
    enter(field, data)
    under = _under(field)
    QApplication.sendEvent(under, QDropEvent(under.rect().center().toPointF(), _COPY, data, _LEFT, _NONE))


def _under(field: Text) -> QWidget:
    return field if isinstance(field, QLineEdit) else field.viewport()


def fields(window: QWidget) -> list[Any]:
    kinds = (QLineEdit, QTextEdit, QPlainTextEdit)
    found = [each for kind in kinds for each in window.findChildren(kind)]
    return [each for each in found if each.isVisible() and _under(each).acceptDrops()]


@pytest.mark.parametrize("key", [entry.key for entry in MODES])
def test_no_field_of_a_mode_keeps_definitions_from_the_window(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    # given each field that can be typed into
    gone: list[Target] = []
    mode = window.show_mode(key)
    monkeypatch.setattr(window, "go", gone.append)

    for name in ("other.yaml", "case.skerry"):
        for field in fields(mode):
            # when a file is dropped on it
            before = field.text() if isinstance(field, QLineEdit) else field.toPlainText()
            drop(field, dragged(tmp_path / name))

            # then the window has it, and nothing is written into the field
            assert gone.pop().id == str(tmp_path / name), field.accessibleName()
            assert before == (field.text() if isinstance(field, QLineEdit) else field.toPlainText())
            assert gone == []


def test_text_is_still_dropped_on_a_field(console: Console, qtbot: QtBot) -> None:
    field = QLineEdit()
    qtbot.addWidget(field)
    field.show()
    data = QMimeData()
    data.setText("load")

    drop(field, data)

    assert field.text() == "load"


def test_a_field_for_a_path_has_the_path_of_any_file(console: Console, tmp_path: Path, qtbot: QtBot) -> None:
    field = QLineEdit("/before")
    takes_files(field, Takes.PATH)
    qtbot.addWidget(field)
    field.show()

    drop(field, dragged(tmp_path / "a.yaml"))

    assert field.text() == str(tmp_path / "a.yaml")


@pytest.mark.parametrize(
    ("language", "expected"),
    [("bash", "'/in put' /b"), ("", "'/in put' /b"), ("python", '"/in put" "/b"'), ("sql", "'/in put' '/b'")],
)
def test_a_plain_file_is_a_quoted_path_in_a_script(
    console: Console, qtbot: QtBot, language: str, expected: str
) -> None:
    script = NumberedEdit(console, language)
    qtbot.addWidget(script)
    script.show()

    drop(script, dragged(Path("/in put"), Path("/b")))

    assert script.toPlainText() == expected


def test_definitions_on_a_script_are_for_the_window_and_a_plain_file_is_its_text(
    mode: DesignMode, engine_service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    load(engine_service, SMALL)
    opened(mode, "small", qtbot)
    mode.canvas.select({"one"})
    qtbot.waitUntil(lambda: any(isinstance(each, ScriptText) for each in fields(mode)))
    script = next(each for each in fields(mode) if isinstance(each, ScriptText))
    gone: list[Target] = []
    monkeypatch.setattr(mode.console.navigator, "go", gone.append)

    drop(script, dragged(tmp_path / "other.yaml"))
    assert (script.toPlainText(), [each.kind for each in gone]) == ("echo one", ["definitions"])

    script.selectAll()
    drop(script, dragged(tmp_path / "plain file.txt"))
    assert f"'{tmp_path}/plain file.txt'" in script.toPlainText()
    assert len(gone) == 1


def test_the_header_of_a_bundle_is_no_definition(tmp_path: Path) -> None:
    assert definitions_of(dragged(tmp_path / "BUNDLE.json")) == []


def test_quotes_in_a_path_stay_within_the_quotes() -> None:
    assert quoted([Path("/it's")], "bash") == "'/it'\"'\"'s'"
    assert quoted([Path('/a "b"')], "python") == '"/a \\"b\\""'
