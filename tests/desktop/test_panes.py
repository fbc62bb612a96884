"""A pane is one entry in the table of its mode; what else belongs to it is asked for here."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.desktop.kernel.mode import Mode, PaneEntry
from app.desktop.shell.modes import MODES
from app.desktop.shell.window import MainWindow
from app.texts import TRANSLATIONS, catalogue
from tests.desktop.test_every_mode import name

CHINESE = catalogue("zh")
TESTS = Path(__file__).parent
TABLES = [(entry.key, pane) for entry in MODES for pane in entry.load().PANES]


@pytest.fixture(params=TABLES, ids=lambda each: f"{each[0]}-{each[1].name}")
def pane(request: pytest.FixtureRequest, window: MainWindow) -> tuple[Mode, PaneEntry]:
    """A mode in front, and an entry of its table."""
    key, entry = request.param
    return window.show_mode(key), entry


def test_there_are_panes() -> None:
    assert {"job", "log"} <= {entry.name for _, entry in TABLES}


def test_its_title_and_its_action_are_in_the_catalogue(pane: tuple[Mode, PaneEntry]) -> None:
    _, entry = pane

    assert {entry.title, entry.show} - CHINESE.keys() == set(), f"add to a file of {TRANSLATIONS / 'zh'}"


def test_its_action_brings_it_to_the_front_and_leads_to_something_that_has_a_name(
    pane: tuple[Mode, PaneEntry],
) -> None:
    mode, entry = pane

    mode.console.actions.get(f"{mode.KEY}.pane_{entry.name}").trigger()

    dock = mode.docks[entry.name]
    assert dock.isVisible()
    inside = [dock.widget(), *dock.widget().findChildren(QWidget)]
    assert any(each.focusPolicy() & Qt.FocusPolicy.TabFocus and name(each) for each in inside), (
        f"give what takes the focus in {entry.name} a name: setAccessibleName"
    )


def test_it_has_a_test(pane: tuple[Mode, PaneEntry]) -> None:
    mode, entry = pane
    kind = type(mode.docks[entry.name].widget())
    homes = {mode.KEY, import_module(kind.__module__).__name__.split(".")[-2]}
    mention = re.compile(rf"\b{kind.__name__}\b|\bmode\.{entry.name}\b")
    tests = [file for home in homes for file in (TESTS / home).glob("test_*.py")]

    assert any(mention.search(file.read_text("utf-8")) for file in tests), (
        f"write a test of {kind.__name__} in one of {[str(TESTS / home) for home in sorted(homes)]}"
    )
