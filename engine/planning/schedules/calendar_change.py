"""Which fires another calendar takes from a schedule, and which it gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from engine.planning.schedules.fire_times import fires
from engine.planning.schedules.timetable import Timetable
from engine.planning.schedules.working_days import WorkingDays

_DAY, _YEAR = timedelta(days=1), timedelta(days=366)
_BACK, _TEN_YEARS = (
    31,
    3660,
)  # days that are compared: a fire of an earlier day off may have moved to a later one


@dataclass(frozen=True, slots=True)
class FireChange:
    """A fire, in UTC, that one of two timetables has and the other has not; ``gone``: the later one."""

    at: datetime
    gone: bool


def fire_changes(before: Timetable, after: Timetable, since: datetime, most: int) -> Iterator[FireChange]:
    """In the order of time, strictly after ``since``: of a year from the first day that changes on.

    That day is within ten years. At most so many fires of that year are looked at.
    """
    begin = _first_moment(before, after, since)
    if begin is None:
        return
    until = begin + _YEAR
    old, new = fires(before, begin, until), fires(after, begin, until)
    ours, theirs = next(old, None), next(new, None)
    for _ in range(most):
        match ours, theirs:
            case None, None:
                return
            case datetime(), datetime() if ours == theirs:
                ours, theirs = next(old, None), next(new, None)
            case datetime() as gone, other if other is None or gone < other:
                yield FireChange(gone, gone=True)
                ours = next(old, None)
            case _, datetime() as added:
                yield FireChange(added, gone=False)
                theirs = next(new, None)


def _first_moment(before: Timetable, after: Timetable, since: datetime) -> datetime | None:
    """From when on their fires may differ: what falls on a day off may move to the working day before it."""
    if before.days is None or after.days is None:
        return since if before != after else None
    today = since.astimezone(after.zone).date()
    changed = _first_changed(before.days, after.days, today)
    if changed is None:
        return None
    day = min(each.previous(changed) or changed for each in (before.days, after.days))
    return max(since, datetime.combine(day - _DAY, time(), UTC))


def _first_changed(before: WorkingDays, after: WorkingDays, today: date) -> date | None:
    """The first day that is off in one of them alone; yesterday's fires may still come."""
    days = (today + n * _DAY for n in range(-_BACK, _TEN_YEARS))
    return next((day for day in days if before.is_off(day) is not after.is_off(day)), None)
