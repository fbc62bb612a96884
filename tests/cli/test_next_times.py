"""``skerry next`` against times that are reckoned minute by minute in the zone of the schedule."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.cli.conftest import Skerry

# each level of the definition file, its cron text, and the local times at which that fires
CRON_TEXTS: dict[str, tuple[str, Callable[[datetime], bool]]] = {
    "{level: minute, every: 5}": ("0 0/5 * * * ?", lambda at: at.minute % 5 == 0),
    "{level: hour, every: 5}": ("0 0 0/5 * * ?", lambda at: at.minute == 0 and at.hour % 5 == 0),
    "{level: day, every: 3}": ("0 0 0 1/3 * ?", lambda at: midnight(at) and at.day % 3 == 1),
    "{level: week, day: mon}": ("0 0 0 ? * 2", lambda at: midnight(at) and at.isoweekday() == 1),
    "{level: month, day: 5}": ("0 0 0 5 * ?", lambda at: midnight(at) and at.day == 5),
    "{level: year, month: 6, day: 6}": (
        "0 0 0 6 6 ?",
        lambda at: midnight(at) and (at.month, at.day) == (6, 6),
    ),
    "{level: custom_hour, hours: [1, 3, 9, 23]}": (
        "0 0 1,3,9,23 * * ?",
        lambda at: at.minute == 0 and at.hour in (1, 3, 9, 23),
    ),
    "{level: custom_day, days: [1, 5, 11, 22]}": (
        "0 0 0 1,5,11,22 * ?",
        lambda at: midnight(at) and at.day in (1, 5, 11, 22),
    ),
    "{level: custom_week, days: [mon, wed, sat]}": (
        "0 0 0 ? * 2,4,7",
        lambda at: midnight(at) and at.isoweekday() in (1, 3, 6),
    ),
    "{level: custom_month, months: [3, 5, 9]}": (
        "0 0 0 1 3,5,9 ?",
        lambda at: midnight(at) and at.day == 1 and at.month in (3, 5, 9),
    ),
}


def midnight(at: datetime) -> bool:
    return (at.hour, at.minute) == (0, 0)


@pytest.mark.parametrize("schedule", CRON_TEXTS)
def test_each_level_has_its_cron_text_and_fires_as_that_says(
    skerry: Skerry, tmp_path: Path, schedule: str
) -> None:
    cron, fires = CRON_TEXTS[schedule]
    begin = schedule.replace("}", ", timezone: Asia/Shanghai}")
    text = f'skerry: 1\ntasks: {{t: {{schedule: {begin}, nodes: {{a: {{type: shell, process: "true"}}}}}}}}\n'
    (tmp_path / "t.yaml").write_text(text)
    assert skerry("load", str(tmp_path / "t.yaml")).status == 0
    after = datetime(2027, 1, 1, 0, 0, tzinfo=ZoneInfo("Asia/Shanghai"))

    found = skerry("next", "t", "--from", after.isoformat(), "-n", "4", "--json").document
    zone = ("--timezone", "Asia/Shanghai")
    same = skerry("next", "--cron", cron, *zone, "--from", after.isoformat(), "-n", "4", "--json")

    minutes = (after + timedelta(minutes=count) for count in range(1, 5 * 366 * 24 * 60))
    expected = list(islice((each for each in minutes if fires(each)), 4))
    assert found["cron"] == cron
    assert [datetime.fromisoformat(each["time"]) for each in found["times"]] == expected
    assert same.document["times"] == found["times"]


@pytest.mark.parametrize(
    ("cron", "expected"),
    [
        # 30 December 2011 was left out in Samoa: after 29 December 23:59:59 -10:00 came the 31st, +14:00
        ("0 0 12 * * ?", ["29T12:00-10:00", "31T00:00+14:00", "31T12:00+14:00"]),
        ("0 0 0 * * ?", ["29T00:00-10:00", "31T00:00+14:00"]),
        ("0 0 * ? * *", ["29T23:00-10:00", "31T00:00+14:00", "31T01:00+14:00"]),
        ("0 0 8 30 12 ?", ["31T00:00+14:00"]),
    ],
)
def test_the_day_that_samoa_left_out(skerry: Skerry, cron: str, expected: list[str]) -> None:
    apia = ZoneInfo("Pacific/Apia")
    assert datetime(2011, 12, 30, 9, 59, 59, tzinfo=UTC).astimezone(apia).day == 29
    assert datetime(2011, 12, 30, 10, tzinfo=UTC).astimezone(apia).day == 31

    found = skerry("next", "--cron", cron, "--timezone", "Pacific/Apia", "--from", "2011-12-28T12:00:01-10:00",
                   "-n", "40", "--json").document  # fmt: skip

    times = [datetime.fromisoformat(each["time"]) for each in found["times"] if each["time"]]
    wanted = [datetime.fromisoformat(f"2011-12-{each}") for each in expected]
    assert times[times.index(wanted[0]) :][: len(wanted)] == wanted
