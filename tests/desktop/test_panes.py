"""A pane is one entry in the table of its mode; what else belongs to it is asked for here."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.desktop.shell.modes import MODES
from app.desktop.shell.window import MainWindow
from app.texts import TRANSLATIONS, catalogue
from tests.desktop.test_every_mode import name

CHINESE = catalogue("zh")
TESTS = Path(__file__).parent
TABLES = {entry.key: panes for entry in MODES if (panes := entry.load().PANES)}


def test_there_are_panes() -> None:
    assert {"job", "log"} <= {entry.name for panes in TABLES.values() for entry in panes}


def test_its_title_and_its_action_are_in_the_catalogue() -> None:
    texts = {text for panes in TABLES.values() for entry in panes for text in (entry.title, entry.show)}

    assert texts - CHINESE.keys() == set(), f"add to a file of {TRANSLATIONS / 'zh'}"


@pytest.mark.parametrize("key", TABLES)
def test_its_action_brings_it_to_the_front_and_leads_to_something_that_has_a_name(
    window: MainWindow, key: str
) -> None:
    mode = window.show_mode(key)

    for entry in reversed(TABLES[key]):  # the first of an area is in front already
        mode.console.actions.get(f"{key}.pane_{entry.name}").trigger()

        dock = mode.docks[entry.name]
        assert dock.isVisible(), entry.name
        inside = [dock.widget(), *dock.widget().findChildren(QWidget)]
        assert any(each.focusPolicy() & Qt.FocusPolicy.TabFocus and name(each) for each in inside), (
            f"give what takes the focus in {entry.name} a name: setAccessibleName"
        )


def test_it_has_a_test(window: MainWindow) -> None:
    for key, panes in TABLES.items():
        mode = window.show_mode(key)
        for entry in panes:
            kind = type(mode.docks[entry.name].widget())
            homes = {key, import_module(kind.__module__).__name__.split(".")[-2]}
            mention = re.compile(rf"\b{kind.__name__}\b|\bmode\.{entry.name}\b")
            tests = [file for home in homes for file in (TESTS / home).glob("test_*.py")]

            assert any(mention.search(file.read_text("utf-8")) for file in tests), (
                f"write a test of {kind.__name__} in one of {[str(TESTS / home) for home in sorted(homes)]}"
            )
