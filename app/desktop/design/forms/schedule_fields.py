"""The fields of a task's schedule: its level, the keys that this level takes, and those of all levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

from app.desktop.design.forms.definition_scope import DefinitionScope
from app.desktop.design.forms.fields import Choice, Field
from app.desktop.design.forms.fields import FieldKind as K
from app.desktop.design.forms.key_words import key
from app.desktop.design.forms.labels import as_written
from app.desktop.design.picker.sources import FOR_PARAMS
from app.desktop.design.tree import REMOVE, Path, get
from engine.definitions.schedules import LEVELS, with_level
from engine.model.times import zone_names

WEEKDAYS: Final[Mapping[str, str]] = {
    "mon": "Monday", "tue": "Tuesday", "wed": "Wednesday", "thu": "Thursday", "fri": "Friday",
    "sat": "Saturday", "sun": "Sunday",
}  # fmt: skip
_DAYS: Final[tuple[Choice, ...]] = tuple(WEEKDAYS.items())
LEVEL_WORDS: Final[Mapping[str, str]] = {
    "manual": "only by hand or as a sub-task",
    "minute": "every so many minutes",
    "hour": "every so many hours",
    "day": "every so many days",
    "week": "once a week",
    "month": "once a month",
    "year": "once a year",
    "custom_hour": "at hours of my choice",
    "custom_day": "on days of the month of my choice",
    "custom_week": "on weekdays of my choice",
    "custom_month": "in months of my choice",
    "crontab": "by a cron expression",
    "interval": "at a fixed interval",
    "once": "a single time",
    "condition": "when a condition becomes true",
}
_TIME = "A time such as 2026-11-21T08:00:00; without an offset in the zone of the schedule."
LEVEL: Final = key(
    ("schedule",), K.LEVEL, "Starts", "Another choice begins with new values; the zone and the like stay.",
    "schedule", choices=tuple(LEVEL_WORDS.items()),
)  # fmt: skip
KEYS: Final[Mapping[str, Field]] = {
    "minute.every": key(("every",), K.NUMBER, "Minutes", "Counted from each full hour.", "schedule"),
    "hour.every": key(("every",), K.NUMBER, "Hours", "Counted from midnight, or from the first.", "schedule"),
    "day.every": key(("every",), K.NUMBER, "Days", "Counted from the 1st of each month.", "schedule"),
    "condition.every": key(("every",), K.DURATION, "Looks every", "1s at least.", "schedule"),
    "from": key(("from",), K.TEXT, "First time of day", "Such as 08:30; its minute is kept.", "schedule"),
    "to": key(("to",), K.TEXT, "Last time of day", "Included; may be on the next day.", "schedule"),
    "week.day": key(("day",), K.CHOICE, "Day of the week", "", "schedule", None, _DAYS),
    "month": key(("month",), K.NUMBER, "Month", "1 to 12.", "schedule"),
    "day": key(("day",), K.NUMBER, "Day of the month", "Left out where a month lacks it.", "schedule"),
    "hours": key(("hours",), K.NUMBERS, "Hours", "0 to 23, with commas.", "schedule"),
    "custom_week.days": key(("days",), K.WEEKDAYS, "Days of the week", "", "schedule", choices=_DAYS),
    "days": key(("days",), K.NUMBERS, "Days of the month", "1 to 31, with commas.", "schedule"),
    "months": key(("months",), K.NUMBERS, "Months", "1 to 12, with commas; on the 1st.", "schedule"),
    "at": key(("at",), K.TEXT, "Time of day", "Such as 08:30.", "schedule", "00:00"),
    "cron": key(
        ("cron",), K.TEXT, "Cron expression",
        "Quartz: seconds, minutes, hours, day of month, month, day of week; or five fields of Unix.",
        "schedule",
    ),
    "interval": key(("interval",), K.DURATION, "Interval", "Such as 90s or 2h; 1s at least.", "schedule"),
    "first": key(("first",), K.TEXT, "First time", "Without it: when the task goes online.", "schedule"),
    "once": key(("once",), K.TEXT, "Time", _TIME, "schedule"),
    "condition": key(
        ("condition",), K.CONDITION, "Condition", "It starts when this becomes true.", "schedule", None, (),
        FOR_PARAMS,
    ),
}  # fmt: skip
COMMON: Final = (
    key(("coming",), K.COMING, "The next ten times",
        "It starts by itself only while it is online: put it there by its menu in the list of tasks.",
        "schedule"),
    key(("timezone",), K.CHOICE, "Time zone", "Without one: that of the workspace.", "schedule"),
    key(("calendar",), K.CALENDAR, "Calendar", "What happens on its days off.", "schedule"),
    key(
        ("dst", "gap"), K.CHOICE, "A time that does not exist", "When clocks are put forward.", "schedule",
        "shift", (("shift", "starts at the first moment that does"), ("skip", "does not start")),
    ),
    key(
        ("dst", "overlap"), K.CHOICE, "A time that comes twice", "When clocks are put back.", "schedule",
        "first", (("first", "starts the first time"), ("last", "starts the last time"),
                  ("both", "starts both times")),
    ),
    key(("start",), K.TEXT, "Not before", _TIME, "schedule"),
    key(("end",), K.TEXT, "Not after", "A time, or a date for the whole of that day.", "schedule"),
    key(
        ("overlap",), K.CHOICE, "While an earlier one is unfinished", "", "lateness", "skip",
        (("skip", "this time is skipped"), ("wait", "it waits for it"), ("parallel", "both run")),
    ),
    key(
        ("catchup",), K.CHOICE, "Times that were missed", "While nothing ran here.", "lateness", "latest",
        (("none", "are left out"), ("latest", "only the latest is made up"), ("all", "are all made up")),
    ),
    key(("max",), K.NUMBER, "Made up at most", "The newest so many.", "lateness", 100),
)  # fmt: skip


def schedule_fields(scope: DefinitionScope) -> Iterator[Field]:
    """Of the task of a scope, as its schedule is now."""
    raw, place = scope.raw_task.get("schedule", REMOVE), ("tasks", scope.task, "schedule")
    yield replace(LEVEL, path=place, value=raw)
    if not isinstance(raw, Mapping):
        return
    given = with_level(raw)
    for each in _of_level(str(given.get("level"))):
        yield _filled(each, given, place)
    for each in COMMON:
        choices = _zones() if each.path == ("timezone",) else each.choices
        yield _filled(replace(each, choices=choices), given, place)


def _of_level(level: str) -> Iterator[Field]:
    keys = LEVELS.get(level)
    if keys is None:
        return
    order = list(dict.fromkeys(each.rpartition(".")[2] for each in KEYS))
    for name in sorted(keys.required | keys.optional, key=order.index):
        found = KEYS.get(f"{level}.{name}") or KEYS[name]
        yield replace(found, required=name in keys.required)


def _filled(field: Field, given: Mapping[str, Any], place: Path) -> Field:
    return replace(field, path=(*place, *field.path), value=get(given, field.path, REMOVE))


@cache
def _zones() -> tuple[Choice, ...]:
    return tuple((each, as_written(each)) for each in zone_names())
