"""What a task waits for, in its form: only what can be matched is offered, the rest is greyed with its reason."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from app.desktop.design.forms.dependency_fields import chosen_window
from app.desktop.design.forms.kinds.dependencies import UpstreamAdder, WindowEditor
from app.desktop.design.forms.node_form import NodeForm
from app.desktop.design.tree import get
from engine.planning.schedules.pairing import WRITTEN, possible
from tests.desktop.forms.acting import choose, click, row, type_into
from tests.desktop.forms.conftest import Play, Show
from tests.desktop.forms.test_schedule_form import NODES, StoppedClock

HOURLY = {"level": "hour", "every": 1, "timezone": "UTC"}
DAILY = {"level": "day", "every": 1, "at": "18:00", "timezone": "UTC"}


def task(schedule: Any, *depends_on: Any) -> dict[str, Any]:
    waits = {"depends_on": list(depends_on)} if depends_on else {}
    return {"schedule": schedule, **waits, "nodes": NODES}


def form_of(play: Play, show: Show, **tasks: Any) -> NodeForm:
    """The form of the task ``closing`` among others, unfolded, at noon of 27 March 2026."""
    form = show(play("closing", {"tasks": tasks}))
    form.context.clock = StoppedClock()
    click(form.form.sections["upstream"].head)
    return form


def waits_for(form: NodeForm) -> Any:
    return get(form.document.tree, ("tasks", "closing", "depends_on"))


def window(form: NodeForm, index: int = 0) -> WindowEditor:
    editor = row(form, "depends_on", index).box.editor
    assert isinstance(editor, WindowEditor)
    return editor


def adder(form: NodeForm) -> UpstreamAdder:
    editor = row(form, "depends_on").box.editor
    assert isinstance(editor, UpstreamAdder)
    return editor


def offered(combo: QComboBox) -> tuple[list[str], list[str]]:
    """What can be chosen, and what is greyed."""
    model = combo.model()
    assert isinstance(model, QStandardItemModel)
    items = [model.item(at) for at in range(model.rowCount())]
    return [each.text() for each in items if each.isEnabled()], [
        each.text() for each in items if not each.isEnabled()
    ]


def test_a_task_is_chosen_and_then_its_window(play: Play, show: Show, qtbot: QtBot) -> None:
    form = form_of(play, show, closing=task(DAILY), tides=task(HOURLY))

    choose(adder(form).combo, "tides")
    assert waits_for(form) == [{"task": "tides"}]
    words = "Next time, 2026-03-27 18:00+00:00: that of 2026-03-27 18:00+00:00"
    qtbot.waitUntil(lambda: window(form).partner.text() == words)

    choose(window(form).combo, "all of the same day")
    assert waits_for(form) == [{"task": "tides", "window": "all_in_period", "period": "same_day"}]
    words = "Next time, 2026-03-27 18:00+00:00: 24 from 2026-03-27 00:00+00:00 to 2026-03-27 23:00+00:00"
    qtbot.waitUntil(lambda: window(form).partner.text() == words)

    choose(window(form).combo, "the newest one up to its own time")
    assert waits_for(form) == [{"task": "tides"}]


def test_only_the_windows_of_the_pairing_table_can_be_chosen(play: Play, show: Show) -> None:
    form = form_of(
        play, show, closing=task(DAILY, {"task": "tides"}), tides=task({"level": "week", "day": "mon"})
    )
    allowed, greyed = offered(window(form).combo)

    assert len(allowed) == len(possible("day", "week"))
    assert len(allowed) + len(greyed) == len(WRITTEN)
    reason = "the day is not a period for all fires of an upstream that fires by the week"
    assert f"all of the same day  –  {reason}" in greyed
    tip = window(form).combo.itemData(window(form).combo.count() - 1, Qt.ItemDataRole.ToolTipRole)
    assert "is not a period" in tip


def test_a_circle_is_refused_with_its_path_while_choosing(play: Play, show: Show) -> None:
    form = form_of(
        play,
        show,
        closing=task(DAILY),
        report=task(DAILY, {"task": "closing"}),
        mail=task(DAILY, {"task": "report"}),
        tides=task(HOURLY),
    )
    adder(form).combo.showPopup()
    allowed, greyed = offered(adder(form).combo)
    adder(form).combo.hidePopup()

    assert allowed == ["Choose a task…", "itself", "tides"]
    assert greyed == [
        "mail  –  Not possible, this would be a circle: closing → report → mail → closing",
        "report  –  Not possible, this would be a circle: closing → report → closing",
    ]


def test_a_task_that_takes_no_part_in_dependencies_is_greyed(play: Play, show: Show) -> None:
    form = form_of(play, show, closing=task(DAILY), clock=task({"cron": "0 0 8 * * ?"}), tides=task(HOURLY))
    adder(form).combo.showPopup()
    _, greyed = offered(adder(form).combo)
    adder(form).combo.hidePopup()

    assert greyed == ["clock  –  the level crontab takes no part in dependencies"]


def test_the_task_itself_is_waited_for_at_the_time_before(play: Play, show: Show, qtbot: QtBot) -> None:
    form = form_of(play, show, closing=task(DAILY))

    choose(adder(form).combo, "itself")

    assert waits_for(form) == [{"self": True}]
    assert offered(window(form).combo)[0] == ["the time before its own"]
    words = "Next time, 2026-03-27 18:00+00:00: that of 2026-03-26 18:00+00:00"
    qtbot.waitUntil(lambda: window(form).partner.text() == words)


def test_an_upstream_started_by_hand_has_no_time(play: Play, show: Show, qtbot: QtBot) -> None:
    form = form_of(play, show, closing=task(DAILY, {"task": "tides"}), tides=task("manual"))
    words = "Next time, 2026-03-27 18:00+00:00: the newest one that was started by hand"
    qtbot.waitUntil(lambda: window(form).partner.text() == words)


def test_failure_and_timeout_are_given_for_each_and_the_last_one_goes_with_the_list(
    play: Play, show: Show
) -> None:
    form = form_of(play, show, closing=task(DAILY, {"task": "tides"}), tides=task(HOURLY))

    choose(row(form, "depends_on", 0, "on_failure").box.main(), "this one waits for a rerun")
    type_into(row(form, "depends_on", 0, "timeout").box.main(), "30m")
    assert waits_for(form) == [{"task": "tides", "on_failure": "wait", "timeout": "30m"}]

    click(window(form).out)
    assert waits_for(form) is None
    form.document.undo.undo()
    assert waits_for(form) == [{"task": "tides", "on_failure": "wait", "timeout": "30m"}]


def test_what_is_wrong_with_a_dependency_is_said_at_it(play: Play, show: Show, qtbot: QtBot) -> None:
    wrong = {"task": "tides", "window": "all_in_period", "period": "same_hour"}
    form = form_of(play, show, closing=task(DAILY, wrong), tides=task(HOURLY))

    assert chosen_window(form.context.scope(), wrong) == "all_in_period same_hour"
    assert window(form).combo.currentText().startswith("all of the same hour  –  the hour is not a period")
    qtbot.waitUntil(lambda: "is not a period" in row(form, "depends_on", 0).finding.text())
    wait = {**wrong, "window": "sometimes"}
    assert chosen_window(form.context.scope(), wait) == "sometimes same_hour"
