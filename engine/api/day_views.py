"""The instances of a day, page by page; a day is one of the workspace's zone."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from engine.api.documents import DayQuery, Document
from engine.api.views import local_time, utc
from engine.model.codes.commands import TIME_INVALID
from engine.model.errors import Invalid
from engine.planning.schedules.zones import first_moment
from engine.store.filters import InstanceCursor
from engine.store.rows import InstanceRow, time_text

if TYPE_CHECKING:
    from engine.store.sql_store import Store

_MOST_WAITING = 200
_FIRST, _LAST = date(1970, 1, 2), date(9000, 1, 1)  # what every zone has, and every clock can show


def day_document(store: Store, query: DayQuery, zone: ZoneInfo, now: datetime) -> Document:
    """See ``Service.day``; Invalid for what is no date."""
    day = now.astimezone(zone).date() if query.day is None else _date(query.day)
    begin, end = (time_text(_midnight(each, zone)) for each in (day, day + timedelta(days=1)))
    after = utc(query.after_time)
    behind = None if after is None else InstanceCursor(after, query.after)
    rows = store.on_timeline(begin, end, behind, query.limit)
    last = rows[-1] if len(rows) == query.limit else None
    return {
        "day": day.isoformat(),
        "zone": zone.key,
        "begin": local_time(begin, zone),
        "end": local_time(end, zone),
        "instances": [row._asdict() for row in rows],
        "next": {"after_time": last.scheduled_time, "after": last.instance} if last else None,
    }


def links_document(store: Store, row: InstanceRow) -> Document:
    """See ``Service.links``."""
    awaited = (each for each in store.links(row.id) if each.first_at)
    waiting = store.links_to(row.task, row.scheduled_time)[:_MOST_WAITING] if row.scheduled_time else ()
    those = filter(None, (store.instance(each.instance) for each in waiting))
    return {
        "upstream": [
            {"task": each.upstream, "first": each.first_at, "last": each.last_at} for each in awaited
        ],
        "downstream": [
            {"task": each.task, "first": each.scheduled_time, "last": each.scheduled_time} for each in those
        ],
    }


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return first_moment(datetime.combine(day, time()), zone)


def _date(text: str) -> date:
    try:
        found = date.fromisoformat(text)
        if not _FIRST <= found <= _LAST:
            raise ValueError(text)
    except ValueError as problem:
        raise Invalid.at(TIME_INVALID, "{where!r} is not a time in ISO 8601", text) from problem
    return found
