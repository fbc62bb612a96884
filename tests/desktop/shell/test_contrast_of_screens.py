"""What the screens of workers, calendars and approvals say can be read in both looks, as it is drawn."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Console
from app.desktop.kernel.theme import DARK, LIGHT, Colours
from app.desktop.plan.mode import PlanMode
from app.desktop.run.mode import RunMode
from app.desktop.widgets.question_card import QuestionCard
from app.desktop.workers.checked_worker import CheckedWorker
from app.desktop.workers.host_keys import HostKeyQuestion
from app.desktop.workers.worker_form import WorkerForm
from app.desktop.workers.workers_pane import WorkersPane
from engine.model.worker import LOCAL
from tests.desktop.inks import faint_texts, shown_texts
from tests.desktop.plan.test_calendars import mode as calendars
from tests.desktop.run.conftest import mode, nowhere
from tests.desktop.run.test_question_card import asked
from tests.desktop.workers.conftest import build, pane, way

__all__ = ["asked", "build", "calendars", "mode", "nowhere", "pane", "way"]
BOTH = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
KEY = {"address": "build:22", "kind": "ssh-ed25519", "fingerprint": "SHA256:now", "pinned": "SHA256:before"}
REMARKS = [
    {"step": "login", "level": "ok", "message": "lets the user in", "code": None},
    {"step": "java", "level": "warning", "message": "there is no java", "code": -11101018000},
    {"step": "folder", "level": "error", "message": "there is no room", "code": -11101018000},
]
FORMS: dict[str, Callable[[Console, QWidget], QWidget]] = {
    "the form": lambda console, parent: WorkerForm(console, parent, lambda _: None),
    "an unknown key": lambda _, parent: HostKeyQuestion(parent, {**KEY, "pinned": None}),
    "a changed key": lambda _, parent: HostKeyQuestion(parent, KEY),
    "a check": lambda console, parent: CheckedWorker(
        console, parent, {"name": "build", "ok": False, "remarks": REMARKS}
    ),
}


def readable(screen: QWidget, console: Console, colours: Colours, least: int) -> None:
    """All of at least so many texts."""
    console.theme.switch(dark=colours.dark)
    QApplication.processEvents()

    assert len({text for text, _ in shown_texts(screen)}) >= least
    assert faint_texts(screen) == {}


@BOTH
def test_workers_are_readable(pane: WorkersPane, build: str, colours: Colours, qtbot: QtBot) -> None:
    pane.open(build)
    qtbot.waitUntil(lambda: pane.facts.rowCount() > 3)

    readable(pane, pane._console, colours, 12)


@BOTH
@pytest.mark.parametrize("form", FORMS)
def test_what_is_asked_about_a_worker_is_readable(
    console: Console, colours: Colours, form: str, qtbot: QtBot
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    console.theme.switch(dark=colours.dark)
    dialog = FORMS[form](console, parent)
    if isinstance(dialog, WorkerForm):
        dialog.fields.name.setText(LOCAL)
        dialog.refuse("there is a worker 'local' already", dialog.fields.name)
    with qtbot.waitExposed(dialog):
        dialog.show()

    readable(dialog, console, colours, 4)
    dialog.close()


@BOTH
def test_calendars_are_readable(calendars: PlanMode, colours: Colours) -> None:
    readable(calendars.calendars, calendars.console, colours, 12)


@BOTH
def test_approvals_are_readable(asked: tuple[int, QuestionCard], mode: RunMode, colours: Colours) -> None:
    readable(asked[1], mode.console, colours, 5)


@BOTH
def test_a_text_without_contrast_is_found(console: Console, colours: Colours, qtbot: QtBot) -> None:
    label = QLabel("hardly there")
    label.setStyleSheet("background: #808080; color: #8a8a8a")
    qtbot.addWidget(label)
    label.show()

    assert list(faint_texts(label)) == ["hardly there"]
