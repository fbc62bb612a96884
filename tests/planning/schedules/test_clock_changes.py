"""Fire times where clocks change: a local time that does not exist, and one that comes twice."""

from __future__ import annotations

import pytest

from tests.planning.schedules.timetables import first, timetable

BERLIN, NEW_YORK, LORD_HOWE, APIA = "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"


@pytest.mark.parametrize(
    ("zone", "day", "at", "gap", "fires"),
    [
        (BERLIN, "2026-03-29", "02:30", "shift", "2026-03-29T03:00+02:00"),
        (BERLIN, "2026-03-29", "02:30", "skip", "2026-03-30T02:30+02:00"),
        (BERLIN, "2026-03-29", "02:00", "shift", "2026-03-29T03:00+02:00"),
        (BERLIN, "2026-03-29", "03:00", "shift", "2026-03-29T03:00+02:00"),
        (BERLIN, "2026-03-29", "01:59", "skip", "2026-03-29T01:59+01:00"),
        (NEW_YORK, "2026-03-08", "02:30", "shift", "2026-03-08T03:00-04:00"),
        (NEW_YORK, "2026-03-08", "02:30", "skip", "2026-03-09T02:30-04:00"),
        (LORD_HOWE, "2026-10-04", "02:15", "shift", "2026-10-04T02:30+11:00"),
        (LORD_HOWE, "2026-10-04", "02:15", "skip", "2026-10-05T02:15+11:00"),
        (LORD_HOWE, "2026-10-04", "02:30", "skip", "2026-10-04T02:30+11:00"),
        (APIA, "2011-12-30", "08:00", "shift", "2011-12-31T00:00+14:00"),
        (APIA, "2011-12-30", "08:00", "skip", "2011-12-31T08:00+14:00"),
    ],
)
def test_a_local_time_that_does_not_exist(zone: str, day: str, at: str, gap: str, fires: str) -> None:
    table = timetable(zone, level="day", every=1, at=at, dst={"gap": gap})

    before = f"{day}T00:00:00" if zone != APIA else "2011-12-29T12:00:00"
    assert first(table, before, 1) == [fires]


@pytest.mark.parametrize(
    ("zone", "day", "at", "overlap", "fires"),
    [
        (BERLIN, "2026-10-25", "02:30", "first", ["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"]),
        (BERLIN, "2026-10-25", "02:30", "last", ["2026-10-25T02:30+01:00", "2026-10-26T02:30+01:00"]),
        (BERLIN, "2026-10-25", "02:30", "both", ["2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00"]),
        (BERLIN, "2026-10-25", "03:00", "both", ["2026-10-25T03:00+01:00", "2026-10-26T03:00+01:00"]),
        (NEW_YORK, "2026-11-01", "01:30", "first", ["2026-11-01T01:30-04:00", "2026-11-02T01:30-05:00"]),
        (NEW_YORK, "2026-11-01", "01:30", "last", ["2026-11-01T01:30-05:00", "2026-11-02T01:30-05:00"]),
        (NEW_YORK, "2026-11-01", "01:30", "both", ["2026-11-01T01:30-04:00", "2026-11-01T01:30-05:00"]),
        (LORD_HOWE, "2026-04-05", "01:45", "first", ["2026-04-05T01:45+11:00", "2026-04-06T01:45+10:30"]),
        (LORD_HOWE, "2026-04-05", "01:45", "last", ["2026-04-05T01:45+10:30", "2026-04-06T01:45+10:30"]),
        (LORD_HOWE, "2026-04-05", "01:45", "both", ["2026-04-05T01:45+11:00", "2026-04-05T01:45+10:30"]),
    ],
)
def test_a_local_time_that_comes_twice(zone: str, day: str, at: str, overlap: str, fires: list[str]) -> None:
    table = timetable(zone, level="day", every=1, at=at, dst={"overlap": overlap})

    assert first(table, f"{day}T00:00:00", 2) == fires


@pytest.mark.parametrize("dst", [{}, {"gap": "skip", "overlap": "last"}, {"overlap": "both"}])
@pytest.mark.parametrize(
    ("zone", "after", "schedule", "fires"),
    [
        (
            BERLIN,
            "2026-03-29T01:29:00+01:00",
            {"level": "minute", "every": 30},
            ["2026-03-29T01:30+01:00", "2026-03-29T03:00+02:00", "2026-03-29T03:30+02:00"],
        ),
        (
            BERLIN,
            "2026-10-25T02:00:00+02:00",
            {"level": "hour", "every": 1},
            ["2026-10-25T02:00+01:00", "2026-10-25T03:00+01:00"],
        ),
        (
            NEW_YORK,
            "2026-11-01T00:30:00-04:00",
            {"cron": "0 30 0-2 * * ?", "level": "crontab"},
            ["2026-11-01T01:30-04:00", "2026-11-01T01:30-05:00", "2026-11-01T02:30-05:00"],
        ),
        (
            LORD_HOWE,
            "2026-10-04T01:15:00+10:30",
            {"level": "hour", "every": 1, "from": "00:15", "to": "06:15"},
            ["2026-10-04T03:15+11:00", "2026-10-04T04:15+11:00"],
        ),
        (
            BERLIN,
            "2026-10-25T00:00:00+02:00",
            {"level": "interval", "interval": 5400, "first": "2026-10-25T00:00"},
            ["2026-10-25T01:30+02:00", "2026-10-25T02:00+01:00", "2026-10-25T03:30+01:00"],
        ),
    ],
)
def test_where_hours_are_every_hour_or_a_plain_range_time_is_real(
    zone: str, after: str, schedule: dict[str, object], fires: list[str], dst: dict[str, str]
) -> None:
    table = timetable(zone, **schedule, dst=dst)

    assert first(table, after, len(fires)) == fires


def test_fires_that_fall_on_one_moment_are_one() -> None:
    table = timetable(BERLIN, level="crontab", cron="0 0/20 2,3 * * ?")

    assert first(table, "2026-03-29T00:00:00", 3) == [
        "2026-03-29T03:00+02:00",
        "2026-03-29T03:20+02:00",
        "2026-03-29T03:40+02:00",
    ]


def test_clocks_that_are_set_back_over_midnight_keep_the_order_of_time() -> None:
    table = timetable("America/St_Johns", level="minute", every=30)

    assert first(table, "2006-10-28T23:00:00", 5) == [
        "2006-10-28T23:30-02:30",
        "2006-10-29T00:00-02:30",
        "2006-10-28T23:30-03:30",
        "2006-10-29T00:00-03:30",
        "2006-10-29T00:30-03:30",
    ]


@pytest.mark.parametrize(
    ("dst", "fires"),
    [
        ({}, ["2026-03-29T03:00+02:00"]),
        ({"gap": "skip"}, []),
    ],
)
def test_a_single_start_follows_the_clock_changes_too(dst: dict[str, str], fires: list[str]) -> None:
    table = timetable(BERLIN, level="once", once="2026-03-29T02:30", dst=dst)

    assert first(table, "2026-01-01", 2) == fires
