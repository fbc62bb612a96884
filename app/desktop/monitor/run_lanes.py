"""Where the runs of a span are drawn under the charts: in as few lanes as they need, none over another."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LANE = 14  # pixels of a lane at most
HEIGHT = 168  # pixels of all lanes at most: of many, each is lower
_GAP = 3  # pixels between two lanes that have room
_ROOMY = 8  # pixels: a lower lane has no gap
_RISING = ("succeeded", "skipped", "cancelled", "running", "paused", "timed_out", "lost", "failed")
_RANKS = {status: rank for rank, status in enumerate(_RISING)}


class RunBar(NamedTuple):
    """One run: ``end`` None while it runs."""

    instance: int
    task: str
    status: str
    start: float
    end: float | None


class PlacedRun(NamedTuple):
    """A run in its lane, from 0 at the top."""

    bar: RunBar
    lane: int


@dataclass(frozen=True, slots=True)
class Lanes:
    """The runs by start, and how many lanes they need."""

    runs: Sequence[PlacedRun] = ()
    count: int = 0

    @property
    def height(self) -> float:
        """Pixels of a lane, its gap included."""
        return min(float(LANE), HEIGHT / max(1, self.count))

    def box(self, lane: int) -> tuple[float, float]:
        """From its upper edge to its lower one, in pixels from the top of the lanes."""
        gap = _GAP if self.height >= _ROOMY else 0
        return lane * self.height, max((lane + 1) * self.height - gap, lane * self.height + 1)


def placed(bars: Iterable[RunBar], now: float) -> Lanes:
    """Each run in the first lane that is free by its start."""
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
        found.append(PlacedRun(bar, lane))
    return Lanes(found, lanes)


class Mark(NamedTuple):
    """What is painted: one run, or several in the same pixels, of which the worst gives the colour."""

    run: PlacedRun
    left: float
    right: float
    shared: bool


def marks(lanes: Lanes, x: Callable[[float], float], left: float, right: float, now: float) -> Iterator[Mark]:
    """Those in sight; a run is at least a pixel wide, and many in one pixel are one mark.

    ``x`` gives the pixel of a time, ``left`` and ``right`` are the edges.
    """
    narrow: dict[tuple[int, int], PlacedRun] = {}
    for each in lanes.runs:
        begin, end = x(each.bar.start), x(now if each.bar.end is None else each.bar.end)
        if end < left or begin > right:
            continue
        if end - begin >= 2:
            yield Mark(each, max(begin, left), min(end, right), shared=False)
            continue
        key = int(max(begin, left)), int(lanes.box(each.lane)[0])
        before = narrow.get(key)
        if before is None or _rank(each) >= _rank(before):
            narrow[key] = each
    for (pixel, _), each in narrow.items():
        yield Mark(each, pixel, pixel + 2, shared=True)


def _rank(run: PlacedRun) -> int:
    return _RANKS.get(run.bar.status, 0)
