"""Which coming times of tasks other calendars would take away or add, before they are stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from engine.api.documents import Document, Source
from engine.api.next_fires import FireTimes, ScheduledTask, iso, stored
from engine.definitions.reader import ReadDefinitions, SourceFile, read
from engine.model.schedule import Schedule
from engine.planning.schedules.calendar_change import fire_changes
from engine.planning.schedules.timetable import Timetable

if TYPE_CHECKING:
    from engine.store.rows import DefinitionRow
    from engine.store.sql_store import Store

_MOST_FIRES, _LEAST_FIRES = 200_000, 1000  # that are looked at: of all tasks together, of each
_MOST_CHANGES = 100  # of one task that are named
_UNREADABLE = (ValueError, KeyError, TypeError, OverflowError)  # a calendar or zone that is not there


@dataclass(frozen=True, slots=True)
class _User:
    """A task with its timetables by the calendars of today and by others; None where it cannot be read."""

    row: DefinitionRow
    calendar: str
    tables: tuple[Timetable, Timetable] | None


def calendar_effects(
    store: Store, sources: Sequence[Source], zone: ZoneInfo, now: datetime
) -> list[Document]:
    """See ``Service.calendar_effects``."""
    users = list(_users(store, calendars_in(sources), FireTimes(stored(store), zone, now)))
    most = max(_LEAST_FIRES, _MOST_FIRES // max(1, len(users)))
    return [_document(user, now, most) for user in users]


def _users(store: Store, calendars: Mapping[str, Any], before: FireTimes) -> Iterator[_User]:
    after = before.with_calendars(calendars)
    for row in store.definitions("task"):
        task = ScheduledTask(row.id, row.content if isinstance(row.content, Mapping) else {})
        use = task.schedule.calendar if isinstance(task.schedule, Schedule) else None
        if use is not None and use.id in calendars:
            yield _User(row, use.id, _tables(task, before, after))


def _tables(task: ScheduledTask, before: FireTimes, after: FireTimes) -> tuple[Timetable, Timetable] | None:
    try:
        return before.timetable(task), after.timetable(task)
    except _UNREADABLE:
        return None


def _document(user: _User, now: datetime, most: int) -> Document:
    about = {"task": user.row.id, "state": user.row.state, "calendar": user.calendar}
    if user.tables is None:
        return {**about, "zone": None, "changes": []}
    changes = islice(fire_changes(*user.tables, now, most), _MOST_CHANGES)
    zone = user.tables[1].zone
    listed = [{"time": iso(each.at, zone), "gone": each.gone} for each in changes]
    return {**about, "zone": zone.key, "changes": listed}


def calendars_in(sources: Sequence[Source]) -> Mapping[str, Any]:
    """The trees of the calendars of files; Invalid with what is wrong with them."""
    files = [SourceFile(each["name"], each["text"].encode("utf-8", "surrogateescape")) for each in sources]
    found = read(files, {}, {})  # types are of no use: only calendars are looked at
    wrong = tuple(each for each in found.findings if not each.path or each.path[0] == "calendars")
    ReadDefinitions(found.definitions, wrong).valid()
    return dict(found.definitions.raw.get("calendars") or {})
