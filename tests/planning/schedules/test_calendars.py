"""What a calendar does to fires: left out, or moved to another working day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.calendar import Calendar
from engine.planning.schedules.fire_times import fires, next_fire, noted_fires
from engine.planning.schedules.working_days import WorkingDays, working_days
from tests.effort import effort
from tests.planning.schedules.timetables import first, timetable

SHANGHAI = "Asia/Shanghai"
HARBOUR = working_days("c", Calendar(off=("2026-10-01..2026-10-07",), work=("2026-10-10",)))


def table(on: str, zone: str = SHANGHAI, calendar: WorkingDays = HARBOUR, **schedule: Any) -> Any:
    return timetable(zone, {"c": calendar}, calendar={"id": "c", "on": on}, **schedule)


@pytest.mark.parametrize(
    ("day", "off"),
    [
        ("2026-09-30", False),
        ("2026-10-01", True),
        ("2026-10-07", True),
        ("2026-10-08", False),
        ("2026-10-10", False),
        ("2026-10-11", True),
    ],
)
def test_work_wins_over_days_off_and_those_over_the_weekend(day: str, off: bool) -> None:
    assert HARBOUR.is_off(date.fromisoformat(day)) is off


@pytest.mark.parametrize(
    ("on", "days"),
    [
        ("skip", ["09-29", "09-30", "10-08", "10-09", "10-10", "10-12"]),
        ("next", ["09-29", "09-30", "10-08", "10-09", "10-10", "10-12"]),
        ("previous", ["09-29", "09-30", "10-08", "10-09", "10-10", "10-12"]),
    ],
)
def test_each_day_fires_on_working_days_once(on: str, days: list[str]) -> None:
    found = first(table(on, level="day", every=1, at="18:00"), "2026-09-29T00:00", len(days))

    assert found == [f"2026-{each}T18:00+08:00" for each in days]


@pytest.mark.parametrize(
    ("on", "days"),
    [
        ("skip", ["2026-11-05", "2027-01-05"]),
        ("next", ["2026-10-08", "2026-11-05", "2026-12-07", "2027-01-05"]),
        ("previous", ["2026-09-30", "2026-11-05", "2026-12-04", "2027-01-05"]),
    ],
)
def test_the_fifth_of_each_month(on: str, days: list[str]) -> None:
    found = first(table(on, level="month", day=5, at="02:30"), "2026-09-29T00:00", len(days))

    assert found == [f"{each}T02:30+08:00" for each in days]


def test_a_fire_moves_out_of_days_off_that_began_before_the_moment_that_is_asked() -> None:
    moved = table("next", level="custom_day", days=[2], at="09:00")

    assert first(moved, "2026-10-06T00:00", 1) == ["2026-10-08T09:00+08:00"]


def test_a_moved_fire_keeps_to_the_clocks_of_its_new_day() -> None:
    berlin = working_days("c", Calendar(weekend=("sat",)))
    moved = table("next", "Europe/Berlin", berlin, level="week", day="sat", at="02:30")

    assert first(moved, "2026-03-27T00:00", 2) == ["2026-03-29T03:00+02:00", "2026-04-05T02:30+02:00"]


@pytest.mark.parametrize(
    ("on", "times"),
    [
        ("skip", ["10T04", "10T14", "12T06", "12T16"]),
        ("next", ["10T04", "10T14", "12T00", "12T06", "12T10", "12T16", "12T20"]),
        ("previous", ["10T00", "10T04", "10T10", "10T14", "10T20", "12T06", "12T16"]),
    ],
)
def test_an_interval_on_days_off(on: str, times: list[str]) -> None:
    every_ten_hours = table(on, level="interval", interval=36_000, first="2026-10-09T08:00")

    found = first(every_ten_hours, "2026-10-09T23:00", len(times))

    assert found == [f"2026-10-{each}:00+08:00" for each in times]


def test_a_single_start_on_a_day_off_is_left_out_or_moved() -> None:
    assert first(table("skip", level="once", once="2026-10-03T08:00"), "2026-09-01", 1) == []
    assert first(table("previous", level="once", once="2026-10-03T08:00"), "2026-09-01", 1) == [
        "2026-09-30T08:00+08:00"
    ]


def test_what_is_left_out_is_reported() -> None:
    daily = table("skip", level="day", every=1, at="18:00")
    begin = datetime(2026, 10, 9, tzinfo=ZoneInfo(SHANGHAI))

    found = list(noted_fires(daily, begin, begin + timedelta(days=3)))

    assert [(each.at.day, each.left_out, each.note and each.note.kind) for each in found] == [
        (9, False, None),
        (10, False, None),
        (11, True, "day_off"),
    ]


@pytest.mark.parametrize("on", ["skip", "next", "previous"])
def test_without_a_working_day_nothing_fires(on: str) -> None:
    never = WorkingDays("c", frozenset(range(7)))

    assert (
        next_fire(table(on, calendar=never, level="month", day=5), datetime(2026, 1, 1, tzinfo=UTC)) is None
    )


def _slow(schedule: dict[str, Any], days: WorkingDays, on: str, zone: ZoneInfo, year: int) -> set[datetime]:
    """Each local fire of a year, moved day by day."""
    plain = timetable(zone.key, **schedule)
    begin, end = datetime(year, 1, 1, tzinfo=zone), datetime(year + 1, 1, 1, tzinfo=zone)
    found = set()
    for moment in fires(plain, begin - timedelta(days=40), end + timedelta(days=40)):
        local = moment.astimezone(zone)
        while days.is_off(local.date()) and on != "skip":
            local += timedelta(days=1 if on == "next" else -1)
        if not days.is_off(local.date()):
            found.add(local.astimezone(UTC))
    return {each for each in found if begin < each <= end}


@pytest.mark.parametrize("on", ["skip", "next", "previous"])
@pytest.mark.parametrize("seed", range(effort(6, 40)))
def test_moved_fires_are_those_of_a_slow_reference(seed: int, on: str) -> None:
    random = Random(seed)
    off = sorted(date(2026, 1, 1) + timedelta(days=random.randrange(360)) for _ in range(8))
    ranges = tuple(f"{each}..{each + timedelta(days=random.randrange(9))}" for each in off)
    days = working_days("c", Calendar(off=ranges, work=(str(date(2026, random.randint(1, 12), 7)),)))
    schedule = random.choice(
        [
            {"level": "day", "every": random.randint(1, 9), "at": "07:15"},
            {"level": "custom_week", "days": ["mon", "thu", "sun"], "at": "23:30"},
            {"level": "month", "day": random.randint(1, 28)},
            {"level": "hour", "every": 5},
            {"level": "crontab", "cron": "0 0 0,12 L * ?"},
        ]
    )
    zone = ZoneInfo(SHANGHAI)

    found = set(
        fires(
            table(on, calendar=days, **schedule),
            datetime(2026, 1, 1, tzinfo=zone),
            datetime(2027, 1, 1, tzinfo=zone),
        )
    )

    assert found == _slow(schedule, days, on, zone, 2026)


CALENDARS = st.builds(
    lambda weekend, off, work: working_days("c", Calendar(weekend=tuple(weekend), off=tuple(off), work=tuple(work))),
    st.lists(st.sampled_from(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]), unique=True),
    st.lists(st.sampled_from(["2026-01-01..2026-03-31", "2026-03-10..2026-12-31", "2026-05-05", "2027-01-01..9999-12-31"])),
    st.lists(st.sampled_from(["2026-02-28", "2026-06-01..2026-06-30", "2027-12-24"])),
)  # fmt: skip


@given(CALENDARS, st.sampled_from(["skip", "next", "previous"]), st.sampled_from([
    {"level": "day", "every": 1}, {"level": "week", "day": "sat"}, {"level": "month", "day": 31},
    {"level": "interval", "interval": 43200.0}, {"level": "crontab", "cron": "0 0 8 L-2 * ?"},
]))  # fmt: skip
def test_what_is_passed_over_is_what_would_be_left_out(
    days: WorkingDays, on: str, schedule: dict[str, Any]
) -> None:
    made = table(on, calendar=days, **schedule)
    begin, end = datetime(2026, 1, 1, tzinfo=UTC), datetime(2028, 3, 1, tzinfo=UTC)

    found = list(fires(made, begin, end))

    assert found == [each.at for each in noted_fires(made, begin, end) if not each.left_out]


@given(CALENDARS, st.dates(date(2025, 12, 1), date(2028, 2, 1)))
def test_the_nearest_working_day_is_that_of_a_look_at_each_day(days: WorkingDays, day: date) -> None:
    def nearest(step: int) -> date | None:
        looked = (day + timedelta(days=step * count) for count in range(1, 3661))
        return next((each for each in looked if not days.is_off(each)), None)

    assert (days.next(day), days.previous(day)) == (nearest(1), nearest(-1))


@pytest.mark.parametrize("on", ["skip", "next", "previous"])
@pytest.mark.parametrize(
    "schedule",
    [{"level": "week", "day": "sat"}, {"level": "hour", "every": 1}, {"level": "interval", "interval": 90.0}],
)
def test_what_never_fires_is_found_without_a_look_at_each_day(
    on: str, schedule: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, is_off = [0], WorkingDays.is_off

    def counted(days: WorkingDays, day: date) -> bool:
        looks[0] += 1
        return is_off(days, day)

    monkeypatch.setattr(WorkingDays, "is_off", counted)
    weekend = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    days = working_days("c", Calendar(weekend=weekend, work=("2020-01-01",)))

    assert next_fire(table(on, calendar=days, **schedule), datetime(2031, 1, 1, tzinfo=UTC)) is None
    assert looks[0] < 3000  # 25,000 days are left until the last year


@pytest.mark.parametrize("on_day_off", ["skip", "next", "previous"])
def test_a_calendar_whose_days_of_work_are_over_fires_nothing_more(on_day_off: Any) -> None:
    # given a calendar that works on two days alone
    week = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    days = working_days("c", Calendar(weekend=week, work=("2026-11-24", "2026-11-26")))
    daily = table(on_day_off, "UTC", days, level="day", every=1, at="18:00")

    found = [each.date() for each in fires(daily, datetime(2026, 11, 24, tzinfo=UTC))]

    assert sorted(set(found)) == [date(2026, 11, 24), date(2026, 11, 26)]
    assert next_fire(daily, datetime(2026, 11, 27, tzinfo=UTC)) is None
