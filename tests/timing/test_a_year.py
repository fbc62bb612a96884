"""The tasks of ``examples/calendar.yaml`` through a year: each time once, each partner that of a slow reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml

from engine.planning.schedules.fire_times import fires
from engine.store.rows import time_text
from tests.effort import effort
from tests.planning.schedules.timetables import timetable
from tests.timing.conftest import AT_ONCE, TimedSite

ZONE = ZoneInfo("Asia/Shanghai")  # its clocks do not change
BEGIN = datetime(2026, 11, 30, 22, 30, tzinfo=ZONE)
DAYS = effort(6, all=365)
MINUTES = 180  # as long the task of five minutes is online: it would be three quarters of all instances
EXAMPLE = yaml.safe_load((Path(__file__).parents[2] / "examples/calendar.yaml").read_text())["tasks"]

# What the file says, in plain words of a clock that shows ``t``; written from the definitions alone.
FIRES: Mapping[str, Callable[[datetime], bool]] = {
    "minutely": lambda t: t.minute % 5 == 0,
    "hourly": lambda t: t.minute == 0,
    "every_third_hour": lambda t: t.minute == 0 and t.hour in (0, 3, 6, 9, 12, 15, 18, 21),
    "hourly_on_third": lambda t: t.minute == 0,
    "working_hours": lambda t: t.minute == 0 and 8 <= t.hour <= 18,
    "daily": lambda t: (t.hour, t.minute) == (2, 0),
    "weekly": lambda t: t.isoweekday() == 1 and (t.hour, t.minute) == (0, 0),
    "monthly": lambda t: (t.day, t.hour, t.minute) == (5, 0, 0),
    "yearly": lambda t: (t.month, t.day, t.hour, t.minute) == (6, 6, 0, 0),
    "some_hours": lambda t: t.minute == 0 and t.hour in (1, 3, 9, 23),
    "some_days": lambda t: t.day in (1, 5, 11, 22) and (t.hour, t.minute) == (0, 0),
    "some_weekdays": lambda t: t.isoweekday() in (1, 3, 6) and (t.hour, t.minute) == (0, 0),
    "some_months": lambda t: (t.month, t.day) in ((3, 1), (5, 1), (9, 1)) and (t.hour, t.minute) == (0, 0),
    "free": lambda t: t.minute == 0 and 10 <= t.hour <= 18,
}

Times = Mapping[str, list[datetime]]
Partners = dict[str, list[datetime]]


def every(fires: Callable[[datetime], bool], end: datetime) -> list[datetime]:
    """Each fifth minute after the begin is looked at."""
    steps = range(1, (end - BEGIN) // timedelta(minutes=5) + 1)
    return [moment for moment in (BEGIN + timedelta(minutes=5 * step) for step in steps) if fires(moment)]


def partners(task: str, own: datetime, times: Times) -> Partners:
    """What an instance waits for, by its dependencies in words: every time of the other is looked at."""
    if task in ("every_third_hour", "hourly_on_third", "monthly"):
        other = {"every_third_hour": "hourly", "hourly_on_third": "every_third_hour"}.get(task, "daily")
        return {other: [each for each in times[other] if each <= own][-1:]}
    if task == "working_hours":
        return {task: [each for each in times[task] if each < own][-1:]}
    if task == "daily":
        yesterday = (own - timedelta(days=1)).date()
        of_yesterday = [each for each in times["hourly"] if each.date() == yesterday]
        return {"hourly": of_yesterday, task: [each for each in times[task] if each < own][-1:]}
    return {}


def passed_through(site: TimedSite) -> datetime:
    """The example is online until the end, which is returned; its jobs do nothing."""
    site.forward(seconds=(BEGIN - site.clock.wall).total_seconds())
    tasks = {id: {**tree, "state": "init", "nodes": {"a": AT_ONCE}} for id, tree in EXAMPLE.items()}
    site.engine.store.save_definitions({"tasks": tasks})
    site.service.move_tasks(list(tasks), "online")
    for _ in range(MINUTES // 5):
        site.forward(minutes=5)
    site.service.move_tasks(["minutely"], "offline")
    for _ in range(24 * DAYS):
        site.forward(minutes=60)
    site.settle()
    return site.clock.wall.astimezone(ZONE)


def waited_for(site: TimedSite, instance: int) -> dict[str, tuple[Any, ...]]:
    """By task the first and the last time, and how many there are."""
    links = site.engine.store.links(instance)
    assert all(each.decided_at for each in links)
    return {each.upstream: (_local(each.first_at), _local(each.last_at), each.partners) for each in links}


def _local(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).astimezone(ZONE) if text else None


@pytest.mark.timeout(effort(120, all=7200))
def test_each_time_has_one_instance_and_each_partner_is_the_one_of_a_slow_reference(site: TimedSite) -> None:
    end = passed_through(site)

    until = {"minutely": BEGIN + timedelta(minutes=MINUTES)}
    times = {task: every(fires, until.get(task, end)) for task, fires in FIRES.items()}
    for task in EXAMPLE:
        rows = site.engine.store.instances_between(task, time_text(BEGIN), time_text(until.get(task, end)))
        found = [datetime.fromisoformat(row.scheduled_time).astimezone(ZONE) for row in rows]
        assert (task, found) == (task, times[task])
        assert {row.status for row in rows} <= {"succeeded"}
        for row, own in zip(rows, found, strict=True):
            wanted = partners(task, own, times)
            spans = {
                other: (each[0], each[-1], len(each)) if each else (None, None, 0)
                for other, each in wanted.items()
            }
            assert (task, own, waited_for(site, row.id)) == (task, own, spans)


def test_a_year_of_each_schedule_is_the_one_of_a_slow_reference() -> None:
    end = BEGIN + timedelta(days=365)

    for task, rule in FIRES.items():
        found = list(fires(timetable(ZONE.key, **EXAMPLE[task]["schedule"]), BEGIN, end))

        assert (task, found) == (task, every(rule, end))
