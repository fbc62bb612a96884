"""The instances of a day as rows and strokes, and the hours of a day; without a window."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.plan.day_axis import ClockChange, Day, marks_of
from app.desktop.plan.day_rows import (
    POINT,
    DayInstance,
    DayRow,
    chosen_rows,
    day_strokes,
    is_sign,
    rows_of,
    wait_lines,
)
from app.desktop.widgets.time_scale import Scale

BERLIN = ZoneInfo("Europe/Berlin")
DAY = Scale(0, 86_400, 960)  # 90 seconds are a pixel


def an_instance(
    number: int, scheduled: float, status: str = "succeeded", task: str = "t", **more: object
) -> DayInstance:
    begun = scheduled if status not in ("planned", "skipped", "offline", "waiting") else None
    ended = begun if status in ("succeeded", "failed") else None
    known = DayInstance(number, task, status, "schedule", int(begun is not None), scheduled, begun, ended)
    return known._replace(**more)


def a_day(year: int, month: int, number: int, zone: ZoneInfo = BERLIN) -> Day:
    begin, end = (datetime(year, month, each, tzinfo=zone) for each in (number, number + 1))
    document = {"day": date(year, month, number).isoformat(), "zone": zone.key}
    return Day.read(document | {"begin": begin.isoformat(), "end": end.isoformat()})


def strokes(
    *instances: DayInstance, now: float = 0.0, scale: Scale = DAY
) -> list[tuple[float, float, str, int]]:
    [row] = rows_of(instances)
    return [(each.left, each.right, each.status, each.bars) for each in day_strokes(row, scale, now)]


def test_what_took_long_is_a_bar_and_what_did_not_a_sign_at_its_time() -> None:
    found = strokes(an_instance(1, 900, ended=9900), an_instance(2, 18_000))

    assert found == [(10, 110, "succeeded", 1), (200, 200 + POINT, "succeeded", 1)]


def test_what_runs_or_waits_reaches_to_the_present() -> None:
    found = strokes(an_instance(1, 900, "running"), an_instance(2, 9000, "waiting"), now=45_000)

    assert found == [(10, 500, "running", 1), (100, 500, "waiting", 1)]


def test_of_a_crowd_the_worst_is_shown() -> None:
    [row] = rows_of(an_instance(at, at * 10, "failed" if at == 7 else "succeeded") for at in range(20))

    [stroke] = day_strokes(row, DAY, 0)

    assert (stroke.status, stroke.bars) == ("failed", 20)


def test_a_bar_is_not_given_the_state_of_a_sign_that_lies_beside_it() -> None:
    found = strokes(an_instance(1, 900, "failed"), an_instance(2, 950, ended=9900))

    assert [(status, count) for _, _, status, count in found] == [("failed", 1), ("succeeded", 1)]


@pytest.mark.parametrize("width", [671, 1111, 1000.3])
def test_what_is_short_is_a_sign_at_any_width_of_the_window(width: float) -> None:
    [row] = rows_of(an_instance(hour, 3600 * hour) for hour in range(24))

    assert all(is_sign(each) for each in day_strokes(row, Scale(0, 90_000, width), 0))


def test_what_ran_on_another_day_is_a_sign_at_its_time() -> None:
    later = {"started": 500_000.0, "ended": 600_000.0}
    found = strokes(an_instance(1, 900, trigger="backfill", **later), an_instance(2, 9000, run=2, **later))

    assert found == [(10, 10 + POINT, "succeeded", 1), (100, 100 + POINT, "succeeded", 1)]


def test_how_long_it_had_waited_is_a_line_before_it() -> None:
    [row] = rows_of([an_instance(1, 900, started=9000.0, ended=9900.0), an_instance(2, 9900)])

    assert list(wait_lines(row, DAY)) == [(10, 100)]


@given(st.lists(st.tuples(st.floats(-3000, 90_000), st.floats(0, 9000)), min_size=1, max_size=80))
def test_strokes_are_in_order_and_in_sight_and_none_is_lost(times: list[tuple[float, float]]) -> None:
    instances = [an_instance(n, begin, ended=begin + took) for n, (begin, took) in enumerate(times)]
    inside = [
        each
        for each in instances
        if (each.ended or 0) / 90 >= -POINT and each.scheduled / 90 <= DAY.width
    ]  # fmt: skip

    [row] = rows_of(instances)
    found = list(day_strokes(row, DAY, 0))

    assert sum(each.bars for each in found) == len(inside)
    assert all(-2 <= each.left <= each.right <= DAY.width + 2 for each in found)
    assert [each.left for each in found] == sorted(each.left for each in found)


def test_tasks_are_found_by_text_and_state_and_come_soonest_first() -> None:
    rows = rows_of(
        [
            an_instance(1, 10, task="tides"),
            an_instance(2, 90, "planned", "tides"),
            an_instance(3, 50, "failed", "Coast"),
            an_instance(4, 70, "planned", "coast_night"),
        ]
    )

    def names(text: str = "", only: str = "all", order: str = "soonest") -> list[str]:
        return [row.task for row in chosen_rows(rows, text, only, order, now=60)]

    assert names() == ["coast_night", "tides", "Coast"]
    assert names(order="name") == ["Coast", "coast_night", "tides"]
    assert names("COAST ", order="name") == ["Coast", "coast_night"]
    assert (names(only="bad"), names(only="planned")) == (["Coast"], ["coast_night", "tides"])


def test_the_nearest_instance_of_a_row_is_found() -> None:
    row = DayRow("t", [an_instance(n, 100 * n) for n in range(1, 5)])

    assert [row.nearest(time).instance for time in (-5, 149, 151, 9999)] == [1, 1, 2, 4]


@pytest.mark.parametrize(
    ("month", "number", "hours", "texts"),
    [
        (3, 29, 23, ["00:00 CET", "03:00 CEST", "06:00 CEST"]),
        (10, 25, 25, ["00:00 CEST", "03:00 CET", "06:00 CET"]),
        (11, 24, 24, ["00:00", "02:00", "04:00"]),
    ],
)
def test_a_day_has_the_hours_that_its_zone_gives_it(
    month: int, number: int, hours: float, texts: list[str]
) -> None:
    day = a_day(2026, month, number)
    found = list(marks_of(day, Scale(day.begin, day.end, 900)))

    assert day.hours == hours
    assert [text for _, text in found][:3] == texts
    assert (found[1][0] - found[0][0]) / 3600 == {23: 2, 25: 4, 24: 2}[hours]


def test_the_hour_that_comes_twice_is_marked_twice_with_what_distinguishes_them() -> None:
    day = a_day(2026, 10, 25)
    texts = [text for _, text in marks_of(day, Scale(day.begin + 3600, day.begin + 5 * 3600, 900))]

    assert texts[1:5:2] == ["01:30 CEST", "02:30 CEST"]
    assert texts[2:7:2] == ["02:00 CEST", "02:00 CET", "03:00 CET"]
    assert day.changes == (ClockChange(day.begin + 3 * 3600, -3600),)


def test_half_an_hour_of_clock_change_and_an_odd_offset_have_round_marks() -> None:
    howe = a_day(2026, 4, 5, ZoneInfo("Australia/Lord_Howe"))
    kolkata = a_day(2026, 4, 5, ZoneInfo("Asia/Kolkata"))

    assert howe.hours == 24.5
    for day in (howe, kolkata):
        texts = [text for _, text in marks_of(day, Scale(day.begin, day.end, 900))]
        assert {text[3:5] for text in texts} == {"00"}
        assert len(texts) >= 8
