"""Which past times a backfill runs: for each a decision (make, run again, leave) with its reason."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import heapify, heappop, heappush
from itertools import islice
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from engine.model.codes import timing as codes
from engine.model.errors import Refused
from engine.model.reason import Kind, Reason
from engine.model.states import InstanceState, Reprocess
from engine.planning.dag import cycles, distances, turned
from engine.planning.schedules.held_times import HeldTimetable, held_fires, partner_times
from engine.planning.schedules.pairing import Paired
from engine.planning.schedules.windows import period

MOST = 10_000  # times of one backfill
_INSTANT = timedelta(microseconds=1)

Choice = Literal["make", "run_again", "leave"]
_BAD = (InstanceState.FAILED, InstanceState.TIMED_OUT, InstanceState.LOST, InstanceState.CANCELLED)


class TaskTime(NamedTuple):
    """A scheduled time of a task."""

    task: str
    at: datetime


class PastInstance(NamedTuple):
    """What there is of a time; ``begun``: it has had a run; ``missed``: planned, and not started in time."""

    id: int
    state: InstanceState
    begun: bool
    missed: bool = False


class AwaitedPairing(NamedTuple):
    """A dependency: the task that is waited for (perhaps the same one), and how times are matched."""

    task: str
    paired: Paired


@dataclass(frozen=True, slots=True)
class BackfilledTask:
    """A task of a backfill with its schedules, the first one first, and what it waits for.

    ``zone``: that of its periods.
    """

    id: str
    zone: ZoneInfo
    held: Sequence[HeldTimetable]
    awaited: Sequence[AwaitedPairing] = ()

    @property
    def waits_for_itself(self) -> bool:
        return any(each.task == self.id for each in self.awaited)


@dataclass(frozen=True, slots=True)
class BackfillStep:
    """What becomes of one time; ``after``: the positions of the steps that come before it."""

    task: str
    at: datetime
    choice: Choice
    why: Reason
    instance: int | None = None
    after: tuple[int, ...] = ()


Links = dict[TaskTime, tuple[TaskTime, ...]]  # each time with those among them that it comes after


# -- the times -------------------------------------------------------------------------------------


def backfilled_times(
    tasks: Sequence[BackfilledTask], begin: datetime, end: datetime, now: datetime, *, newest: bool = False
) -> Links:
    """The times of the first task from ``begin`` to ``end`` (both included), in order, then those of its
    dependants that wait for one of them; each right behind the last one that it waits for.

    Refused: times after now, more than 10,000, newest first where a task waits for itself, a circle.
    """
    root = tasks[0]
    if newest and (itself := next((each.id for each in tasks if each.waits_for_itself), None)):
        message = "task {where!r} waits for its own time before: it cannot be backfilled newest first"
        raise Refused.at(codes.BACKFILL_NEWEST, message, itself)
    late = next(held_fires(root.held, max(now, begin - _INSTANT), end), None)
    if late is not None:
        message = "{where} is after now: a backfill runs past times"
        raise Refused.at(codes.BACKFILL_FUTURE, message, late.astimezone(root.zone).isoformat())
    found = [TaskTime(root.id, at) for at in islice(held_fires(root.held, begin - _INSTANT, end), MOST + 1)]
    links: Links = dict.fromkeys(found, ())
    _check_number(links, root.id)
    by_id = {each.id: each for each in tasks}
    for task in _upstream_first(tasks):
        if task.id != root.id:
            _add_dependant(task, by_id, links, now)
    before = {each: _before(by_id[each.task], by_id, each.at, links) for each in links}
    return _ordered(before, root.id, newest)


def _check_number(links: Links, task: str) -> None:
    if len(links) > MOST:
        message = "task {where!r}: more than {most} times in one backfill"
        raise Refused.at(codes.BACKFILL_TOO_MANY, message, task, most=MOST)


def _upstream_first(tasks: Sequence[BackfilledTask]) -> list[BackfilledTask]:
    by_id = {each.id: each for each in tasks}
    graph = {each.id: _others(each, by_id) for each in tasks}
    found = distances(graph)
    if len(found) < len(graph):
        named = " -> ".join(cycles(graph)[0])
        raise Refused.at(codes.BACKFILL_CIRCLE, "these tasks wait for each other: {where}", named)
    return [by_id[id] for id in sorted(found, key=lambda id: found[id])]


def _others(task: BackfilledTask, within: Collection[str]) -> list[str]:
    return list(
        dict.fromkeys(each.task for each in task.awaited if each.task in within and each.task != task.id)
    )


def _add_dependant(
    task: BackfilledTask, by_id: Mapping[str, BackfilledTask], links: Links, now: datetime
) -> None:
    for awaited in task.awaited:
        upstream = by_id.get(awaited.task)
        times = sorted(each.at for each in links if each.task == awaited.task)
        if upstream is None or upstream is task or not times:
            continue
        for at in _waiting(task, awaited.paired, upstream, times, now):
            links.setdefault(TaskTime(task.id, at), ())
            _check_number(links, task.id)


def _waiting(
    task: BackfilledTask, paired: Paired, upstream: BackfilledTask, times: Sequence[datetime], now: datetime
) -> Iterator[datetime]:
    """The times of a dependant, not after now, that wait for one of these."""
    wanted, last = set(times), times[-1]
    for at in held_fires(task.held, times[0] - _INSTANT, now):
        partners = partner_times(paired, at, task.zone, upstream.held)
        if _is_beyond(paired, at, task.zone, partners, last):
            return
        if not wanted.isdisjoint(partners):
            yield at


def _is_beyond(
    paired: Paired, at: datetime, zone: ZoneInfo, partners: Sequence[datetime], last: datetime
) -> bool:
    """Whether neither this time nor a later one waits for anything up to ``last``."""
    if paired.which is None or paired.unit is None:
        return bool(partners) and partners[0] > last
    return period(at, paired.which, paired.unit, zone).start > last


def _before(
    task: BackfilledTask, by_id: Mapping[str, BackfilledTask], at: datetime, links: Links
) -> tuple[TaskTime, ...]:
    """Those of the backfill that one time comes after."""
    found: dict[TaskTime, None] = {}
    for awaited in task.awaited:
        upstream = by_id.get(awaited.task)
        itself = upstream is task
        if upstream is not None:
            times = partner_times(awaited.paired, at, task.zone, upstream.held, itself=itself)
            found |= dict.fromkeys(TaskTime(upstream.id, each) for each in times)
    return tuple(each for each in found if each in links)


def _ordered(links: Links, task: str, newest: bool) -> Links:
    """Those of ``task`` as they are asked for, each other one right behind the last that it comes after."""
    own = sorted((each for each in links if each.task == task), reverse=newest)
    rank = {each: position for position, each in enumerate(own)}
    behind, open_ = turned(links), {each: len(before) for each, before in links.items()}
    ready = [(rank[each], each.at, each) for each in own if not open_[each]]
    heapify(ready)
    found: Links = {}
    while ready:
        _, _, time = heappop(ready)
        found[time] = links[time]
        for each in behind[time]:
            rank.setdefault(each, rank[time])
            open_[each] -= 1
            if not open_[each]:
                rank[each] = max(rank[each], rank[time])
                heappush(ready, (rank[each], each.at, each))
    return found


# -- what becomes of each --------------------------------------------------------------------------


def backfill_steps(
    times: Links, found: Mapping[TaskTime, PastInstance], reprocess: Reprocess
) -> list[BackfillStep]:
    """A step for each time, in the same order; it comes after those that run before it."""
    steps: list[BackfillStep] = []
    position: dict[TaskTime, int] = {}
    for time, before in times.items():
        there = found.get(time)
        choice, why = decided(there, reprocess)
        after = tuple(position[each] for each in before if each in position)
        if choice != "leave":
            position[time] = len(steps)
        id = there.id if there is not None else None
        steps.append(BackfillStep(time.task, time.at, choice, why, id, after))
    return steps


def decided(there: PastInstance | None, reprocess: Reprocess) -> tuple[Choice, Reason]:
    """``missing``: what never ran; ``failed``: also what ended badly; ``all``: whatever has ended."""
    if there is None:
        return "make", Reason(Kind.NO_INSTANCE)
    never = not there.begun and (there.state.ended or there.missed)
    why = Reason.of(Kind.NEVER_RAN if never else Kind.HAS_STATE, instance=there.id, status=str(there.state))
    if never:
        return "make", why
    wanted = reprocess == "all" or (reprocess == "failed" and there.state in _BAD)
    return ("run_again" if wanted and there.state.ended else "leave"), why
