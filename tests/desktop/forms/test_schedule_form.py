"""The form of a task's schedule: fields by level, the next ten times as they would be, findings at their fields."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.design.document import Document
from app.desktop.design.forms.kinds.coming import ComingEditor
from app.desktop.design.forms.kinds.schedule import CalendarEditor, WeekdaysEditor
from app.desktop.design.forms.node_form import NodeForm
from app.desktop.design.questions import AskId
from app.desktop.design.tree import get
from app.desktop.kernel.console import Nowhere, Target
from engine.api.service import Service
from engine.definitions.schedules import LEVELS
from tests.desktop.forms.acting import choose, click, opened, row, type_into
from tests.desktop.forms.conftest import Open, Play, Show, load

NODES = {"m": {"type": "shell", "process": "true"}}
CALENDARS = {"harbour": {"off": ["2026-03-30"]}}
BEFORE = datetime(2026, 3, 27, 12, tzinfo=UTC)  # two days before clocks in Berlin are put forward


class StoppedClock:
    def now(self) -> datetime:
        return BEFORE

    def monotonic(self) -> float:
        return 0.0


def form_of(schedule: Any, play: Play, show: Show) -> NodeForm:
    """The form of a task with a schedule, unfolded, in March 2026."""
    raw = {"nodes": NODES} if schedule is None else {"schedule": schedule, "nodes": NODES}
    form = show(play("tide", {"tasks": {"tide": raw}, "calendars": CALENDARS}))
    form.context.clock = StoppedClock()
    click(form.form.sections["schedule"].head)
    return form


def schedule_of(form: NodeForm) -> Any:
    return get(form.document.tree, ("tasks", "tide", "schedule"))


def coming(form: NodeForm) -> list[tuple[str, str]]:
    editor = row(form, "coming").box.editor
    assert isinstance(editor, ComingEditor)
    return editor.lines


def until(form: NodeForm, first: str, qtbot: QtBot) -> list[tuple[str, str]]:
    """The lines, as soon as the first time is a certain one."""
    qtbot.waitUntil(lambda: len(coming(form)) > 1 and coming(form)[1][0].startswith(first))
    return coming(form)


def names(form: NodeForm) -> list[str]:
    return [key.partition("schedule/")[2] for key in form.form.rows if "schedule/" in key]


def test_below_the_times_it_is_said_that_the_task_has_to_be_online(play: Play, show: Show) -> None:
    form = form_of({"level": "hour", "every": 1}, play, show)

    said = row(form, "coming").help

    assert "only while it is online" in said.text()
    assert not said.isHidden()


def test_a_level_brings_its_own_fields_and_keeps_the_zone(play: Play, show: Show) -> None:
    form = form_of({"level": "day", "every": 2, "timezone": "Asia/Shanghai"}, play, show)
    assert names(form)[:2] == ["every", "at"]

    choose(row(form, "schedule").box.main(), "once a week")

    assert schedule_of(form) == {"level": "week", "day": "mon", "timezone": "Asia/Shanghai"}
    assert names(form)[:2] == ["day", "at"]
    form.document.undo.undo()
    assert schedule_of(form) == {"level": "day", "every": 2, "timezone": "Asia/Shanghai"}


@pytest.mark.parametrize("level", sorted(LEVELS))
def test_every_level_has_a_field_for_each_key_that_it_takes(level: str, play: Play, show: Show) -> None:
    form = form_of({"level": level}, play, show)
    keys = LEVELS[level]

    assert {*names(form)} >= keys.required | keys.optional
    for key in keys.required:
        assert row(form, "schedule", key).label.text().endswith("*")


def test_a_task_without_a_schedule_gets_one_and_loses_it(play: Play, show: Show) -> None:
    form = form_of(None, play, show)
    assert names(form) == []

    choose(row(form, "schedule").box.main(), "only by hand or as a sub-task")
    assert schedule_of(form) == "manual"
    choose(row(form, "schedule").box.main(), "at a fixed interval")
    assert schedule_of(form) == {"level": "interval", "interval": "1h"}
    choose(row(form, "schedule").box.main(), "not set")
    assert schedule_of(form) is None


def test_the_next_ten_times_follow_what_is_typed(play: Play, show: Show, qtbot: QtBot) -> None:
    form = form_of({"level": "day", "every": 1, "timezone": "Europe/Berlin"}, play, show)
    assert len(until(form, "2026-03-28 00:00:00+01:00", qtbot)) == 11

    type_into(row(form, "at").box.main(), "18:30")

    lines = until(form, "2026-03-27 18:30:00+01:00", qtbot)
    assert lines[0] == ("0 30 18 1/1 * ?, in Europe/Berlin", "")
    assert lines[10] == ("2026-04-05 18:30:00+02:00 Sunday", "")


def test_a_time_that_a_clock_change_moves_or_drops_is_marked(play: Play, show: Show, qtbot: QtBot) -> None:
    form = form_of({"cron": "0 30 2 * * ?", "timezone": "Europe/Berlin"}, play, show)
    lines = until(form, "2026-03-28 02:30:00+01:00", qtbot)
    assert lines[2] == (
        "2026-03-29 03:00:00+02:00 Sunday",
        "clock change: 02:30 does not exist, so it fires at the first moment after it",
    )

    choose(row(form, "dst", "gap").box.main(), "does not start")

    left_out = ("2026-03-29 Sunday  –", "clock change: 02:30 does not exist; left out")
    qtbot.waitUntil(lambda: coming(form)[2] == left_out)
    assert len(coming(form)) == 12  # ten that fire, and this one
    assert schedule_of(form)["dst"] == {"gap": "skip"}


def test_a_calendar_moves_what_falls_on_its_days_off(play: Play, show: Show, qtbot: QtBot) -> None:
    form = form_of({"level": "week", "day": "mon", "timezone": "UTC"}, play, show)
    calendar = row(form, "calendar").box.editor
    assert isinstance(calendar, CalendarEditor)

    choose(calendar.id, "harbour")
    qtbot.waitUntil(
        lambda: coming(form)[1:2] == [("2026-03-30 Monday  –", "left out: harbour has a day off")]
    )
    assert schedule_of(form)["calendar"] == "harbour"

    choose(calendar.on, "moved to the next working day")
    lines = until(form, "2026-03-31 00:00:00+00:00", qtbot)
    assert lines[1][1] == "also for days off of harbour: 2026-03-30"
    assert schedule_of(form)["calendar"] == {"id": "harbour", "on": "next"}


def test_days_are_pressed_and_numbers_are_typed_with_commas(play: Play, show: Show) -> None:
    form = form_of({"level": "custom_week", "days": ["mon"]}, play, show)
    days = row(form, "days").box.editor
    assert isinstance(days, WeekdaysEditor)
    click(days.days["sat"])
    click(days.days["wed"])
    assert schedule_of(form)["days"] == ["mon", "wed", "sat"]

    choose(row(form, "schedule").box.main(), "at hours of my choice")
    type_into(row(form, "hours").box.main(), "1, 9,23")
    assert schedule_of(form)["hours"] == [1, 9, 23]


def test_what_is_wrong_is_said_at_its_field_and_no_times_are_shown(
    play: Play, show: Show, qtbot: QtBot
) -> None:
    form = form_of({"cron": "0 30 2 * * ?"}, play, show)
    until(form, "2026-03-28", qtbot)

    type_into(row(form, "cron").box.main(), "0 30 25 * * ?")

    qtbot.waitUntil(lambda: "`cron`" in row(form, "cron").finding.text())
    qtbot.waitUntil(lambda: coming(form) == [("The times are shown once the schedule can be read.", "")])


def test_an_interval_without_a_first_time_counts_as_if_it_went_online_now(
    play: Play, show: Show, qtbot: QtBot
) -> None:
    form = form_of({"interval": "90s", "timezone": "UTC"}, play, show)
    assert until(form, "2026-03-27 12:01:30+00:00 Friday", qtbot)[0][0] == "As if it went online now, in UTC"


def test_the_schedule_of_the_document_is_that_of_its_file(play: Play, show: Show) -> None:
    form = form_of({"level": "minute", "every": 5}, play, show)
    document: Document = form.document
    type_into(row(form, "every").box.main(), "10")
    assert "every: 10" in document.text()


def test_a_new_calendar_is_made_from_the_form_and_chosen(
    engine_service: Service, open_task: Open, show: Show, qtbot: QtBot
) -> None:
    # given a task with a schedule without a calendar
    load(engine_service, {"tasks": {"tide": {"schedule": {"level": "day", "every": 1}, "nodes": NODES}}})
    form = show(open_task("tide"))
    click(form.form.sections["schedule"].head)

    choose(row(form, "calendar").box.main(), "New calendar…")
    dialog = opened(AskId, qtbot)
    type_into(dialog.field, "harbour")
    click(dialog.make)

    qtbot.waitUntil(lambda: schedule_of(form).get("calendar") == "harbour")
    assert engine_service.definition("calendar", "harbour")["definition"] == {"weekend": ["sat", "sun"]}

    # when the button beside it is pressed, Plan is asked for it
    qtbot.waitUntil(lambda: row(form, "calendar").box.main().currentText() == "harbour")
    qtbot.waitUntil(lambda: row(form, "calendar").box.editor.opens.isVisible())
    navigator = form.context.console.navigator
    assert isinstance(navigator, Nowhere)

    def is_asked() -> bool:
        click(row(form, "calendar").box.editor.opens)  # of a form that may be made again just then
        return bool(navigator.gone)

    qtbot.waitUntil(is_asked)
    assert navigator.gone == [Target("calendar", "harbour")]


def test_leaving_the_question_for_a_new_calendar_changes_nothing(
    play: Play, show: Show, qtbot: QtBot
) -> None:
    form = form_of({"level": "day", "every": 1, "calendar": "harbour"}, play, show)

    choose(row(form, "calendar").box.main(), "New calendar…")
    opened(AskId, qtbot).reject()

    assert row(form, "calendar").box.main().currentText() == "harbour"
    assert schedule_of(form)["calendar"] == "harbour"
