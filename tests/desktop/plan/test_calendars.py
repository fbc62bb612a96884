"""The page of calendars, as a person uses it, over a real engine; and its days without a window."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.desktop.design.questions import AskId, QuestionDialog
from app.desktop.kernel.console import Console, Nowhere, Target
from app.desktop.plan.calendars.calendar_days import CalendarDays, DayKind, with_days
from app.desktop.plan.calendars.calendar_library import CalendarLibrary
from app.desktop.plan.calendars.calendar_words import day_line, rule_of
from app.desktop.plan.mode import PlanMode
from engine.api.documents import Source
from engine.api.service import Service
from tests.desktop.forms.acting import click, opened, type_into

TEXT = """
skerry: 1
calendars:
  harbour: {name: Days of the harbour, off: ["2031-12-25"]}
  spare: {}
tasks:
  closing:
    schedule: {level: day, every: 1, at: "18:00", start: 2031-12-01, timezone: Asia/Shanghai, calendar: harbour}
    nodes: {m: {type: shell, process: "true"}}
"""


class December:
    """A clock that shows one day for ever."""

    def now(self) -> datetime:
        return datetime(2031, 12, 20, 12, tzinfo=UTC)

    def monotonic(self) -> float:
        return 0.0


@pytest.fixture
def mode(engine_console: Console, engine_service: Service, qtbot: QtBot) -> PlanMode:
    engine_service.load([Source(name="calendars.yaml", text=TEXT)])
    mode = PlanMode(engine_console, clock=December())
    qtbot.addWidget(mode)
    mode.resize(1000, 700)
    with qtbot.waitExposed(mode):
        mode.show()
    mode.open(Target("calendar", "harbour"))
    qtbot.waitUntil(lambda: mode.calendars.editor.id == "harbour")
    return mode


@pytest.fixture
def editor(mode: PlanMode) -> CalendarLibrary:
    return mode.calendars.editor


def press(editor: CalendarLibrary, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(editor.month, key)


# -- the days, without a window -------------------------------------------------------------------


def test_a_day_is_decided_by_work_then_off_then_the_weekend() -> None:
    days = CalendarDays({"weekend": ["sun"], "off": ["2026-10-01..2026-10-07"], "work": ["2026-10-05"]})

    found = {day: days.kind(date(2026, 10, day)) for day in (3, 5, 10, 11)}

    assert found == {3: DayKind.OFF, 5: DayKind.WORK, 10: DayKind.WEEKDAY, 11: DayKind.WEEKEND}


@pytest.mark.parametrize(
    ("before", "days", "off", "after"),
    [
        ({}, (21, 22), True, {"off": ["2026-12-21..2026-12-22"]}),
        ({"off": ["2026-12-20..2026-12-24"]}, (22, 22), False,
         {"off": ["2026-12-20..2026-12-21", "2026-12-23..2026-12-24"]}),
        ({}, (26, 28), False, {"work": ["2026-12-26..2026-12-27"]}),  # Saturday to Monday
        ({"work": ["2026-12-26"]}, (26, 26), True, {}),  # a Saturday is off again without an entry
        ({"off": ["2026-12-21", "someday"]}, (21, 21), False, {"off": ["someday"]}),
    ],
)  # fmt: skip
def test_days_are_changed_with_as_few_entries_as_possible(
    before: Any, days: tuple[int, int], off: bool, after: Any
) -> None:
    first, last = (date(2026, 12, day) for day in days)

    assert with_days(before, first, last, off=off) == after


def test_words_say_what_a_calendar_means_and_why_a_day_is_off(mode: PlanMode) -> None:
    tree = {"off": ["2026-12-25"], "work": ["2026-12-19"]}

    assert " ".join(rule_of(tree)) == (
        "Off each week: Saturday, Sunday. Off as well: 2026-12-25 (1 day). "
        "Worked all the same: 2026-12-19 (1 day)."
    )
    assert day_line(tree, date(2026, 12, 25)) == (
        "2026-12-25 Friday: a day off: 2026-12-25 is among the days off"
    )


# -- the page ------------------------------------------------------------------------------------


def test_the_month_shows_days_off_and_turns_by_keyboard(editor: CalendarLibrary) -> None:
    assert editor.heading.text() == "2031-12  ·  22 working days  ·  9 days off"

    press(editor, Qt.Key.Key_PageDown)

    assert editor.heading.text().startswith("2032-01")
    assert editor.day_words.text() == "2032-01-20 Tuesday: a working day, as every Tuesday"


def test_what_uses_a_calendar_is_a_way_there(editor: CalendarLibrary) -> None:
    link = editor.user_links.itemAt(0).widget()
    assert link is not None
    click(link)

    assert isinstance(editor.console.navigator, Nowhere)
    assert editor.console.navigator.gone == [Target("task", "closing")]


def test_days_are_marked_changed_and_stored_after_it_is_said_what_moves(
    editor: CalendarLibrary, engine_service: Service, qtbot: QtBot
) -> None:
    # given Tuesday to Wednesday marked by keyboard, and made days off
    editor.month.go(date(2031, 12, 23))
    QTest.keyClick(editor.month, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert editor.turns.text() == "Make them days off"
    press(editor, Qt.Key.Key_Space)
    assert editor.own() == {"name": "Days of the harbour", "off": ["2031-12-23..2031-12-25"]}

    # when it is saved, the question names the times; nothing is stored before
    editor.save()
    question = opened(QuestionDialog, qtbot)
    text = question.findChild(type(editor.day_words)).text()  # type: ignore[union-attr]
    assert "closing (draft)" in text
    assert "falls away: 2031-12-23 18:00, 2031-12-24 18:00" in text
    assert engine_service.definition("calendar", "harbour")["definition"]["off"] == ["2031-12-25"]
    question.buttons.buttons()[0].click()

    # then it is stored
    qtbot.waitUntil(lambda: not editor.title.text().endswith("*"))
    stored = engine_service.definition("calendar", "harbour")["definition"]
    assert stored["off"] == ["2031-12-23..2031-12-25"]


def test_a_calendar_that_is_used_stays_and_one_that_is_not_goes(
    editor: CalendarLibrary, engine_service: Service, qtbot: QtBot
) -> None:
    editor.delete()
    opened(QuestionDialog, qtbot).buttons.buttons()[0].click()
    qtbot.waitUntil(lambda: "is used by task closing" in editor.error.text())

    editor.open("spare")
    qtbot.waitUntil(lambda: editor.id == "spare")
    editor.delete()
    opened(QuestionDialog, qtbot).buttons.buttons()[0].click()

    qtbot.waitUntil(lambda: [each["id"] for each in engine_service.definitions("calendar")] == ["harbour"])


def test_a_new_one_begins_with_the_usual_weekend(
    editor: CalendarLibrary, engine_service: Service, qtbot: QtBot
) -> None:
    click(editor.adds)
    dialog = opened(AskId, qtbot)
    type_into(dialog.field, "berlin")
    click(dialog.make)

    qtbot.waitUntil(lambda: editor.id == "berlin")
    assert engine_service.definition("calendar", "berlin")["definition"] == {"weekend": ["sat", "sun"]}


def test_one_that_is_exported_can_be_imported_and_nothing_else_of_the_file(
    editor: CalendarLibrary, engine_service: Service, tmp_path: Path, qtbot: QtBot
) -> None:
    # given the file of an export, with another calendar and a task written into it
    file = tmp_path / "harbour.yaml"
    editor.export_to(file)
    more = "  berlin: {off: ['2031-10-03']}\ntasks:\n  t: {nodes: {}}\n"
    file.write_text(file.read_text() + more)

    editor.import_from(file)

    qtbot.waitUntil(
        lambda: (
            [each["id"] for each in engine_service.definitions("calendar")] == ["berlin", "harbour", "spare"]
        )
    )
    assert [each["id"] for each in engine_service.definitions("task")] == ["closing"]
    assert engine_service.definition("calendar", "harbour")["revision"] == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot read"),
        ("skerry: 1\ntasks: {}\n", "there is no calendar in this file"),
        ("skerry: 1\ncalendars: {a: {off: [someday]}}\n", "expected a date such as 2026-10-01"),
        ("skerry: 1\ncalendars: [\n", "a.yaml:"),
        ("\0", "is not allowed"),
    ],
)
def test_a_file_that_cannot_be_imported_says_why(
    text: str | None, words: str, editor: CalendarLibrary, tmp_path: Path
) -> None:
    file = tmp_path / "a.yaml"
    if text is not None:
        file.write_text(text)

    editor.import_from(file)

    assert words in editor.error.text()
