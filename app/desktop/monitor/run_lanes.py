"""Where the runs of a span are drawn under the charts: in as few lanes as they need, none over another."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

MOST = 12  # lanes; what does not fit shares the last one


@dataclass(frozen=True, slots=True)
class RunBar:
    """One run: ``end`` None while it runs."""

    instance: int
    task: str
    status: str
    start: float
    end: float | None


@dataclass(frozen=True, slots=True)
class PlacedRun:
    """A run in its lane, from 0 at the top."""

    bar: RunBar
    lane: int


def placed(bars: Iterable[RunBar], now: float) -> list[PlacedRun]:
    """The runs by start, each in the first lane that is free by then."""
    free: list[int] = []
    taken: list[tuple[float, int]] = []
    lanes = 0
    found = []
    for bar in sorted(bars, key=lambda each: (each.start, each.instance)):
        while taken and taken[0][0] <= bar.start:
            heapq.heappush(free, heapq.heappop(taken)[1])
        if free:
            lane = heapq.heappop(free)
        else:
            lane, lanes = lanes, lanes + 1
        heapq.heappush(taken, (now if bar.end is None else bar.end, lane))
        found.append(PlacedRun(bar, min(lane, MOST - 1)))
    return found
