"""A day of a zone on a time axis: its hours, 23 to 25 of them, and where its clocks change; pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from app.desktop.kernel.times import seconds
from app.desktop.widgets.time_scale import Scale
from engine.api.documents import Document
from engine.planning.schedules.zones import clock_changes_of

_STEPS = (1, 5, 10, 15, 30, 60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200)  # seconds
_QUARTER = 900  # of an hour: the offset of every zone is a multiple of it
_APART, _FAR_APART = 60.0, 100.0  # pixels; where the name of the offset is beside each time


@dataclass(frozen=True, slots=True)
class ClockChange:
    """When the clocks of a zone were set, and by how many seconds they went forward."""

    at: float
    by: float


@dataclass(frozen=True, slots=True)
class Day:
    """From midnight to midnight, in seconds since 1970."""

    date: date
    zone: ZoneInfo
    begin: float
    end: float
    changes: tuple[ClockChange, ...] = ()

    @classmethod
    def read(cls, document: Document) -> Day:
        """Of a page of ``Service.day``."""
        zone, day = ZoneInfo(document["zone"]), date.fromisoformat(document["day"])
        begin, end = seconds(document["begin"]), seconds(document["end"])
        return cls(day, zone, begin, end, tuple(_changes(zone, day.year, begin, end)))

    def local(self, time: float) -> datetime:
        """A moment as the clocks of the zone show it."""
        return datetime.fromtimestamp(time, UTC).astimezone(self.zone)

    @property
    def hours(self) -> float:
        """How long it is."""
        return (self.end - self.begin) / 3600


def _changes(zone: ZoneInfo, year: int, begin: float, end: float) -> Iterator[ClockChange]:
    known = clock_changes_of(zone, year, year)
    for (_, before), (moment, offset) in pairwise(known):
        if begin < moment.timestamp() < end:
            yield ClockChange(moment.timestamp(), (offset - before) / timedelta(seconds=1))


def marks_of(day: Day, scale: Scale) -> Iterator[tuple[float, str]]:
    """Round local times with their texts; where the clocks change also which of two equal times it is."""
    apart = _FAR_APART if day.changes else _APART
    least = (scale.end - scale.begin) * apart / max(scale.width, 1.0)
    step = next((each for each in _STEPS if each >= least), _STEPS[-1])
    walk = min(step, _QUARTER)
    form = ("%H:%M:%S" if step < 60 else "%H:%M") + (" %Z" if day.changes else "")
    time = scale.begin // walk * walk
    while time < min(scale.end, day.end):
        local = day.local(time)
        if time >= scale.begin and (local.hour * 3600 + local.minute * 60 + local.second) % step == 0:
            yield time, local.strftime(form)
        time += walk
