"""What another calendar does to coming fires, compared with all fires of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from engine.model.cron import read_cron
from engine.planning.schedules.calendar_change import fire_changes
from engine.planning.schedules.fire_times import fires
from engine.planning.schedules.timetable import Timetable
from engine.planning.schedules.working_days import WorkingDays

NOW = datetime(2026, 11, 28, 15, tzinfo=UTC)
DAILY = Timetable(
    read_cron("0 0 18 * * ?"), ZoneInfo("Asia/Shanghai"), days=WorkingDays("c", frozenset({5, 6}))
)
EVERY = {"on_day_off": st.sampled_from(["skip", "next", "previous"])}


def off(*ranges: tuple[date, date]) -> WorkingDays:
    return WorkingDays("c", frozenset({5, 6}), tuple(sorted(ranges)))


def days(draw: Callable[[Any], Any]) -> WorkingDays:
    begin = date(2026, 11, 20) + timedelta(days=draw(st.integers(0, 60)))
    return off((begin, begin + timedelta(days=draw(st.integers(0, 40)))))


@st.composite
def calendars(draw: Callable[[Any], Any]) -> WorkingDays:
    return days(draw)


@given(calendars(), calendars(), EVERY["on_day_off"])
def test_the_changes_are_what_one_has_and_the_other_has_not(
    before: WorkingDays, after: WorkingDays, on_day_off: Any
) -> None:
    old, new = (replace(DAILY, days=each, on_day_off=on_day_off) for each in (before, after))
    until = NOW + timedelta(days=300)

    found = [each for each in fire_changes(old, new, NOW, 10_000) if each.at <= until]

    ours, theirs = set(fires(old, NOW, until)), set(fires(new, NOW, until))
    assert [each.at for each in found] == sorted(ours ^ theirs)
    assert {each.at for each in found if each.gone} == ours - theirs


def test_a_change_years_ahead_is_found_also_for_a_task_of_each_minute() -> None:
    minutely = replace(DAILY, rule=read_cron("0 * * * * ?"))
    day = date(2033, 5, 3)  # a Tuesday

    found = list(fire_changes(minutely, replace(minutely, days=off((day, day))), NOW, 10_000))

    assert len(found) == 24 * 60
    assert {each.at.astimezone(DAILY.zone).date() for each in found if each.gone} == {day}
