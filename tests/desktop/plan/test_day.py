"""The timeline of a day on the screen: which day, which tasks, what is selected; by mouse and keys."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import QDate, QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Console, Nowhere, Target
from app.desktop.kernel.times import seconds
from app.desktop.plan.day_links import DayLinks, LinkSpan
from app.desktop.plan.day_view import DayView
from app.desktop.plan.mode import PlanMode
from tests.api.fake_service import FakeService, a_day, instance, on_the_day
from tests.desktop.conftest import FakeLink
from tests.desktop.painted_texts import painted_texts

NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
TODAY, TOMORROW, YESTERDAY = "2026-11-21", "2026-11-22", "2026-11-20"


def at(hour: int, day: str = TODAY) -> str:
    return f"{day}T{hour:02}:00:00.000000+00:00"


class SetClock:
    def __init__(self) -> None:
        self.wall = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return 0.0


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def mode(console: Console, service: FakeService, clock: SetClock, qtbot: QtBot) -> PlanMode:
    """Plan at noon: tides at every fourth hour, load at 6, 12 and 18, coast once."""
    service.days[None] = service.days[TODAY] = a_day(
        TODAY,
        *(on_the_day(1 + n, "tides", at(4 * n), "succeeded" if n < 3 else "planned") for n in range(6)),
        on_the_day(10, "load", at(6), "failed"),
        on_the_day(11, "load", at(12), "waiting"),
        on_the_day(12, "load", at(18), "planned"),
        on_the_day(20, "coast", at(9), "skipped"),
    )
    skipped = "an earlier instance still runs"
    service.found[20] = instance(20, "skipped", task="coast", started_at=None, reason=skipped)
    mode = PlanMode(console, clock=clock)
    qtbot.addWidget(mode)
    mode.resize(1200, 600)
    with qtbot.waitExposed(mode):
        mode.show()
    mode.entered()
    qtbot.waitUntil(lambda: mode.day.view.count() == 3)
    return mode


@pytest.fixture
def view(mode: PlanMode) -> DayView:
    return mode.day.view


def test_what_a_clock_change_does_to_the_day_can_be_read_on_a_small_screen(
    mode: PlanMode, service: FakeService, qtbot: QtBot
) -> None:
    begin, end = "2026-10-25T00:00:00.000000+02:00", "2026-10-26T00:00:00.000000+01:00"
    service.days["2026-10-25"] = a_day("2026-10-25", zone="Europe/Berlin", begin=begin, end=end)
    mode.resize(720, 400)
    assert not mode.day.change.isVisible()

    mode.day.show_day("2026-10-25")

    qtbot.waitUntil(mode.day.change.isVisible)
    words = mode.day.change
    assert words.text() == "25 hours: at 03:00 the clocks go back by 1 h 00 min"
    qtbot.waitUntil(lambda: words.fontMetrics().horizontalAdvance(words.text()) <= words.width())


def titles(view: DayView) -> list[str]:
    return [view.title(row) for row in range(view.count())]


def where(view: DayView, task: str, number: int) -> QPoint:
    """The middle of an instance."""
    [found] = [
        each for row in view.rows if row.task == task for each in row.instances if each.instance == number
    ]
    return view.box_of(found).center().toPoint()


def selected(view: DayView) -> int | None:
    return view.current.instance if view.current else None


def gone(mode: PlanMode) -> list[Target]:
    assert isinstance(mode.console.navigator, Nowhere)
    return mode.console.navigator.gone


def said(mode: PlanMode) -> list[str]:
    assert isinstance(mode.console.navigator, Nowhere)
    return mode.console.navigator.said


def test_the_tasks_of_today_come_soonest_first_with_how_many_have_which_state(mode: PlanMode) -> None:
    assert titles(mode.day.view) == ["load", "tides", "coast"]
    shown = [word.text() for word in mode.day.counts._words.values() if not word.isHidden()]
    assert shown == ["1 failed", "1 waiting", "4 planned", "3 succeeded", "1 skipped"]
    assert mode.day.date.date() == QDate(2026, 11, 21)


def test_a_click_selects_an_instance_and_says_why_it_was_skipped(
    mode: PlanMode, view: DayView, qtbot: QtBot
) -> None:
    QTest.mouseClick(view.viewport(), LEFT, NONE, where(view, "coast", 20))

    assert (selected(view), mode.day.facts.name.text()) == (20, "coast #20")
    qtbot.waitUntil(lambda: "an earlier instance still runs" in mode.day.facts.why.text().lower())
    QTest.mouseClick(view.viewport(), LEFT, NONE, where(view, "coast", 20) + QPoint(60, 0))
    assert selected(view) is None


def test_a_double_click_opens_an_instance_in_run(mode: PlanMode, view: DayView) -> None:
    QTest.mouseDClick(view.viewport(), LEFT, NONE, where(view, "load", 10))

    assert gone(mode) == [Target("instance", "10")]


def test_of_what_has_not_begun_it_is_said_so(mode: PlanMode, view: DayView) -> None:
    QTest.mouseClick(view.viewport(), LEFT, NONE, where(view, "load", 12))
    QTest.keyClick(view, Qt.Key.Key_Return)

    assert (gone(mode), said(mode)) == ([], ["Instance 12 has not begun: its time has not come."])


def test_arrows_go_along_a_row_and_from_row_to_row_and_enter_opens(mode: PlanMode, view: DayView) -> None:
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert selected(view) == 11  # of the first row that which is next to the present
    QTest.keyClick(view, Qt.Key.Key_Left)
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert selected(view) in (2, 3)  # at 4 or 8: as far from 6
    for _ in range(9):
        QTest.keyClick(view, Qt.Key.Key_Left)
    assert selected(view) == 1
    QTest.keyClick(view, Qt.Key.Key_Enter)
    QTest.keyClick(view, Qt.Key.Key_Escape)

    assert (gone(mode), selected(view)) == ([Target("instance", "1")], None)


def test_the_next_and_the_previous_day_are_read_and_today_comes_back(
    mode: PlanMode, view: DayView, service: FakeService, qtbot: QtBot
) -> None:
    service.days[TOMORROW] = a_day(TOMORROW, on_the_day(30, "coast", at(9, TOMORROW), "planned"))

    mode.console.actions.get("plan.after").trigger()
    qtbot.waitUntil(lambda: titles(view) == ["coast"])
    mode.console.actions.get("plan.before").trigger()
    qtbot.waitUntil(lambda: len(titles(view)) == 3)
    mode.day.date.setDate(QDate(2026, 11, 20))
    qtbot.waitUntil(lambda: titles(view) == [])
    mode.console.actions.get("plan.today").trigger()
    qtbot.waitUntil(lambda: len(titles(view)) == 3)


def test_without_a_task_online_it_says_what_to_do(mode: PlanMode, view: DayView, qtbot: QtBot) -> None:
    mode.day.show_day(YESTERDAY)

    qtbot.waitUntil(lambda: view.count() == 0)
    assert view.empty.startswith("No task is online")


def test_tasks_are_found_by_name_and_by_state(mode: PlanMode, view: DayView, qtbot: QtBot) -> None:
    QTest.keyClicks(mode.day.text, "tid")
    qtbot.waitUntil(lambda: titles(view) == ["tides"])
    mode.day.text.clear()
    mode.day.only.setCurrentIndex(mode.day.only.findData("bad"))
    qtbot.waitUntil(lambda: titles(view) == ["load"])
    QTest.keyClicks(mode.day.text, "nothing")

    qtbot.waitUntil(
        lambda: (titles(view), view.empty) == ([], "No task of this day matches what is asked for.")
    )


def test_the_present_moves_with_the_clock_and_after_midnight_today_is_another_day(
    mode: PlanMode, view: DayView, service: FakeService, clock: SetClock, qtbot: QtBot
) -> None:
    clock.wall += timedelta(minutes=7)
    mode.day.tick()
    assert view.now == clock.wall.timestamp()

    service.days[None] = a_day(TOMORROW, on_the_day(30, "coast", at(9, TOMORROW), "planned"))
    clock.wall += timedelta(hours=12)
    mode.day.tick()

    qtbot.waitUntil(lambda: titles(view) == ["coast"])


def test_what_happens_is_shown_and_the_selection_stays(
    mode: PlanMode, view: DayView, service: FakeService, qtbot: QtBot
) -> None:
    QTest.mouseClick(view.viewport(), LEFT, NONE, where(view, "load", 11))
    service.days[None] = a_day(TODAY, on_the_day(11, "load", at(12), "running", started_at=at(12)))

    assert isinstance(mode.console.link, FakeLink)
    mode.console.link.emit({"kind": "instance", "instance": 11, "status": "running"})

    qtbot.waitUntil(lambda: titles(view) == ["load"])
    assert (selected(view), mode.day.facts.status.status) == (11, "running")


def test_the_day_is_zoomed_and_moved_under_the_mouse_and_fits_again(view: DayView) -> None:
    whole = view.scale()
    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_Plus, CONTROL)
    near = view.scale()
    here = QPointF(600, 100)
    wheel = QWheelEvent(
        here, view.viewport().mapToGlobal(here), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton, SHIFT,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view.viewport(), wheel)
    later = view.scale()
    free = QPoint(700, view.viewport().height() - 5)
    QTest.mousePress(view.viewport(), LEFT, NONE, free)
    QTest.mouseMove(view.viewport(), free + QPoint(100, 0))
    QTest.mouseRelease(view.viewport(), LEFT, NONE, free + QPoint(100, 0))
    QTest.keyClick(view, Qt.Key.Key_0, CONTROL)

    assert near.end - near.begin < whole.end - whole.begin
    assert later.begin > near.begin
    assert later.end - later.begin == pytest.approx(near.end - near.begin)
    assert view.scale() == whole


@pytest.mark.parametrize("selected", [False, True])
def test_the_keys_zoom_around_what_is_selected_else_around_the_present(view: DayView, selected: bool) -> None:
    if selected:
        view.select(view.rows[0].instances[0])
    time = view.current.scheduled if view.current else view.now
    before = view.scale().x(time)

    for _ in range(20):
        QTest.keyClick(view, Qt.Key.Key_Plus, CONTROL)

    near = view.scale()
    assert near.end - near.begin < 3 * 60
    assert near.x(time) == pytest.approx(before, abs=1)


def test_the_first_page_is_shown_before_the_whole_day_is_read(
    mode: PlanMode, view: DayView, service: FakeService, qtbot: QtBot
) -> None:
    seen: list[tuple[int, bool]] = []
    show = mode.day._reading._show
    mode.day._reading._show = lambda picture: (
        seen.append((len(picture.rows), picture.complete)),
        show(picture),
    )  # type: ignore[func-returns-value, return-value]
    first = on_the_day(1, "tides", at(0, TOMORROW))

    def day(query: object) -> object:
        more = getattr(query, "limit", 0) == 1000 or not getattr(query, "after", 0)
        following = {"after_time": at(0, TOMORROW), "after": 1}
        rest = () if more else (on_the_day(2, "coast", at(1, TOMORROW)),)
        return a_day(TOMORROW, *((first,) if more else rest), next=following if more else None)

    service.day = day  # type: ignore[method-assign, assignment]
    mode.day.show_day(TOMORROW)

    qtbot.waitUntil(lambda: len(titles(view)) == 2)
    assert seen == [(1, False), (2, True)]


def test_a_tool_tip_says_which_instance_it_is(view: DayView) -> None:
    spot = where(view, "load", 10)
    asked = QHelpEvent(QEvent.Type.ToolTip, spot, view.viewport().mapToGlobal(spot))

    assert QApplication.sendEvent(view.viewport(), asked)
    [found] = [each for row in view.rows for each in row.instances if each.instance == 10]
    words = view.words_of(found).splitlines()
    assert words[:2] == ["load #10: failed", "scheduled 2026-11-21 06:00:00 UTC"]


def points_at(view: DayView, task: str, number: int) -> None:
    QTest.mouseMove(view.viewport(), where(view, task, number))


def test_what_begins_now_is_not_hidden_behind_the_line_of_the_present(view: DayView) -> None:
    """Load waits at twelve, and it is twelve."""
    [waiting] = [each for row in view.rows for each in row.instances if each.instance == 11]
    middle = view.box_of(waiting).center().toPoint()
    picture = view.viewport().grab().toImage()
    below = QPoint(middle.x(), view.viewport().height() - 5)

    accent = QColor(view._console.theme.colours.accent)
    line = [dx for dx in range(-3, 4) if picture.pixelColor(below + QPoint(dx, 0)) == accent]
    sign = [picture.pixelColor(middle + QPoint(dx, dy)) for dx in line for dy in range(-6, 7)]

    assert line
    assert any(each != accent for each in sign)


LINKS = {
    "upstream": [{"task": "tides", "first": at(4), "last": at(4)}],
    "downstream": [{"task": "coast", "first": at(9), "last": at(9)}],
}


def test_what_is_pointed_at_shows_what_it_waits_for_and_what_waits_for_it(
    mode: PlanMode, view: DayView, service: FakeService, qtbot: QtBot
) -> None:
    service.answers["links 10"] = LINKS
    before = view.viewport().grab().toImage()

    points_at(view, "load", 10)

    qtbot.waitUntil(lambda: view.links is not None)
    assert view.links == DayLinks(
        10, (LinkSpan("tides", *[seconds(at(4))] * 2),), (LinkSpan("coast", *[seconds(at(9))] * 2),)
    )
    assert view.viewport().grab().toImage() != before
    [found] = [each for row in view.rows for each in row.instances if each.instance == 10]
    assert "depends on tides 04:00:00 (succeeded)" in view.words_of(found)
    assert mode.day.facts.name.text() == "load #10"


def test_the_selected_instance_shows_its_links_to_the_keyboard_too(
    view: DayView, service: FakeService, qtbot: QtBot
) -> None:
    service.answers["links 11"] = LINKS

    QTest.keyClick(view, Qt.Key.Key_Down)

    qtbot.waitUntil(lambda: view.links is not None and view.links.instance == 11)
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert view.links is None


def test_a_click_opens_what_has_begun_and_with_ctrl_it_only_selects(
    mode: PlanMode, view: DayView, qtbot: QtBot
) -> None:
    QTest.mouseClick(view.viewport(), LEFT, CONTROL, where(view, "tides", 1))
    assert selected(view) == 1
    QTest.mouseClick(view.viewport(), LEFT, NONE, where(view, "load", 12))  # planned
    assert not mode.day._opening.isActive()
    QTest.mouseClick(view.viewport(), LEFT, NONE, where(view, "load", 10))

    qtbot.waitUntil(lambda: bool(gone(mode)))
    assert gone(mode) == [Target("instance", "10")]


def test_the_label_of_the_present_covers_no_mark_of_the_axis(
    mode: PlanMode, view: DayView, clock: SetClock, qtbot: QtBot
) -> None:
    for minute in range(0, 120, 5):
        view.show_now(seconds(at(12)) + minute * 60)
        texts = list(painted_texts(view))
        scale, names = view.scale(), view.names()
        label = view.covered(names, scale)
        written = [
            QRectF(names + scale.x(time) + 3, 0, view.fontMetrics().horizontalAdvance(text), 24)
            for time, text in view.axis(scale)
            if texts.count(text) > (text == view._present())
        ]

        assert view._present() in texts
        assert len(written) > 5
        assert not [each for each in written if each.intersects(label)], minute
