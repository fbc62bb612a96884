"""The binding itself: some releases lose a reference to None with every void call and die after thousands."""

from __future__ import annotations

import sys

from PySide6.QtWidgets import QApplication, QLabel


def test_void_calls_keep_none_alive(qapp: QApplication) -> None:
    label = QLabel()
    before = sys.getrefcount(None)
    for _ in range(300):
        label.setText("y")

    assert abs(sys.getrefcount(None) - before) < 50


def test_fifty_thousand_calls_are_survived(qapp: QApplication) -> None:
    label = QLabel()
    for number in range(50_000):
        label.setText("x" if number % 2 else "y")

    assert label.text() == "x"
