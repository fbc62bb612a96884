"""How quickly the fires of a day are there, against croniter on the same expressions.

    python -m benchmarks.schedules [--schedules 10000] [--rounds 3]

CPU seconds of this process, interleaved; both read their expressions again each time. croniter counts in
naive local time, so that zones and clock changes are on our side only.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from croniter import croniter

from engine.model.calendar import Calendar
from engine.model.schedule import CalendarUse, Schedule
from engine.planning.schedules.fire_times import fires, next_fire
from engine.planning.schedules.timetable import read_timetable
from engine.planning.schedules.working_days import working_days

BEGIN = datetime(2026, 11, 24)  # noqa: DTZ001
ZONES = ("Asia/Shanghai", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC")
NEVER = ("0 0 0 30 2 ?", "0 0 0 31 4,6,9,11 ?", "0 0 0 L-30 2 ?", "0 0 0 1 1 ? 2020", "0 0 31 2 *")


WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
CLOSED = working_days("c", Calendar(weekend=WEEK, work=("2020-01-01",)))
ALWAYS_OFF = [
    Schedule(level="week", day="sat", calendar=CalendarUse(id="c")),
    Schedule(level="hour", every=1, calendar=CalendarUse(id="c", on="next")),
    Schedule(level="interval", interval=90.0, calendar=CalendarUse(id="c", on="previous")),
]


def schedules(count: int) -> list[Schedule]:
    """In several zones: mostly once a day, some every few hours, few every half hour."""
    made = random.Random(7)

    def minute() -> int:
        return made.randrange(60)

    def hour() -> int:
        return made.randrange(24)

    shapes: tuple[tuple[int, Callable[[], str]], ...] = (
        (60, lambda: f"0 {minute()} {hour()} * * ?"),
        (15, lambda: f"0 {minute()} {hour()} ? * MON-FRI"),
        (5, lambda: f"0 {minute()} {hour()} {made.randint(1, 28)} * ?"),
        (10, lambda: f"0 {minute()} {hour() % 4}/{made.choice((2, 4, 6))} * * ?"),
        (6, lambda: f"0 {minute()} 8-18 * * ?"),
        (3, lambda: f"0 {minute()} * * * ?"),
        (1, lambda: "0 0/30 * * * ?"),
    )
    chosen = made.choices([shape for _, shape in shapes], [weight for weight, _ in shapes], k=count)
    return [Schedule(level="crontab", cron=shape(), timezone=made.choice(ZONES)) for shape in chosen]


def ours(given: list[Schedule]) -> int:
    """The fires of the day, counted."""
    found = 0
    for schedule in given:
        table = read_timetable(schedule, ZoneInfo("UTC"), {}, BEGIN.replace(tzinfo=UTC))
        begin = BEGIN.replace(tzinfo=table.zone)
        found += sum(1 for _ in fires(table, begin, begin + timedelta(days=1)))
    return found


def theirs(given: list[str]) -> int:
    """The same by croniter, which has no `?` in two fields."""
    found, end = 0, BEGIN + timedelta(days=1)
    for text in given:
        iterator = croniter(text.replace("?", "*"), BEGIN, second_at_beginning=True)
        while iterator.get_next(datetime) <= end:
            found += 1
    return found


def took(work: Callable[[], object]) -> float:
    """CPU seconds of a call."""
    began = time.process_time()
    work()
    return time.process_time() - began


def slowest_never() -> float:
    """Seconds until an expression is known never to fire, of the slowest."""
    now = BEGIN.replace(tzinfo=UTC)
    tables = [
        read_timetable(Schedule(level="crontab", cron=text), ZoneInfo("UTC"), {}, now) for text in NEVER
    ]
    tables += [read_timetable(each, ZoneInfo("UTC"), {"c": CLOSED}, now) for each in ALWAYS_OFF]
    return max(took(lambda table=table: next_fire(table, now)) for table in tables)  # type: ignore[misc]


def main() -> None:
    """Print the medians."""
    options = argparse.ArgumentParser()
    options.add_argument("--schedules", type=int, default=10_000)
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    given = schedules(chosen.schedules)
    texts = [str(each.cron) for each in given]
    count = ours(given)
    assert count == theirs(texts), "the two fire differently"
    rounds = [(took(lambda: ours(given)), took(lambda: theirs(texts))) for _ in range(chosen.rounds)]
    print(f"fires of the day          {count:>8}")
    print(f"ours                      {statistics.median(own for own, _ in rounds):>8.2f} s")
    print(f"croniter                  {statistics.median(other for _, other in rounds):>8.2f} s")
    print(f"ratio                     {statistics.median(own / other for own, other in rounds):>8.2f}")
    print(f"never fires, the slowest  {1000 * slowest_never():>8.2f} ms")


if __name__ == "__main__":
    main()
