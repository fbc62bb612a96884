"""Generated expressions against a matching of every minute, and against croniter."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from random import Random
from zoneinfo import ZoneInfo

import pytest
from croniter import croniter

from engine.planning.schedules.fire_times import fires
from tests.effort import effort
from tests.planning.schedules.slow_reference import slow_fires
from tests.planning.schedules.timetables import timetable

CHANGES = (
    ("Europe/Berlin", "2026-03-29T01:00Z"),
    ("Europe/Berlin", "2026-10-25T01:00Z"),
    ("America/New_York", "2026-03-08T07:00Z"),
    ("America/New_York", "2026-11-01T06:00Z"),
    ("Australia/Lord_Howe", "2026-04-04T15:00Z"),
    ("Australia/Lord_Howe", "2026-10-03T15:30Z"),
    ("Pacific/Apia", "2011-12-30T10:00Z"),
    ("America/St_Johns", "2006-10-29T02:31Z"),
    ("Asia/Beirut", "2026-10-24T21:00Z"),
    ("Asia/Shanghai", "2026-02-28T00:00Z"),
    ("UTC", "2028-02-29T00:00Z"),
)
BATCHES = effort(4, 20)
EACH = effort(15, 500)


def _values(random: Random, low: int, high: int, words: tuple[str, ...] = ()) -> str:
    def one() -> str:
        value = random.randint(low, high)
        return words[value - low] if words and random.random() < 0.3 else str(value)

    form = random.randrange(7)
    if form == 0:
        return "*"
    if form == 1:
        return f"{random.choice(['*', '', one()])}/{random.randint(1, min(high, 12))}"
    if form == 2:
        return f"{one()}-{one()}"
    if form == 3:
        return f"{one()}-{one()}/{random.randint(1, 5)}"
    return ",".join(one() for _ in range(random.randint(1, 4)))


def quartz(random: Random) -> str:
    """Any expression that Quartz takes, more often one with many days."""
    months = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
    weekdays = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
    day, weekday = "?", "?"
    if random.random() < 0.6:
        special = (
            "L",
            "LW",
            f"L-{random.randint(1, 30)}",
            f"{random.randint(1, 31)}W",
            f"L-{random.randint(1, 9)}W",
        )
        day = random.choice(["*", "1/1", _values(random, 1, 31), random.choice(special)])
    else:
        one = random.choice([random.choice(weekdays), str(random.randint(1, 7))])
        special = ("L", f"{one}L", f"{one}#{random.randint(1, 5)}")
        weekday = random.choice(["*", _values(random, 1, 7, weekdays), random.choice(special)])
    second = random.choice(["0", "0", str(random.randrange(60)), "0/30"])
    month = random.choice(["*", "*", "*", _values(random, 1, 12, months)])
    year = random.choice(["", "", "", " *", " 2000-2050", " 2026/2"])
    return f"{second} {_values(random, 0, 59)} {_values(random, 0, 23)} {day} {month} {weekday}{year}"


@pytest.mark.parametrize("batch", range(BATCHES))
def test_generated_expressions_fire_where_a_look_at_every_minute_finds_them(batch: int) -> None:
    random = Random(batch)
    for _ in range(EACH):
        cron, (name, change) = quartz(random), random.choice(CHANGES)
        begin = datetime.fromisoformat(change) - timedelta(hours=random.randint(0, 30))
        end = begin + timedelta(hours=36)
        gap, overlap = random.choice(["shift", "skip"]), random.choice(["first", "last", "both"])

        table = timetable(name, level="crontab", cron=cron, dst={"gap": gap, "overlap": overlap})

        expected = slow_fires(cron, ZoneInfo(name), begin, end, gap, overlap)  # type: ignore[arg-type]
        assert list(fires(table, begin, end)) == expected, (cron, name, begin, gap, overlap)


def _unix(random: Random) -> str:
    def step() -> str:
        return f"*/{random.randint(1, 20)}"

    def days(low: int, high: int) -> str:
        return random.choice(["*", "*", str(random.randint(low, high)), f"{low}-{random.randint(low, high)}"])

    minute = random.choice([step(), str(random.randrange(60)), "0,15,59"])
    weekday = random.choice([days(0, 7), "MON-FRI", "sun", "7", "0,6"])
    return f"{minute} {days(0, 23)} {days(1, 28)} {random.choice(['*', '*/2', 'JAN-JUN'])} {weekday}"


@pytest.mark.parametrize("batch", range(BATCHES))
def test_unix_lines_fire_when_croniter_says(batch: int) -> None:
    random = Random(batch)
    for _ in range(EACH):
        line, begin = _unix(random), datetime(2026, random.randint(1, 12), 15, tzinfo=UTC)

        found = islice(fires(timetable("UTC", level="crontab", cron=line), begin), 5)

        assert list(found) == list(islice(croniter(line, begin).all_next(datetime), 5)), line


@pytest.mark.parametrize("batch", range(BATCHES))
def test_plain_quartz_expressions_fire_when_croniter_says(batch: int) -> None:
    """Where the two mean the same: no special forms, and weekdays by name."""
    random = Random(batch)
    for _ in range(EACH):
        minute, hour = _values(random, 0, 59).replace("-", ","), f"*/{random.randint(1, 6)}"
        weekday = random.choice(["MON-FRI", "SUN,SAT", "TUE", "*"])
        begin = datetime(2026, random.randint(1, 12), 15, tzinfo=UTC)
        minute = minute if "/" not in minute else f"*/{random.randint(1, 20)}"

        found = islice(
            fires(timetable("UTC", level="crontab", cron=f"0 {minute} {hour} ? * {weekday}"), begin), 5
        )

        other = croniter(f"{minute} {hour} * * {weekday}", begin)
        assert list(found) == list(islice(other.all_next(datetime), 5)), (minute, hour, weekday)
