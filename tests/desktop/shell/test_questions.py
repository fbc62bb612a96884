"""Small forms: where they open, what Enter and the space bar do, what a wrong value does."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.run.confirmation import Confirm, Confirmation
from app.desktop.run.edit_dialog import EditDialog
from app.desktop.widgets.questions import Asking


@pytest.fixture
def over(looks: QApplication, qtbot: QtBot) -> QWidget:
    """What the forms are opened over."""
    window = QWidget()
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    return window


def opened(form: Asking, qtbot: QtBot) -> Asking:
    with qtbot.waitExposed(form):
        form.open()
    form.activateWindow()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    return form


def typed(text: str) -> None:
    """Into whatever has the keyboard."""
    field = QApplication.focusWidget()
    assert field is not None
    QTest.keyClicks(field, text)


def pressed(key: Qt.Key) -> None:
    field = QApplication.focusWidget()
    assert field is not None
    QTest.keyClick(field, key)


def test_a_number_that_is_typed_takes_the_place_of_the_old_one(over: QWidget, qtbot: QtBot) -> None:
    given: list[object] = []
    question = Confirmation("Change the priority", "", "Change it", "Priority", number=(-1000, 1000, 10))
    form = opened(Confirm(question, lambda value, _: given.append(value), over), qtbot)

    typed("30")
    pressed(Qt.Key.Key_Return)

    assert given == [30]
    assert not form.isVisible()


def test_a_space_in_a_reason_is_a_space(over: QWidget, qtbot: QtBot) -> None:
    given: list[object] = []
    question = Confirmation("Settle", "", "Settle it", reason=True)
    form = opened(Confirm(question, lambda _, why: given.append(why), over), qtbot)

    pressed(Qt.Key.Key_Return)  # nothing is there yet: it stays
    assert form.isVisible()
    typed("as agreed by phone")
    pressed(Qt.Key.Key_Return)

    assert given == ["as agreed by phone"]


def test_the_keyboard_goes_through_the_fields_before_the_buttons(over: QWidget, qtbot: QtBot) -> None:
    form = Asking(over, "Three", "", "Do it")
    fields = [form.line("One"), form.line("Two"), form.line("Three")]
    opened(form, qtbot)
    seen = []
    for _ in range(5):
        seen.append(QApplication.focusWidget())
        pressed(Qt.Key.Key_Tab)

    assert seen == [*fields, form.do, form.leave]


def test_a_wrong_value_keeps_the_form_with_what_was_typed(over: QWidget, qtbot: QtBot) -> None:
    form = EditDialog("$.TASK.PARAMS['limit']", 10, (), over)
    asked: list[str] = []
    form.attempt = lambda: asked.append(form.new_text)
    opened(form, qtbot)

    typed("ten")
    pressed(Qt.Key.Key_Tab)
    typed("a test of mine")
    pressed(Qt.Key.Key_Return)
    assert asked == ["ten"]
    form.refuse("Not a number: ten", form.field)

    assert form.isVisible()
    assert form.problem.isVisible()
    assert form.problem.y() > form.field.y()
    assert form.problem.y() < form.why.y()
    assert form.why.text() == "a test of mine"
    typed("12")  # the wrong one is selected
    pressed(Qt.Key.Key_Return)
    assert asked == ["ten", "12"]


def test_a_form_may_open_on_another_field(over: QWidget, qtbot: QtBot) -> None:
    form = Asking(over, "A number", "", "Set")
    number = QSpinBox(form)
    form.line("Name", "known")
    form.add("Number", number)
    form.begin = number

    opened(form, qtbot)

    assert QApplication.focusWidget() is number
