"""A fix in the window: what it does beyond its own text is listed, and only what was listed is applied."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.cli.main import cli
from app.desktop.admin.bundles_page import BundlesPage
from app.desktop.bundles.fix_dialog import FixDialog
from app.desktop.kernel.console import Console
from engine.api.documents import RunRequest, Source
from engine.api.service import Service
from engine.runtime.clock import SystemClock
from export_import.keys import Keys
from tests.desktop.conftest import load_example

LONG = 30_000  # milliseconds
EXAMPLE = Path(__file__).parents[3] / "examples" / "repair.yaml"
EXTRA = '      extra: {type: shell, process: "ssh archive uptime"}\n'
OTHER = "skerry: 1\njobs:\n  other: {type: shell, process: 'true'}\n"


@pytest.fixture
def fix(engine_console: Console, engine_service: Service, tmp_path: Path, qtbot: QtBot) -> Path:
    """By a supporter whom the site trusts: a failed run gets a node that goes to another host."""
    load_example(engine_service, "repair")
    instance = engine_service.run(RunRequest(task="nightly"))
    qtbot.waitUntil(lambda: engine_service.instance(instance)["ended_at"] is not None, timeout=LONG)
    site, desk, clock = engine_console.workspace, tmp_path / "desk", SystemClock()
    desk.mkdir()
    Keys(site, clock).trust(Keys(desk, clock).card("support"), roles=("support",))
    (tmp_path / "changed.yaml").write_text(EXAMPLE.read_text().replace("limit: 10", "limit: 30") + EXTRA)
    words = ["--workspace", desk, "fix", "build", site, "-o", tmp_path / "fix", "--title", "A larger limit",
             "--definitions", tmp_path / "changed.yaml", "--rerun", "failed"]  # fmt: skip
    printed = CliRunner().invoke(cli, [*map(str, words)])
    assert printed.exit_code == 0, printed.output
    return tmp_path / "fix"


@pytest.fixture
def dialog(engine_console: Console, fix: Path, qtbot: QtBot) -> Iterator[FixDialog]:
    dialog = shown(engine_console, fix, qtbot)
    yield dialog
    dialog.reject()


def shown(console: Console, fix: Path, qtbot: QtBot) -> FixDialog:
    dialog = FixDialog(console, [fix])
    qtbot.addWidget(dialog)
    dialog.show()
    settled(dialog, qtbot)
    return dialog


def settled(dialog: FixDialog, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not dialog.task.busy, timeout=LONG)


def rows(dialog: FixDialog) -> list[tuple[str, ...]]:
    found = (dialog.effects.topLevelItem(i) for i in range(dialog.effects.topLevelItemCount()))
    return [tuple(item.text(column) for column in range(3)) for item in found]


def test_what_it_does_beyond_its_text_is_listed(dialog: FixDialog) -> None:
    assert rows(dialog) == [
        ("task nightly", "gets the node", "extra"),
        ("task nightly", "may reach", "archive"),
    ]
    assert dialog.tabs.tabText(3) == "What it does beyond that (2)"
    assert dialog.seen is not None


def test_apply_sends_the_hash_of_what_was_shown(
    dialog: FixDialog, engine_console: Console, engine_service: Service, fix: Path, qtbot: QtBot
) -> None:
    # given something else at the site than when it was looked at
    engine_service.load([Source(name="other.yaml", text=OTHER)])

    qtbot.mouseClick(dialog.apply_button, Qt.MouseButton.LeftButton)
    settled(dialog, qtbot)

    assert dialog.said.text().startswith("-15021011000")
    assert engine_service.amendments() == []

    # when it is looked at again, that is applied
    again = shown(engine_console, fix, qtbot)
    assert again.seen not in (None, dialog.seen)
    qtbot.mouseClick(again.apply_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "receipt" in again.said.text().lower(), timeout=LONG)
    assert len(engine_service.amendments()) == 1
    again.reject()


def test_a_case_that_cannot_be_read_is_listed_and_opening_it_says_why(
    engine_console: Console, qtbot: QtBot
) -> None:
    folder = engine_console.workspace / "cases" / "broken"
    folder.mkdir(parents=True)
    (folder / "case.json").write_text('{"case": 1')

    parent = QWidget()
    qtbot.addWidget(parent)
    page = BundlesPage(engine_console, parent)
    qtbot.waitUntil(lambda: len(page.table.shown) == 1, timeout=LONG)
    page.table.chosen.emit(page.table.shown[0])

    assert [page.table.model().index(0, column).data() for column in (0, 1)] == ["broken", "cannot be read"]
    assert page.said.text().startswith("-15004006000")
