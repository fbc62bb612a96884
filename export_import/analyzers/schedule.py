"""What made the instance fire, and whether the clocks of its zone change here as they did at the site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from engine.model.calendar import Calendar
from engine.model.schedule import Schedule
from engine.model.states import Trigger
from engine.planning.schedules.fire_times import next_fire
from engine.planning.schedules.timetable import read_timetable
from engine.planning.schedules.working_days import working_days
from engine.store.rows import ScheduleRow, held_at
from export_import.desk.findings import Bilingual, CaseFinding, Study
from export_import.desk.zone_tables import zone_table

_FIRED = (Trigger.SCHEDULE, Trigger.CONDITION, Trigger.BACKFILL)
_INSTANT = timedelta(microseconds=1)


def analyze(study: Study) -> Iterator[CaseFinding]:
    """Of what a schedule started, or a backfill of one."""
    if study.row.trigger not in _FIRED:
        return
    held = held_at(study.evidence.store.schedules_of(study.row.task), study.row.scheduled_time)
    if held is None:  # a bundle of an older site
        return
    yield _fired(study, held)
    if (there := _zone_there(study, held.zone)) is not None and there != _zone_here(held.zone, there):
        yield _other_clocks(study, held.zone)
    held_then = held.since <= study.row.scheduled_time  # before that a backfill asked the definition
    if held.level != "condition" and held_then and not _fires(study, held):
        yield _no_fire_time(study)


def _fired(study: Study, held: ScheduleRow) -> CaseFinding:
    content = held.content if isinstance(held.content, Mapping) else {}
    what = held.cron or str(content.get("interval") or content.get("once") or held.level)
    facts = {"what": what, "level": held.level, "zone": held.zone, "since": held.since}
    trigger, due = study.row.trigger, study.row.due_at or "-"
    title = Bilingual.of(
        "Its schedule is {what} ({level}) in {zone}", "它的调度为 {what}（{level}），时区 {zone}", **facts
    )
    detail = Bilingual.of(
        "It has held since {since}. Made by: {trigger}; its time came at {due}.",
        "自 {since} 起生效。来源：{trigger}；到时时刻：{due}。",
        since=held.since, trigger=trigger, due=due,
    )  # fmt: skip
    return CaseFinding("info", title, detail, study.where())


def _other_clocks(study: Study, zone: str) -> CaseFinding:
    title = Bilingual.of(
        "The clocks of {zone} do not change here as they did at the site",
        "{zone} 的时钟变更在本处与现场不同",
        zone=zone,
    )
    detail = Bilingual(
        "One of both machines has older time-zone data: local times and fire times may differ by an hour.",
        "其中一台主机的时区数据较旧：本地时间和触发时间可能相差一小时。",
    )
    return CaseFinding("warning", title, detail, study.where())


def _no_fire_time(study: Study) -> CaseFinding:
    title = Bilingual(
        "Its time is no fire time of its schedule here", "按本处计算，其时间不是该调度的触发时间"
    )
    detail = Bilingual(
        "The calendar, the schedule or the time-zone data have changed since it was made.",
        "自该实例建立以来，日历、调度或时区数据已有变化。",
    )
    return CaseFinding("warning", title, detail, study.where())


def _zone_there(study: Study, zone: str) -> Mapping[str, Any] | None:
    tables = study.evidence.document("environment-now.json").get("time_zones")
    found = tables.get(zone) if isinstance(tables, Mapping) else None
    return found if isinstance(found, Mapping) and _is_span(found) else None


def _is_span(table: Mapping[str, Any]) -> bool:
    return all(type(table.get(name)) is int and 1900 <= table[name] <= 2200 for name in ("first", "last"))


def _zone_here(zone: str, there: Mapping[str, Any]) -> Mapping[str, Any]:
    return zone_table(zone, there["first"], there["last"])


def _fires(study: Study, held: ScheduleRow) -> bool:
    """Also where it cannot be told: its zone or calendar is not here."""
    time = datetime.fromisoformat(study.row.scheduled_time)
    try:
        schedule = Schedule.model_validate(held.content)
        rows = study.evidence.store.definitions("calendar")
        calendars = {row.id: working_days(row.id, Calendar.model_validate(row.content)) for row in rows}
        table = read_timetable(schedule, ZoneInfo(held.zone), calendars, datetime.fromisoformat(held.since))
    except (ValueError, KeyError, OSError):
        return True
    return next_fire(table, time - _INSTANT) == time
