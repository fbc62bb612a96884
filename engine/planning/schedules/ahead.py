"""The instances of the coming day: which are made, which have another state, which go."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable
from datetime import datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from engine.model.states import InstanceState
from engine.planning.schedules.zones import first_moment

_DAY, _INSTANT = timedelta(days=1), timedelta(microseconds=1)
_COMING = (InstanceState.PLANNED, InstanceState.OFFLINE)


class ComingInstance(NamedTuple):
    """An instance of a later time, as it is."""

    id: int
    at: str  # as the store has it
    state: InstanceState
    begun: bool


class Repairs(NamedTuple):
    """What makes the instances of a task right; of those that are right nothing."""

    make: tuple[str, ...]
    move: tuple[ComingInstance, ...]  # to the state that the task wants
    remove: tuple[ComingInstance, ...]
    keep: tuple[ComingInstance, ...]  # planned or offline as it should be: perhaps with other links


def repairs(
    times: Collection[str],
    there: Iterable[ComingInstance],
    wanted: InstanceState,
    later: Container[str] = (),
) -> Repairs:
    """``times``: the fire times of the coming day; ``wanted``: planned or, of a task that is not, offline.

    ``later``: fire times behind that day. What has begun, or was settled otherwise, stays as it is: to meet
    it is an answer.
    """
    known = {each.at: each for each in there}
    coming = [each for each in known.values() if each.state in _COMING and not each.begun]
    fires = set(times)
    stay = [each for each in coming if each.at in fires or each.at in later]
    staying = {each.id for each in stay}
    return Repairs(
        tuple(each for each in times if each not in known),
        tuple(each for each in stay if each.state is not wanted),
        tuple(each for each in coming if each.id not in staying),
        tuple(each for each in stay if each.state is wanted),
    )


def day_made(now: datetime, at: time, zone: ZoneInfo) -> datetime:
    """The latest moment not after ``now`` at which the coming day was to be made."""
    local = now.astimezone(zone)
    made = first_moment(datetime.combine(local.date(), at), zone)
    return made if made <= now else first_moment(datetime.combine(local.date() - _DAY, at), zone)


def horizon(now: datetime, at: time, zone: ZoneInfo) -> datetime:
    """Until when instances are made: a day from now, and to the end of the day that was made last."""
    made = day_made(now, at, zone).astimezone(zone).date()
    return max(now + _DAY, first_moment(datetime.combine(made + 2 * _DAY, time()), zone) - _INSTANT)
