"""A schedule ready to be asked for its fire times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from engine.model.cron import CronFields, read_cron
from engine.model.schedule import DstPolicy, Schedule
from engine.model.times import moment_within
from engine.planning.schedules.clock_changes import firing
from engine.planning.schedules.levels import cron_text
from engine.planning.schedules.working_days import WorkingDays
from engine.planning.schedules.zones import first_moment, local_moments

_SHORTEST = 1.0  # seconds; contract, 2.6: less is reported where it is read, and asked nevertheless
_LONGEST = 200 * 366 * 86_400.0  # seconds; an interval of so many years has one fire at most


@dataclass(frozen=True, slots=True)
class IntervalRule:
    """A fire each ``every`` from ``first`` on, in real time."""

    first: datetime
    every: timedelta


@dataclass(frozen=True, slots=True)
class OnceRule:
    """A single fire; none in a gap that is skipped, two where a local time that comes twice fires twice."""

    moments: tuple[datetime, ...]


Rule = CronFields | IntervalRule | OnceRule


@dataclass(frozen=True, slots=True)
class Timetable:
    """``rule`` None: nothing fires by the clock (manual, condition). All moments are aware, in UTC."""

    rule: Rule | None
    zone: ZoneInfo
    dst: DstPolicy = field(default_factory=DstPolicy)
    days: WorkingDays | None = None
    on_day_off: Literal["skip", "next", "previous"] = "skip"
    start: datetime | None = None
    end: datetime | None = None

    @property
    def real(self) -> bool:
        """Whether clock changes make nothing up and leave nothing out."""
        return not isinstance(self.rule, OnceRule) and getattr(self.rule, "real_hours", True)


def read_timetable(
    schedule: Schedule | str | None,
    zone: ZoneInfo,
    calendars: Mapping[str, WorkingDays],
    online_since: datetime,
) -> Timetable:
    """The timetable of a schedule that was checked.

    ``zone``: where the schedule names none. ``online_since``: the first fire of an interval without `first`.
    Raises ValueError for a cron text or a time that cannot be read, KeyError for an unknown calendar.
    """
    if not isinstance(schedule, Schedule):
        return Timetable(None, zone)
    zone = ZoneInfo(schedule.timezone) if schedule.timezone else zone
    use = schedule.calendar
    return Timetable(
        _rule(schedule, zone, online_since),
        zone,
        schedule.dst,
        calendars[use.id] if use else None,
        use.on if use else "skip",
        moment(schedule.start, zone) if schedule.start else None,
        last_moment(schedule.end, zone) if schedule.end else None,
    )


def moment(text: str, zone: ZoneInfo) -> datetime:
    """A time of a definition; without an offset it is in the schedule's zone. In UTC."""
    given = moment_within(text)
    return given.astimezone(UTC) if given.tzinfo else first_moment(given, zone)


def last_moment(text: str, zone: ZoneInfo) -> datetime:
    """The last moment that ``end`` includes: a date by itself means the whole day."""
    if len(text) > len("2026-11-21"):
        return moment(text, zone)
    day = moment_within(text)
    return first_moment(datetime.combine(day + timedelta(days=1), time()), zone) - timedelta(microseconds=1)


def _rule(schedule: Schedule, zone: ZoneInfo, online_since: datetime) -> Rule | None:
    if schedule.level == "interval" and schedule.interval is not None:
        first = moment(schedule.first, zone) if schedule.first else online_since.astimezone(UTC)
        return IntervalRule(first, timedelta(seconds=min(max(schedule.interval, _SHORTEST), _LONGEST)))
    if schedule.level == "once":
        return _once(schedule.once, schedule.dst, zone) if schedule.once else None
    text = cron_text(schedule)
    return read_cron(text) if text else None


def _once(text: str, dst: DstPolicy, zone: ZoneInfo) -> OnceRule:
    given = moment_within(text)
    return OnceRule((given.astimezone(UTC),) if given.tzinfo else firing(local_moments(given, zone), dst))
