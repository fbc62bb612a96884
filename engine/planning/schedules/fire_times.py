"""The moments at which a timetable fires: local times, then clock changes and the calendar."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby, takewhile
from operator import attrgetter
from typing import NamedTuple
from zoneinfo import ZoneInfo

from engine.model.cron import LAST_YEAR, CronFields
from engine.model.fire_note import FireNote, NoteKind
from engine.planning.schedules.clock_changes import REAL, firing
from engine.planning.schedules.fire_dates import FireDate, fire_dates
from engine.planning.schedules.timetable import IntervalRule, OnceRule, Timetable
from engine.planning.schedules.zones import LocalMoments, local_moments, steady_offset

_DAY = timedelta(days=1)
_INSTANT = timedelta(microseconds=1)
_MIDNIGHT = time(tzinfo=UTC)
_NEVER = datetime.max.replace(tzinfo=UTC)


class Fire(NamedTuple):
    """``at``: the moment, in UTC; of a fire that is left out the moment at which it would have been."""

    at: datetime
    note: FireNote | None = None
    left_out: bool = False


def next_fire(timetable: Timetable, after: datetime) -> datetime | None:
    """The first fire strictly after a moment (aware), in UTC; None where there is none any more."""
    return next(fires(timetable, after), None)


def fires(timetable: Timetable, after: datetime, until: datetime | None = None) -> Iterator[datetime]:
    """The fires strictly after one moment and not after another (aware), in UTC and in order."""
    found = _between(timetable, after, until, left_out=False)
    return (fire.at for fire in found if not fire.left_out)


def noted_fires(timetable: Timetable, after: datetime, until: datetime | None = None) -> Iterator[Fire]:
    """As ``fires``, each with what clock change and calendar did, and those that are left out."""
    return _between(timetable, after, until, left_out=True)


def _between(
    timetable: Timetable, after: datetime, until: datetime | None, *, left_out: bool
) -> Iterator[Fire]:
    after = after.astimezone(UTC)
    if timetable.start is not None:
        after = max(after, timetable.start - _INSTANT)
    last = min((each for each in (until, timetable.end) if each is not None), default=_NEVER)
    for fire in _endless(timetable, after, last, left_out=left_out):
        if fire.at > last:
            return
        if fire.at > after:
            yield fire


def _endless(timetable: Timetable, after: datetime, last: datetime, *, left_out: bool) -> Iterator[Fire]:
    """Some before and behind the two moments as well, in order."""
    rule = timetable.rule
    if isinstance(rule, IntervalRule) and timetable.days is None:
        yield from map(Fire, _each_interval(rule, after))
    elif rule is not None:
        yield from _merged(_by_day(timetable, after, last, left_out=left_out), timetable.zone)


def _each_interval(rule: IntervalRule, after: datetime) -> Iterator[datetime]:
    moment = rule.first + max(0, (after - rule.first) // rule.every + 1) * rule.every
    while moment.year <= LAST_YEAR:
        yield moment
        moment += rule.every


class _DayFires(NamedTuple):
    day: date
    fires: Iterable[Fire]
    in_order: bool  # and none of them is due after the begin of the next day


def _by_day(timetable: Timetable, after: datetime, last: datetime, *, left_out: bool) -> Iterator[_DayFires]:
    first = after.astimezone(timetable.zone).date()
    if steady_offset(first - _DAY, timetable.zone) is None:  # of that day something may be left
        first -= _DAY
    dates = fire_dates(timetable, first, left_out=left_out)
    for day, group in groupby(dates, attrgetter("day")):
        if day < first - _DAY:  # moved to a working day long before
            continue
        steady = steady_offset(day, timetable.zone)
        if steady is None or not isinstance(timetable.rule, CronFields):
            yield _DayFires(day, _day_fires(timetable, list(group), after), in_order=False)
            continue
        begin = datetime.combine(day, _MIDNIGHT) - steady
        if begin > last:
            return
        if begin + _DAY > after:
            yield _DayFires(day, _steady_fires(timetable.rule, list(group), begin, after), in_order=True)


def _merged(days: Iterable[_DayFires], zone: ZoneInfo) -> Iterator[Fire]:
    """Those of all days in order, each moment once: at clock changes near midnight two days overlap."""
    pending: list[Fire] = []
    for day in days:
        if pending:
            begin = min(local_moments(datetime.combine(day.day, time()), zone).moments)
            yield from (fire for fire in pending if fire.at < begin)
            pending = [fire for fire in pending if fire.at >= begin]
        if day.in_order and not pending:
            yield from day.fires
        else:
            pending = _once_each([*pending, *day.fires])
    yield from pending


def _once_each(found: Iterable[Fire]) -> list[Fire]:
    """In order, without a second fire at one moment; the one with a note is kept."""
    kept: list[Fire] = []
    for fire in sorted(found, key=lambda fire: (fire.at, fire.left_out, fire.note is None)):
        if fire.left_out or not kept or kept[-1].at != fire.at:
            kept.append(fire)
    return kept


def _steady_fires(
    fields: CronFields, origins: list[FireDate], begin: datetime, after: datetime
) -> Iterator[Fire]:
    """Those of a day on which the clocks do not change; ``after`` only saves what comes before it."""
    note = _calendar_note(origins)
    start = max(0, int((after - begin).total_seconds()))
    for seconds in fields.times(start):
        yield Fire(begin + timedelta(seconds=seconds), note, origins[0].off)


def _calendar_note(origins: list[FireDate]) -> FireNote | None:
    if origins[0].off:
        return FireNote("day_off")
    moved = tuple(each.origin for each in origins if each.origin != each.day)
    return FireNote("moved", days=moved) if moved else None


def _day_fires(timetable: Timetable, origins: list[FireDate], after: datetime) -> Iterator[Fire]:
    note = _calendar_note(origins)
    for origin in origins:
        if isinstance(timetable.rule, CronFields) or origin.day != origin.origin:
            for wall in _walls(timetable, origin):
                yield from _at_wall(wall, timetable, note, left_out=origin.off)
        else:
            for moment in _moments(timetable, origin.origin):
                yield Fire(moment, note, origin.off)


def _walls(timetable: Timetable, date: FireDate) -> Iterator[datetime]:
    """The local times of day of the origin, on the day to which they move."""
    midnight = datetime.combine(date.day, time())
    if isinstance(timetable.rule, CronFields):
        yield from (midnight + timedelta(seconds=seconds) for seconds in timetable.rule.times())
    else:
        for moment in _moments(timetable, date.origin):
            yield datetime.combine(date.day, moment.astimezone(timetable.zone).time())


def _moments(timetable: Timetable, day: date) -> Iterator[datetime]:
    """Those of an interval, or of a single start, that are on a local date."""
    rule, zone = timetable.rule, timetable.zone
    begin, end = (local_moments(datetime.combine(each, time()), zone).moments for each in (day, day + _DAY))
    found: Iterator[datetime]
    if isinstance(rule, IntervalRule):
        found = takewhile(lambda each: each < max(end), _each_interval(rule, min(begin) - _INSTANT))
    else:
        found = iter(rule.moments if isinstance(rule, OnceRule) else ())
    return (each for each in found if each.astimezone(zone).date() == day)


def _at_wall(
    wall: datetime, timetable: Timetable, note: FireNote | None, *, left_out: bool
) -> Iterator[Fire]:
    """What fires at a local time, or the fire that is left out because there is no such time."""
    local = local_moments(wall, timetable.zone)
    policy = REAL if timetable.real else timetable.dst
    if left_out or local.kind == "once":
        yield Fire(local.moments[0], note, left_out)
        return
    found = firing(local, policy)
    yield from (Fire(moment, FireNote(_kind(local, moment), wall)) for moment in found)
    if not found and not timetable.real:
        yield Fire(local.moments[0], FireNote("no_such_time", wall), left_out=True)


def _kind(local: LocalMoments, moment: datetime) -> NoteKind:
    if local.kind == "gap":
        return "shifted"
    return "first_of_two" if moment == local.moments[0] else "second_of_two"
