"""Online, offline and delete say first what becomes of instances and dependants; on a real engine."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QMenu
from pytestqt.qtbot import QtBot

from app.desktop.design.mode import DesignMode
from app.desktop.design.questions import QuestionDialog
from app.desktop.design.state_question import Foreseen, consequences
from app.desktop.shell.window import MainWindow
from engine.api.documents import InstanceQuery, Source
from engine.api.service import Service

TASKS = """
skerry: 1
tasks:
  tides:
    schedule: {level: day, every: 1}
    nodes: {m: {type: shell, process: 'true'}}
  load:
    schedule: {level: day, every: 1}
    depends_on: [{task: tides}]
    nodes: {m: {type: shell, process: 'true'}}
"""


@pytest.fixture
def mode(engine_window: MainWindow, engine_service: Service, qtbot: QtBot) -> DesignMode:
    engine_service.load([Source(name="tasks.yaml", text=TASKS)])
    found = engine_window.show_mode("design")
    assert isinstance(found, DesignMode)
    qtbot.waitUntil(lambda: {"tides", "load"} <= set(found.list.items()))
    return found


def asked(mode: DesignMode, task: str, entry: str, qtbot: QtBot) -> QuestionDialog:
    """The question after an entry of a task's menu."""
    tasks = mode.list
    tasks.tree.setCurrentItem(tasks.items()[task])
    tasks.tree.customContextMenuRequested.emit(tasks.tree.visualItemRect(tasks.items()[task]).center())
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    next(each for each in menu.actions() if each.text() == entry).trigger()
    menu.close()
    qtbot.waitUntil(lambda: mode.findChild(QuestionDialog) is not None)
    dialog = mode.findChild(QuestionDialog)
    assert dialog is not None
    return dialog


def answer(dialog: QuestionDialog, word: str, qtbot: QtBot) -> None:
    with qtbot.waitSignal(dialog.destroyed):
        next(each for each in dialog.buttons.buttons() if each.text().replace("&", "") == word).click()


def words(dialog: QuestionDialog) -> list[str]:
    return dialog.findChildren(QLabel)[0].text().split("\n\n")


def state(service: Service, task: str) -> str:
    return str(next(each["state"] for each in service.definitions("task") if each["id"] == task))


def online(mode: DesignMode, service: Service, qtbot: QtBot, *tasks: str) -> None:
    service.move_tasks(tasks, "online")
    qtbot.waitUntil(lambda: all(mode.list.items()[each].text(1) == "online" for each in tasks))


def test_a_task_goes_online_after_its_next_times_and_those_that_wait_for_it_were_shown(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    dialog = asked(mode, "tides", "Put online…", qtbot)

    question, times, dependants = words(dialog)
    assert (question, times.count(" 00:00:00")) == ("Put the task tides online?", 3)
    assert dependants == "Tasks that depend on it, and wait for its times: load"
    assert state(engine_service, "tides") == "init"
    answer(dialog, "Put online", qtbot)
    qtbot.waitUntil(lambda: state(engine_service, "tides") == "online")


def test_what_would_be_refused_says_why_and_offers_nothing(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    dialog = asked(mode, "load", "Put online…", qtbot)

    assert words(dialog)[0] == "The task load cannot go online."
    assert "tides" in words(dialog)[1]
    assert len(dialog.buttons.buttons()) == 1
    answer(dialog, "Cancel", qtbot)
    assert state(engine_service, "load") == "init"


def test_before_a_task_goes_offline_its_instances_that_will_not_begin_are_named(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    online(mode, engine_service, qtbot, "tides", "load")
    numbers = [
        f"#{each['instance']}" for each in engine_service.instances(InstanceQuery("tides", planned=True))
    ]

    dialog = asked(mode, "tides", "Take offline…", qtbot)
    assert f"1 instance will not begin: {', '.join(numbers)}" in words(dialog)
    assert words(dialog)[-1].endswith("unless they are let go: load")
    answer(dialog, "Cancel", qtbot)
    assert state(engine_service, "tides") == "online"

    answer(asked(mode, "tides", "Take offline…", qtbot), "Take offline", qtbot)
    qtbot.waitUntil(lambda: state(engine_service, "tides") == "offline")


def test_a_task_that_an_online_one_waits_for_is_not_deleted_another_one_is(
    mode: DesignMode, engine_service: Service, qtbot: QtBot
) -> None:
    online(mode, engine_service, qtbot, "tides", "load")

    refused = asked(mode, "tides", "Delete…", qtbot)
    assert words(refused)[0] == "The task tides cannot be deleted."
    answer(refused, "Cancel", qtbot)
    engine_service.set_state("load", "offline")
    dialog = asked(mode, "load", "Delete…", qtbot)
    assert words(dialog)[-1] == "Its runs and revisions stay; it can no longer be run."
    answer(dialog, "Delete", qtbot)

    qtbot.waitUntil(lambda: "load" not in mode.list.items())


def test_many_instances_are_counted_and_nothing_new_is_nothing_to_ask() -> None:
    move = {"task": "tides", "from": "online", "to": "offline", "refused": None,
            "instances": list(range(1, 13)), "dependants": []}  # fmt: skip
    same = {**move, "from": "offline", "instances": []}

    named = "#1, #2, #3, #4, #5, #6, #7, #8, #9, #10 and 2 more"
    assert f"12 instances will not begin: {named}" in list(consequences(Foreseen(move), "offline"))
    assert not Foreseen(same).changes
    assert list(consequences(Foreseen(same), "offline")) == [
        "The task tides is offline already: nothing changes."
    ]
