"""What ``skerry clock`` shows: the wall clock against the time since boot, what is held and why."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from engine.model.message import Message, facts_of
from engine.model.schedule import Schedule
from engine.model.states import TaskState
from engine.planning.schedules.clock_jumps import ClockReading
from engine.planning.schedules.fire_times import next_fire
from engine.planning.schedules.timetable import read_timetable
from engine.runtime.elapsed import iso
from engine.runtime.timing.clock_watch import clock_set, kept_state
from engine.runtime.timing.kept_schedules import calendars_of, schedule_of
from engine.store.sql_store import Store


def clock_document(reading: ClockReading, kept: Any, zone: tzinfo) -> dict[str, Any]:
    """``kept``: what the store remembers of the clock, None before any schedule has fired."""
    state = kept_state(kept)
    jump = reading.ahead_of(state.right) if state is not None else None
    held = state is not None and state.held is not None
    since = state.held.wall if state is not None and state.held is not None else None
    off = Message.of("the clock was set while the machine was off")
    why = (off if jump is None else clock_set(jump)) if held else None
    return {
        "wall": iso(reading.wall.astimezone(zone)),
        "uptime": round(reading.uptime, 3),
        "ahead": None if jump is None else round(jump.total_seconds(), 3) + 0.0,  # never -0.0
        "held": held,
        "since": since and iso(since.astimezone(zone)),
        "reason": why,
        "reason_facts": facts_of(why),
    }


def next_times(store: Store, zone: ZoneInfo, now: datetime) -> list[datetime | None]:
    """The next fire time, if any, of each online task with a schedule, also if no engine has fired it yet."""
    kept = {row.task: row.next_at for row in store.schedules()}
    found: list[datetime | None] = []
    for head in store.task_heads():
        schedule = schedule_of(store, head.task) if head.state == TaskState.ONLINE else None
        if schedule is None:
            continue
        if next_at := kept.get(head.task):
            found.append(datetime.fromisoformat(next_at))
        else:
            found.append(None if head.task in kept else _next_of(store, schedule, zone, now))
    return found


def how_many_online(store: Store) -> int:
    """The tasks that are online and have a schedule, whether an engine has fired it yet or not."""
    new = (schedule_of(store, task) for task in store.online_without_schedule())
    return store.how_many_hold() + sum(schedule is not None for schedule in new)


def nothing_fires(store: Store, zone: ZoneInfo, now: datetime) -> dict[str, Any]:
    """What ``skerry clock`` tells of schedules where none fires."""
    times = next_times(store, zone, now)
    soonest = min((time for time in times if time), default=None)
    return {"fires": False, "online": len(times), "next": soonest and iso(soonest)}


def _next_of(store: Store, schedule: Schedule, zone: ZoneInfo, now: datetime) -> datetime | None:
    try:
        return next_fire(read_timetable(schedule, zone, calendars_of(store, schedule), now), now)
    except (ValueError, KeyError):  # its calendar or zone is not there any more
        return None
