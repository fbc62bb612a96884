"""Which keys each level of a schedule takes, and what a dependency may be (contract 2.6)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from engine.definitions.explain import names
from engine.definitions.fit import fit
from engine.definitions.notes import Notes, did_you_mean, listed, shown
from engine.model.codes import definitions as codes
from engine.model.codes import schedules
from engine.model.cron import cron_problem
from engine.model.findings import Loc
from engine.model.message import Message
from engine.model.quantities import seconds
from engine.model.schedule import Dependency, Schedule
from engine.model.times import known_zone, moment_in
from engine.planning.schedules.timetable import last_moment, moment


class LevelKeys(NamedTuple):
    """The keys of one level, and whether its tasks may have dependencies."""

    required: frozenset[str]
    optional: frozenset[str] = frozenset()
    windows: frozenset[str] | None = None  # None: every window


def _keys(required: str, optional: str = "", windows: str | None = None) -> LevelKeys:
    allowed = None if windows is None else frozenset(windows.split())
    return LevelKeys(frozenset(required.split()), frozenset(optional.split()), allowed)


LEVELS: Mapping[str, LevelKeys] = {
    "minute": _keys("every"),
    "hour": _keys("every", "from to"),
    "day": _keys("every", "at"),
    "week": _keys("day", "at"),
    "month": _keys("day", "at"),
    "year": _keys("month day", "at"),
    "custom_hour": _keys("hours"),
    "custom_day": _keys("days", "at"),
    "custom_week": _keys("days", "at"),
    "custom_month": _keys("months", "at"),
    "crontab": _keys("cron", windows=""),
    "interval": _keys("interval", "first", windows="latest"),
    "once": _keys("once", windows="latest"),
    "condition": _keys("condition every", windows=""),
}
COMMON = frozenset({"level", "timezone", "start", "end", "catchup", "max", "overlap", "dst", "calendar"})
_ALONE = {"cron": "crontab", "interval": "interval", "once": "once", "condition": "condition"}
_RANGES = {
    "minute": {"every": (1, 59)},
    "hour": {"every": (1, 23)},
    "day": {"every": (1, 31)},
    "month": {"day": (1, 31)},
    "year": {"day": (1, 31)},
    "custom_hour": {"hours": (0, 23)},
    "custom_day": {"days": (1, 31)},
    "custom_month": {"months": (1, 12)},
}
_PERIODS = {"minute": 60, "hour": 24}
_WEEKDAYS = {"week": "day", "custom_week": "days"}
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTH_DAYS = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}
_TIME_OF_DAY = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?")


def read_schedule(raw: Any, path: Loc, notes: Notes) -> Schedule | str | None:
    """The schedule, ``manual``, or None. A level that its only key implies (``cron:``) is filled in."""
    if raw is None or raw == "manual":
        return "manual" if raw else None
    if not isinstance(raw, dict):
        hint = did_you_mean(raw, ["manual"]) if isinstance(raw, str) else ""
        message = "`schedule`: expected a map or manual, found {found}{hint}"
        notes.wrong_type(message, path, raw, hint=hint)
        return None
    before = notes.errors
    given = with_level(raw)
    made = fit(Schedule, given, path, notes)
    if made is None or made.level is None:
        if raw.get("level") is None:
            text = "`level` is required here: {levels}"
            notes.error(codes.SCHEDULE_KEYS, text, path, key=True, levels=listed(LEVELS))
        return made
    _check_keys(made.level, given, path, notes)
    if notes.errors == before:
        _check_values(made.level, given, path, notes)
    if notes.errors == before:
        _check_meaning(made.level, given, path, notes)
    return made


def with_level(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The keys with the level that they tell; ``level: once`` may write its moment as ``time``."""
    alone = [level for key, level in _ALONE.items() if key in raw]
    given = dict(raw) if "level" in raw or len(alone) != 1 else {"level": alone[0], **raw}
    if given.get("level") == "once" and "once" not in given and "time" in given:
        given["once"] = given.pop("time")
    return given


def _check_keys(level: str, given: Mapping[str, Any], path: Loc, notes: Notes) -> None:
    keys = LEVELS[level]
    for missing in sorted(keys.required - {key for key, value in given.items() if value is not None}):
        message = "the level {level} needs `{name}`"
        notes.error(codes.SCHEDULE_KEYS, message, path, key=True, level=level, name=missing)
    for key in given:
        if key in _SCHEDULE and key not in keys.required | keys.optional | COMMON:
            takes = listed(f"`{each}`" for each in sorted(keys.required | keys.optional))
            message = "the level {level} has no `{name}`; it takes {takes}"
            notes.error(
                codes.SCHEDULE_KEYS, message, (*path, key), key=True, level=level, name=key, takes=takes
            )


_SCHEDULE = names(Schedule)


def _check_values(level: str, given: Mapping[str, Any], path: Loc, notes: Notes) -> None:
    """What the shapes cannot tell: ranges, times, zones, cron fields, steps with a remainder."""
    for key, bounds in _RANGES.get(level, {}).items():
        _check_range(given[key], bounds, (*path, key), notes)
    for key, problem in _wrong_times(level, given):
        message = "`{name}`: {problem}, found {found}"
        notes.error(
            codes.SCHEDULE_TIME, message, (*path, key), name=key, problem=problem, found=shown(given[key])
        )
    if level == "crontab" and (wrong := cron_problem(given["cron"])):
        notes.error(codes.CRON_SYNTAX, "`cron`: {problem}", (*path, "cron"), problem=wrong)
    every = given.get("every")
    if isinstance(every, int) and every > 0 and _uneven(level, every):
        again = {"minute": "the full hour", "hour": "midnight", "day": "the 1st of the month"}[level]
        text = "every {every} starts again at {time}"
        notes.warning(codes.UNEVEN_STEP, text, (*path, "every"), every=every, time=again)


def _check_meaning(level: str, given: Mapping[str, Any], path: Loc, notes: Notes) -> None:
    """What values that are right by themselves are together."""
    _check_span(given, path, notes)
    for key in ("interval", "every") if level in ("interval", "condition") else ():
        if key in given and seconds(given[key]) < 1:
            notes.error(
                codes.SCHEDULE_TIME,
                "`{name}`: expected 1 s at least, found {found}",
                (*path, key),
                name=key,
                found=shown(given[key]),
            )
    if level == "year" and (given["month"], given["day"]) == (2, 29):
        message = "only leap years have this day: the others are left out"
        notes.warning(schedules.DAY_LEFT_OUT, message, (*path, "day"))
    for key, index in _rare_days(level, given):
        message = "some months lack this day: they are left out"
        notes.warning(schedules.DAY_LEFT_OUT, message, (*path, key, *index))


def _check_span(given: Mapping[str, Any], path: Loc, notes: Notes) -> None:
    start, end, zone = given.get("start"), given.get("end"), ZoneInfo(given.get("timezone") or "UTC")
    if start and end and last_moment(end, zone) < moment(start, zone):
        message = "`end`: {end} is before the start {start}"
        notes.error(schedules.END_BEFORE_START, message, (*path, "end"), end=shown(end), start=shown(start))


def _rare_days(level: str, given: Mapping[str, Any]) -> Iterator[tuple[str, Loc]]:
    """Where a day of the month is named that some months lack."""
    if level == "month" and given["day"] > 28:
        yield "day", ()
    if level == "custom_day":
        yield from (("days", (index,)) for index, day in enumerate(given["days"]) if day > 28)


def _uneven(level: str, every: int) -> bool:
    if level == "day":
        return 1 < every <= 31
    return level in _PERIODS and every < _PERIODS[level] and _PERIODS[level] % every != 0


def _check_range(value: Any, bounds: tuple[int, int], path: Loc, notes: Notes) -> None:
    low, high = bounds
    many = isinstance(value, list)
    for i, each in enumerate(value if many else [value]):
        if not isinstance(each, int) or isinstance(each, bool) or not low <= each <= high:
            message = "`{name}`: expected a whole number from {low} to {high}, found {found}"
            found = shown(each)
            notes.error(
                codes.SCHEDULE_TIME,
                message,
                (*path, i) if many else path,
                name=path[-1],
                low=low,
                high=high,
                found=found,
            )
    if value == []:
        notes.error(codes.SCHEDULE_TIME, "`{name}`: the list is empty", path, name=path[-1])


def _wrong_times(level: str, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key in ("at", "from", "to"):
        if isinstance(given.get(key), str) and not _TIME_OF_DAY.fullmatch(given[key]):
            yield key, Message.of('expected a time of day such as "08:00"')
    for key in ("start", "end", "first", "once"):
        if isinstance(given.get(key), str) and moment_in(given[key]) is None:
            yield key, Message.of("expected a time such as 2026-11-21T08:00:00+08:00")
    if isinstance(given.get("timezone"), str) and known_zone(given["timezone"]) is None:
        yield "timezone", Message.of("expected a time zone such as Asia/Shanghai or UTC")
    yield from _wrong_days(level, given)


def _wrong_days(level: str, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    key = _WEEKDAYS.get(level, "")
    days = given.get(key)
    if key and not all(day in _DAYS for day in (days if isinstance(days, list) and days else [days])):
        yield key, Message.of("expected {days}", days=listed(_DAYS))
    last = _MONTH_DAYS.get(given["month"], 31) if level == "year" else 31
    if level == "year" and isinstance(given["day"], int) and last < given["day"] <= 31:
        yield "day", Message.of("the month {month} has {last} days", month=given["month"], last=last)


def read_dependencies(
    raw: Any, schedule: Schedule | str | None, path: Loc, notes: Notes
) -> tuple[Dependency, ...]:
    """What a task waits for; a level that takes no part in dependencies is an error."""
    if not isinstance(raw, list):
        notes.wrong_type("`depends_on`: expected a list, found {found}", path, raw)
        return ()
    level = schedule.level if isinstance(schedule, Schedule) else None
    windows = LEVELS[level].windows if level else None
    if raw and windows == frozenset():
        message = "a task of the level {level} takes no part in dependencies"
        notes.error(codes.DEPENDENCY, message, path, key=True, level=level)
        return ()
    made = [_dependency(each, windows, (*path, i), notes) for i, each in enumerate(raw)]
    for i, each in enumerate(made):
        if each and _upstream(each) in map(_upstream, filter(None, made[:i])):
            message = "`{task}` is named twice: there is one entry for each task"
            notes.error(codes.DEPENDENCY, message, (*path, i), key=True, task=each.task or "self")
    return tuple(each for each in made if each)


def _upstream(dependency: Dependency) -> str | None:
    return None if dependency.self_ else dependency.task


def _dependency(raw: Any, windows: frozenset[str] | None, path: Loc, notes: Notes) -> Dependency | None:
    if not isinstance(raw, dict):
        notes.wrong_type("expected {{task: id}} or {{self: true}}, found {found}", path, raw)
        return None
    before = notes.errors
    made = fit(Dependency, raw, path, notes)
    if made is None or notes.errors > before:
        return made
    if (made.task is None) == (not made.self_):
        message = "a dependency names exactly one of `task` and `self: true`"
        notes.error(codes.DEPENDENCY, message, path, key=True)
        return None
    if windows and made.window not in windows:
        message = "`window`: this level only takes {windows}"
        notes.error(codes.DEPENDENCY, message, (*path, "window"), windows=listed(sorted(windows)))
    return made
