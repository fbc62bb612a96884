"""What fails in an override of Qt's is an exception like any other."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

import app.desktop  # noqa: F401  # what is derived from Qt's classes is guarded from here on


def test_what_c_code_raises_in_an_override_below_a_call_of_qt_is_raised_there(qtbot: QtBot) -> None:
    class Failing(QWidget):
        def paintEvent(self, event: QPaintEvent) -> None:
            int("no number")

    widget = Failing()
    qtbot.addWidget(widget)

    with pytest.raises(ValueError, match="no number"):
        widget.grab()


def test_an_override_that_is_a_slot_is_connected_as_it_was_written(qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QDialog, QPushButton

    class Leaving(QDialog):
        def reject(self) -> None:
            self.left = True
            super().reject()

    dialog = Leaving()
    qtbot.addWidget(dialog)
    button = QPushButton(dialog)
    button.clicked.connect(dialog.reject)  # which brings "checked" to whatever takes an argument

    button.click()

    assert dialog.left
