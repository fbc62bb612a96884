"""Backfills in the window: from a task to its dry run, progress, pause, resume, cancel; on the real engine."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import QDate
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Console, Target
from app.desktop.plan.backfill_assistant import BackfillAssistant
from app.desktop.plan.backfill_rows import decision_text, progress_text, summary, why_text
from app.desktop.plan.mode import PlanMode
from engine.api.documents import Source
from engine.api.service import Service
from engine.runtime.timing.backfill_request import BackfillRequest
from tests.api.fake_backfills import TIMES, backfill
from tests.desktop.queue.test_queue import answer

TASKS = """
skerry: 1
tasks:
  tides:
    schedule: {level: day, every: 1}
    nodes: {m: {type: shell, process: 'true'}}
  slow:
    schedule: {level: day, every: 1}
    nodes: {m: {type: wait, for: 1h}}
"""
SOON = 15_000  # milliseconds


@pytest.fixture
def mode(engine_console: Console, engine_service: Service, qtbot: QtBot) -> PlanMode:
    engine_service.load([Source(name="tasks.yaml", text=TASKS)])
    mode = PlanMode(engine_console)
    qtbot.addWidget(mode)
    mode.show()
    mode.entered()
    return mode


@pytest.fixture
def assistant(mode: PlanMode, qtbot: QtBot) -> BackfillAssistant:
    mode.console.actions.get("plan.backfill").trigger()
    qtbot.waitUntil(lambda: mode.assistant is not None, timeout=SOON)
    assert mode.assistant is not None
    mode.assistant.task.setCurrentText("tides")
    return mode.assistant


def day(assistant: BackfillAssistant, back: int) -> QDate:
    return assistant.first.maximumDate().addDays(-back)


def two_days_of(mode: PlanMode, service: Service, qtbot: QtBot) -> int:
    """A backfill whose first time takes an hour."""
    number = service.start_backfill(BackfillRequest("slow", "2026-01-01", "2026-01-02"))
    mode.open(Target("backfill", str(number)))
    qtbot.waitUntil(
        lambda: [row["status"] for row in mode.times.shown] == ["running", "pending"], timeout=SOON
    )
    return number


def press(mode: PlanMode, qtbot: QtBot, id: str) -> None:
    action = mode.console.actions.get(id)
    qtbot.waitUntil(action.isEnabled, timeout=SOON)
    action.trigger()


def shows(mode: PlanMode, status: str) -> bool:
    return [row["status"] for row in mode.backfills.shown] == [status]


def test_the_dry_run_of_yesterday_is_there_as_soon_as_a_task_is_chosen(
    assistant: BackfillAssistant, qtbot: QtBot
) -> None:
    qtbot.waitUntil(assistant.start_button.isEnabled, timeout=SOON)

    assert [row["task"] for row in assistant.times.shown] == ["tides"]
    assert assistant.summary.text() == "1 time is run, 0 left as they are."
    assert assistant.start_button.text() == "Run 1 time"


def test_what_is_changed_is_seen_in_the_dry_run(assistant: BackfillAssistant, qtbot: QtBot) -> None:
    assistant.first.setDate(day(assistant, 3))
    assistant.order.setCurrentIndex(assistant.order.findData("newest"))

    qtbot.waitUntil(lambda: assistant.start_button.text() == "Run 3 times", timeout=SOON)
    assert assistant.request().order == "newest"


def test_a_refusal_takes_the_place_of_the_dry_run(assistant: BackfillAssistant, qtbot: QtBot) -> None:
    assistant.first.setDate(day(assistant, 1))
    assistant.last.setDate(day(assistant, 3))

    qtbot.waitUntil(lambda: "is before the begin" in assistant.summary.text(), timeout=SOON)
    assert not assistant.start_button.isEnabled()


def test_it_begins_and_is_shown_with_its_progress(
    mode: PlanMode, assistant: BackfillAssistant, qtbot: QtBot
) -> None:
    assistant.first.setDate(day(assistant, 2))
    assistant.reason.setText("a lost night")
    qtbot.waitUntil(lambda: assistant.start_button.text() == "Run 2 times", timeout=SOON)

    assistant.start_button.click()

    qtbot.waitUntil(lambda: [row["status"] for row in mode.backfills.shown] == ["succeeded"], timeout=SOON)
    [row] = mode.backfills.shown
    assert (progress_text(row), row["reason"]) == ("2 / 2", "a lost night")
    qtbot.waitUntil(lambda: [each["status"] for each in mode.times.shown] == ["succeeded"] * 2, timeout=SOON)


def test_one_without_any_time_is_not_said_to_be_unselected(
    mode: PlanMode, engine_service: Service, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(mode.times.empty, "say", said.append)
    number = engine_service.start_backfill(BackfillRequest("tides", "2026-01-01T01:00", "2026-01-01T02:00"))

    mode.open(Target("backfill", str(number)))

    qtbot.waitUntil(lambda: mode.backfills.current is not None, timeout=SOON)
    assert said[-1] == "There is no scheduled time in that range."
    mode.backfills.show_rows(())
    mode._selected()
    assert said[-1] == "No backfill is selected."


def test_it_is_paused_resumed_and_after_a_question_cancelled(
    mode: PlanMode, engine_service: Service, qtbot: QtBot
) -> None:
    number = two_days_of(mode, engine_service, qtbot)

    for act, status in (("pause", "paused"), ("resume", "running")):
        press(mode, qtbot, f"plan.{act}")
        qtbot.waitUntil(partial(shows, mode, status), timeout=SOON)
    answer("Cancel it")
    mode.console.actions.get("plan.cancel").trigger()
    qtbot.waitUntil(partial(shows, mode, "cancelled"), timeout=SOON)

    qtbot.waitUntil(
        lambda: [row["status"] for row in mode.times.shown] == ["running", "dropped"], timeout=SOON
    )
    assert not mode.console.actions.get("plan.cancel").isEnabled()
    engine_service.cancel(mode.times.shown[0]["instance"])
    assert engine_service.backfill(number)["status"] == "cancelled"


def test_words() -> None:
    assert [decision_text(each) for each in TIMES] == ["run again", "make"]
    assert [why_text(each) for each in TIMES] == [
        "Instance 7 is failed.",
        "There was no instance of that time.",
    ]
    assert summary([]) == "There is no scheduled time in that range."
    assert summary(TIMES) == "2 times are run, 0 left as they are."
    counts = {**backfill()["counts"], "failed": 2}
    assert progress_text(backfill(counts=counts)) == "3 / 4, 2 failed"
