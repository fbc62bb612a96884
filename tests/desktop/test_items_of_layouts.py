"""What is asked of layouts leaves no items behind that Qt may have deleted meanwhile: the window would crash."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

import app.desktop
from app.desktop.widgets.layouts import hbox, in_layout, row_of
from app.desktop.widgets.reading_order import parts


def test_nothing_asks_a_layout_for_its_items() -> None:
    """Python keeps the item as long as the layout, and takes what comes to lie at its address for it."""
    sources = Path(app.desktop.__file__).parent.rglob("*.py")
    assert [each.name for each in sources if re.search(r"\.itemAt\(", each.read_text())] == []


def test_a_layout_says_what_is_in_it_in_its_order(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    first, second, third = QLabel("1"), QLabel("2"), QLabel("3")
    box = QVBoxLayout(window)
    below = hbox(second)
    for each in (third, first):
        box.insertWidget(0, each)
    box.insertLayout(1, below)

    assert in_layout(box) == [first, below, third]
    assert list(parts(window)) == [first, second, third]


def test_the_row_of_a_field_is_found_also_where_it_is_within_something(qtbot: QtBot) -> None:
    window, alone, inner, beside = QWidget(), QLineEdit(), QLineEdit(), QLineEdit()
    qtbot.addWidget(window)
    form, within = QFormLayout(window), QWidget()
    hbox(inner, inside=within)
    form.addRow("a", alone)
    form.addRow("b", within)
    form.addRow("c", hbox(beside))

    assert [row_of(form, each) for each in (alone, inner, beside)] == [0, 1, 2]
    with pytest.raises(LookupError):
        row_of(form, QLineEdit())
