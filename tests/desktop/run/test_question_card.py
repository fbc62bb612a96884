"""The question of a job in Run: what is asked, and an answer with the mouse or the keyboard; on the real engine."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Target
from app.desktop.run.mode import RunMode
from app.desktop.widgets.question_card import QuestionCard
from engine.api.documents import RunRequest, Source
from engine.api.service import Service

PATIENCE = 20_000
TASK = """
skerry: 1
tasks:
  t:
    nodes:
      ask: {type: approve, question: "Load the figures?", value: number, note: required}
"""


@pytest.fixture
def asked(mode: RunMode, engine_service: Service, qtbot: QtBot) -> tuple[int, QuestionCard]:
    """An instance that asks, and the card that shows it."""
    engine_service.load([Source(name="t.yaml", text=TASK)])
    number = engine_service.run(RunRequest(task="t"))
    qtbot.waitUntil(
        lambda: engine_service.instance(number)["jobs"][0]["status"] == "waiting", timeout=PATIENCE
    )
    mode.open(Target("instance", str(number), "ask"))
    card = mode.findChild(QuestionCard)
    assert card is not None
    qtbot.waitUntil(lambda: len(card.buttons) == 2, timeout=PATIENCE)
    return number, card


def test_a_question_shows_its_choices_and_what_it_needs(asked: tuple[int, QuestionCard]) -> None:
    _, card = asked

    assert card.question.text() == "Load the figures?"
    assert [each.text() for each in card.buttons] == ["approve", "reject"]
    assert card.value.placeholderText() == "Value (number)"
    assert card.note.placeholderText() == "Note (needed)"


def test_its_choices_follow_the_language(asked: tuple[int, QuestionCard], mode: RunMode) -> None:
    _, card = asked

    mode.console.language.switch("zh_CN")
    QApplication.processEvents()

    assert [each.text() for each in card.buttons] == ["批准", "拒绝"]


def test_an_answer_that_lacks_something_keeps_what_was_typed_and_enter_gives_it(
    asked: tuple[int, QuestionCard], engine_service: Service, qtbot: QtBot
) -> None:
    number, card = asked
    QTest.keyClicks(card.value, "7")
    QTest.mouseClick(card.buttons[0], Qt.MouseButton.LeftButton)
    QTest.keyClicks(card.note, "as agreed")
    assert card.value.text() == "7"

    QTest.keyClick(card.note, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: engine_service.instance(number)["status"] == "succeeded", timeout=PATIENCE)
    [job] = engine_service.instance(number)["jobs"]
    assert (job["results"]["choice"], job["results"]["value"]) == ("approve", 7)
    assert job["results"]["note"] == "as agreed"
    qtbot.waitUntil(lambda: not card.buttons, timeout=PATIENCE)
