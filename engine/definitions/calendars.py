"""From a calendar's part of the file to a Calendar."""

from __future__ import annotations

from typing import Any

from engine.definitions.fit import fit
from engine.definitions.jobs import check_id
from engine.definitions.notes import Notes, shown
from engine.model.calendar import Calendar
from engine.model.codes import schedules
from engine.model.findings import Loc
from engine.model.message import Message
from engine.planning.schedules.working_days import date_range

_NO_CALENDAR = Calendar()  # in place of one that cannot be read


def read_calendar(name: str, raw: Any, path: Loc, notes: Notes) -> Calendar:
    """The calendar ``name``; dates that cannot be read are noted and left out."""
    if not isinstance(raw, dict):
        notes.wrong_type("expected a calendar (a map), found {found}", path, raw, key=True)
        return _NO_CALENDAR
    check_id(name, path, notes, raw)
    calendar = fit(Calendar, raw, path, notes) or _NO_CALENDAR
    if len(set(calendar.weekend)) == 7 and not calendar.work:
        message = "every day of the week is a day off and `work` is empty: there is no working day"
        notes.error(schedules.CALENDAR_WITHOUT_WORK, message, path, key=True)
    return calendar.model_copy(
        update={key: _dates(getattr(calendar, key), (*path, key), notes) for key in ("off", "work")}
    )


def _dates(texts: tuple[str, ...], path: Loc, notes: Notes) -> tuple[str, ...]:
    problems = {index: wrong for index, text in enumerate(texts) if (wrong := _problem(text))}
    for index, wrong in problems.items():
        facts = {"name": path[-1], "problem": wrong, "found": shown(texts[index])}
        message = Message.of("`{name}`: {problem}, found {found}", **facts)
        notes.error(schedules.CALENDAR_DATE, message, (*path, index))
    return tuple(text for index, text in enumerate(texts) if index not in problems)


def _problem(text: str) -> Message | None:
    try:
        first, last = date_range(text)
    except ValueError:
        return Message.of("expected a date such as 2026-10-01, or a range such as 2026-10-01..2026-10-07")
    return Message.of("the last day is before the first") if last < first else None
