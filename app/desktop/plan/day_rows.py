"""The instances of a day by task, in the order of their time, and what of them falls on which pixel; pure."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from app.desktop.kernel.times import seconds
from app.desktop.widgets.time_scale import Scale, Stroke
from engine.api.documents import Document
from engine.model.states import INSTANCE_BAD, INSTANCE_UNFINISHED

POINT = 12.0  # pixels: what is shorter is a sign at its time, where there is room for one
_TICK = 3.0  # pixels: what begins within so many is drawn as one
_LEAST = 2.0  # pixels
_ROUNDING = 1e-6  # pixels
_RISING = ("succeeded", "planned", "skipped", "offline", "cancelled", "running", "paused", "waiting",
           "timed_out", "lost", "failed")  # fmt: skip
_RANKS = {status: rank for rank, status in enumerate(_RISING)}
_SCHEDULED = attrgetter("scheduled")
FILTERS: Mapping[str, frozenset[str]] = {
    "all": frozenset(),
    "bad": frozenset(INSTANCE_BAD),
    "unfinished": frozenset(INSTANCE_UNFINISHED),
    "planned": frozenset({"planned"}),
    "not_run": frozenset({"skipped", "offline", "cancelled"}),
}
Floats = npt.NDArray[np.float64]


class DayInstance(NamedTuple):
    """An instance; times in seconds since 1970."""

    instance: int
    task: str
    status: str
    trigger: str
    run: int
    scheduled: float
    started: float | None
    ended: float | None

    @classmethod
    def read(cls, document: Document) -> DayInstance:
        """Of a page of ``Service.day``."""
        started, ended = document["started_at"], document["ended_at"]
        return cls(
            document["instance"],
            document["task"],
            document["status"],
            document["trigger"],
            document["run"],
            seconds(document["scheduled_time"]),
            seconds(started) if started else None,
            seconds(ended) if ended else None,
        )


class _Arrays(NamedTuple):
    """A row's instances by column."""

    scheduled: Floats
    begin: Floats
    end: Floats
    open: npt.NDArray[np.bool_]
    rank: npt.NDArray[np.int64]


class DayRow:
    """A task's instances, the soonest first."""

    def __init__(self, task: str, instances: Iterable[DayInstance]) -> None:
        self.task = task
        self.instances = tuple(instances)
        self.times = [each.scheduled for each in self.instances]

    def nearest(self, time: float) -> DayInstance:
        """The one whose scheduled time is next to a moment."""
        at = bisect_left(self.times, time)
        return min(self.instances[max(0, at - 1) : at + 1], key=lambda each: abs(each.scheduled - time))

    def between(self, first: float, last: float) -> tuple[DayInstance, ...]:
        """Those of scheduled times from one to another, both included."""
        return self.instances[bisect_left(self.times, first) : bisect_left(self.times, last + 1e-6)]

    def following(self, time: float) -> float:
        """The first scheduled time from a moment on; infinite where there is none."""
        at = bisect_left(self.times, time)
        return self.times[at] if at < len(self.times) else float("inf")

    @cached_property
    def statuses(self) -> Counter[str]:
        """How many of which status."""
        return Counter(each.status for each in self.instances)

    @cached_property
    def arrays(self) -> _Arrays:
        spans = [span_of(each) for each in self.instances]
        return _Arrays(
            np.array(self.times),
            np.array([begin for begin, _, _ in spans]),
            np.array([end for _, end, _ in spans]),
            np.array([unfinished for _, _, unfinished in spans]),
            np.array([_RANKS.get(each.status, len(_RISING) - 1) for each in self.instances]),
        )


def span_of(each: DayInstance) -> tuple[float, float, bool]:
    """From when to when it is drawn, and whether it goes on: what has not begun is a moment, its time."""
    begin = each.scheduled if each.started is None else each.started
    if each.trigger == "backfill" or each.run > 1:
        begin = each.scheduled  # it ran another day, or again: a day shows what became of a time
        return begin, begin, False
    if each.ended is not None:
        return begin, max(begin, each.ended), False
    return begin, begin, each.status in INSTANCE_UNFINISHED


def rows_of(instances: Iterable[DayInstance]) -> list[DayRow]:
    """A row for each task."""
    found: dict[str, list[DayInstance]] = {}
    for each in instances:
        found.setdefault(each.task, []).append(each)
    return [DayRow(task, sorted(own, key=_SCHEDULED)) for task, own in found.items()]


def chosen_rows(rows: Iterable[DayRow], text: str, only: str, order: str, now: float) -> list[DayRow]:
    """Those with a text in the task's name and an instance of a kind; by name, or the soonest first."""
    wanted, statuses = text.strip().casefold(), FILTERS[only]
    found = [
        row
        for row in rows
        if wanted in row.task.casefold() and (not statuses or not statuses.isdisjoint(row.statuses))
    ]
    keys: dict[str, Callable[[DayRow], Any]] = {
        "name": lambda row: row.task,
        "soonest": lambda row: (row.following(now), row.task),
    }
    return sorted(found, key=keys[order])


def wait_lines(row: DayRow, scale: Scale) -> Iterator[tuple[float, float]]:
    """From where to where those that began late had waited, where that can be seen."""
    scheduled, begin, *_ = row.arrays
    factor = scale.width / max(scale.end - scale.begin, 1e-6)
    left, right = ((each - scale.begin) * factor for each in (scheduled, begin))
    seen = (right - left >= _TICK) & (right >= 0) & (left <= scale.width)
    yield from zip(left[seen].tolist(), right[seen].tolist(), strict=True)


def day_strokes(row: DayRow, scale: Scale, now: float) -> list[Stroke]:
    """What is seen of a row: bars, signs where there is room for them, and ticks, crowded ones as one.

    Of a crowd the worst status is shown.
    """
    _, begin, end, unfinished, rank = row.arrays
    factor = scale.width / max(scale.end - scale.begin, 1e-6)
    left = (begin - scale.begin) * factor
    right = (np.where(unfinished, np.maximum(begin, now), end) - scale.begin) * factor
    seen = (right >= -POINT) & (left <= scale.width)
    left, right, rank = left[seen], right[seen], rank[seen]
    if not left.size:
        return []
    order = np.argsort(left, kind="stable")
    left, right, rank = left[order], right[order], rank[order]
    short = right - left < POINT
    gaps = np.diff(left, prepend=-np.inf, append=np.inf)
    signs = short & (np.minimum(gaps[:-1], gaps[1:]) >= POINT + 2)
    first = _firsts(~short | signs, np.floor(left / _TICK))
    right = np.maximum(right, left + np.where(signs, POINT, _LEAST))
    return _joined(left, right, rank, np.flatnonzero(first), scale.width)


def is_sign(stroke: Stroke) -> bool:
    """Whether it is the sign of an instance alone, not a bar; its pixels are sums of fractions."""
    return stroke.bars == 1 and abs(stroke.right - stroke.left - POINT) < _ROUNDING


def _firsts(apart: npt.NDArray[np.bool_], cell: Floats) -> npt.NDArray[np.bool_]:
    """Which ones begin a stroke of their own; others are in a cell with the one before."""
    found = np.ones(cell.shape, bool)
    found[1:] = apart[1:] | apart[:-1] | (cell[1:] != cell[:-1])
    return found


def _joined(
    left: Floats, right: Floats, rank: npt.NDArray[np.int64], first: npt.NDArray[np.intp], width: float
) -> list[Stroke]:
    """One stroke for each cell; cells of one status that touch are one, too."""
    last = np.maximum.reduceat(right, first)
    worst = np.maximum.reduceat(rank, first)
    many = np.diff(first, append=left.size)
    left = left[first]
    new = np.ones(left.shape, bool)
    new[1:] = (worst[1:] != worst[:-1]) | (left[1:] - last[:-1] >= 1) | (last[1:] - left[1:] >= POINT)
    new[1:] |= last[:-1] - left[:-1] >= POINT
    start = np.flatnonzero(new)
    lefts = np.maximum(left[start], -2)
    rights = np.maximum(np.minimum(np.maximum.reduceat(last, start), width + 2), lefts)
    statuses = (_RISING[each] for each in worst[start].tolist())
    counts = np.add.reduceat(many, start).tolist()
    return [*map(Stroke, lefts.tolist(), rights.tolist(), statuses, counts)]
