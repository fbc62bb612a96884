"""The levels of a schedule as Quartz expressions."""

from __future__ import annotations

from typing import Any

import pytest

from engine.model.schedule import Schedule
from engine.planning.schedules.levels import cron_text
from tests.planning.schedules.timetables import first, timetable


@pytest.mark.parametrize(
    ("schedule", "cron"),
    [
        ({"level": "minute", "every": 5}, "0 0/5 * * * ?"),
        ({"level": "hour", "every": 5}, "0 0 0/5 * * ?"),
        ({"level": "day", "every": 3}, "0 0 0 1/3 * ?"),
        ({"level": "week", "day": "mon"}, "0 0 0 ? * 2"),
        ({"level": "month", "day": 5}, "0 0 0 5 * ?"),
        ({"level": "year", "month": 6, "day": 6}, "0 0 0 6 6 ?"),
        ({"level": "custom_hour", "hours": [1, 3, 9, 23]}, "0 0 1,3,9,23 * * ?"),
        ({"level": "custom_day", "days": [1, 5, 11, 22]}, "0 0 0 1,5,11,22 * ?"),
        ({"level": "custom_week", "days": ["mon", "wed", "sat"]}, "0 0 0 ? * 2,4,7"),
        ({"level": "custom_month", "months": [3, 5, 9]}, "0 0 0 1 3,5,9 ?"),
        ({"level": "day", "every": 1, "at": "02:30:15"}, "15 30 2 1/1 * ?"),
        ({"level": "custom_week", "days": ["sun", "mon"], "at": "06:00"}, "0 0 6 ? * 1,2"),
        ({"level": "hour", "every": 1, "from": "08:00", "to": "18:00"}, "0 0 8-18 * * ?"),
        ({"level": "hour", "every": 3, "from": "08:30", "to": "18:00"}, "0 30 8-17/3 * * ?"),
        ({"level": "hour", "every": 2, "from": "22:00", "to": "04:00"}, "0 0 22-4/2 * * ?"),
        ({"level": "crontab", "cron": "0 0 10-18 * * ?"}, "0 0 10-18 * * ?"),
        ({"level": "interval", "interval": 90}, None),
        ({"level": "once", "once": "2026-11-21"}, None),
    ],
)
def test_the_expression_that_a_level_becomes(schedule: dict[str, Any], cron: str | None) -> None:
    assert cron_text(Schedule.model_validate(schedule)) == cron


@pytest.mark.parametrize(
    ("schedule", "times"),
    [
        ({"from": "08:30", "to": "18:00"}, ["08:30", "11:30", "14:30", "17:30"]),
        ({"from": "22:15", "to": "05:00"}, ["01:15", "04:15", "22:15"]),
        ({"from": "20:00", "to": "08:00"}, ["02:00", "05:00", "08:00", "20:00", "23:00"]),
        ({"from": "17:00"}, ["17:00", "20:00", "23:00"]),
        ({"to": "07:00"}, ["00:00", "03:00", "06:00"]),
        ({"from": "12:00", "to": "12:00"}, ["12:00"]),
    ],
)
def test_hours_are_counted_from_the_first_and_may_pass_midnight(
    schedule: dict[str, str], times: list[str]
) -> None:
    table = timetable("Asia/Shanghai", level="hour", every=3, **schedule)

    day = first(table, "2026-11-20T23:59:59", len(times) + 1)

    assert day == [*(f"2026-11-21T{each}+08:00" for each in times), day[-1]]
    assert day[-1].startswith("2026-11-22")
