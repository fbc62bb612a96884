"""Up to which time in the past the outcomes of a task can still decide whether others begin."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from engine.planning.schedules.pairing import Paired
from engine.planning.schedules.windows import period

_INSTANT = timedelta(microseconds=1)

Newest = Callable[[datetime], datetime | None]  # the scheduled time of the newest instance not after a moment


class OpenDependency(NamedTuple):
    """A dependency, and the earliest scheduled time of the dependant that is not decided yet."""

    paired: Paired
    earliest: datetime
    zone: ZoneInfo  # the dependant's
    itself: bool = False


def asked_since(dependencies: Iterable[OpenDependency], newest: Newest) -> datetime | None:
    """The scheduled time from which on instances of the upstream are asked for; None: nobody asks."""
    return min((_since(each, newest) for each in dependencies), default=None)


def _since(dependency: OpenDependency, newest: Newest) -> datetime:
    paired, earliest = dependency.paired, dependency.earliest
    if paired.which is not None and paired.unit is not None:
        return period(earliest, paired.which, paired.unit, dependency.zone).start
    return newest(earliest - _INSTANT if dependency.itself else earliest) or earliest
