"""What a person does in a form: typing, choosing, picking."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.design.forms.field_row import FieldRow
from app.desktop.design.forms.node_form import NodeForm
from app.desktop.design.picker.picker import Picker

Dialog = TypeVar("Dialog", bound=QWidget)


def row(form: NodeForm, *path: str | int) -> FieldRow:
    """The row of a field of the node that is shown, by the end of its path."""
    tail = "/".join(map(str, path))
    return next(each for key, each in form.form.rows.items() if key.endswith(f"/{tail}"))


def type_into(widget: QWidget, text: str, *, instead: bool = True) -> None:
    """Type a text, key by key."""
    widget.setFocus()
    if instead:
        QTest.keyClick(widget, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(widget, text)


def choose(combo: QComboBox, text: str) -> None:
    """Choose an entry with the keys."""
    combo.setFocus()
    QTest.keyClick(combo, Qt.Key.Key_Down)
    wanted = combo.findText(text)
    assert wanted >= 0, [combo.itemText(each) for each in range(combo.count())]
    shown = combo.view()
    QTest.keyClick(shown, Qt.Key.Key_Home)
    for _ in range(wanted):
        QTest.keyClick(shown, Qt.Key.Key_Down)
    QTest.keyClick(shown, Qt.Key.Key_Return)


def opened(kind: type[Dialog], qtbot: QtBot) -> Dialog:
    """The dialog of a kind that has just been opened."""

    def found() -> list[Dialog]:
        shown = QApplication.topLevelWidgets()
        return [each for each in shown if isinstance(each, kind) and each.isVisible()]

    qtbot.waitUntil(lambda: len(found()) == 1, timeout=10_000)
    return found()[0]


def click(widget: QWidget) -> None:
    """Press and release the left button."""
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def pick(form_row: QWidget, words: str, qtbot: QtBot) -> None:
    """Press "from…", search for some words and take what is found first."""
    click(form_row)
    picker = opened(Picker, qtbot)
    QTest.keyClicks(picker.search, words)
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not picker.isVisible())
