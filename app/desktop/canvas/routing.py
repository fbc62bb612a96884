"""The way of every link: from the right of its source to the left of its target, around nodes in between."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from app.desktop.canvas.graph import HEIGHT, WIDTH, GraphLink, Point

_MARGIN = 10.0  # kept between a link and a node that it passes
_LANE = 18.0  # how far below the nodes a loop runs
_BESIDE = 16.0  # how far beside a column a way goes down

Route = tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class _Column:
    """Nodes that share a range of x, as the stretches of y that they block, apart and from the top."""

    left: float
    right: float
    blocked: tuple[tuple[float, float], ...]

    def gap(self, low: float, high: float) -> float | None:
        """The y to pass at, nearest to the middle of both; None when the straight way is free."""
        first = bisect_left(self.blocked, low, key=itemgetter(1))
        if first == len(self.blocked) or self.blocked[first][0] >= high:
            return None
        wanted = (low + high) / 2
        near = self.blocked[max(0, first - 1) : bisect_right(self.blocked, high, key=itemgetter(0)) + 1]
        return min((edge for stretch in near for edge in stretch), key=lambda edge: abs(edge - wanted))


class Router:
    """Finds ways between nodes at ``positions`` (upper left corners)."""

    def __init__(self, positions: Mapping[str, Point]) -> None:
        self._positions = positions
        self._corners = sorted(positions.values())
        self._lefts = [x for x, _ in self._corners]
        self._known: dict[tuple[int, int], list[_Column]] = {}

    def route(self, link: GraphLink, bends: Sequence[Point] = ()) -> Route:
        """The points of a link; ``bends`` are places that the layout kept free for it."""
        start, end = self._positions[link.source], self._positions[link.target]
        if link.kind == "loop" or end[0] < start[0] + WIDTH:
            down = () if link.kind == "loop" else self._down(start, end)
            return down or self._back(start, end)
        out, into = (start[0] + WIDTH, start[1] + HEIGHT / 2), (end[0], end[1] + HEIGHT / 2)
        if bends:
            return (out, *_through(bends), into)
        return (out, *self._around(out, into), into)

    def _around(self, out: Point, into: Point) -> Iterator[Point]:
        """The points at which the straight way has to leave for a gap."""
        at = out
        for column in self._columns(out[0], into[0]):
            low, high = sorted((_level(at, into, column.left), _level(at, into, column.right)))
            y = column.gap(low, high)
            if y is not None:
                left, right = max(column.left, out[0]), min(column.right, into[0])
                yield (left, y)
                at = (right, y)
                yield at

    def _columns(self, left: float, right: float) -> list[_Column]:
        """The nodes between two columns; both of them are left out."""
        first, last = bisect_right(self._lefts, left + 1 - WIDTH), bisect_left(self._lefts, right - 1)
        if first >= last:
            return []
        if (first, last) not in self._known:
            self._known[first, last] = list(_grouped(self._corners[first:last]))
        return self._known[first, last]

    def _down(self, start: Point, end: Point) -> Route:
        """Straight down to a target below; nothing where it is not below, or another node is between."""
        left, right = max(start[0], end[0]), min(start[0], end[0]) + WIDTH
        x, top, bottom = (left + right) / 2, start[1] + HEIGHT, end[1]
        return ((x, top), (x, bottom)) if left < right and top < bottom and self._free(x, top, bottom) else ()

    def _back(self, start: Point, end: Point) -> Route:
        """Out of the bottom, along a free lane, and up into the bottom of the target; else around both."""
        source, target = start[0] + WIDTH / 2, end[0] + WIDTH / 2
        left, right = sorted((source, target))
        low = max(start[1], end[1]) + HEIGHT
        y = self._lane(left, right, low)
        if self._free(source, start[1] + HEIGHT, y) and self._free(target, end[1] + HEIGHT, y):
            return (source, start[1] + HEIGHT), (source, y), (target, y), (target, end[1] + HEIGHT)
        return self._around_both(start, end, low)

    def _around_both(self, start: Point, end: Point, low: float) -> Route:
        """Out of the right, down beside the column, along a lane, and up beside it into the left."""
        out, into = start[1] + HEIGHT / 2, end[1] + HEIGHT / 2
        right, left = start[0] + WIDTH + _BESIDE, end[0] - _BESIDE
        lane = self._lane(min(left, right), max(left, right), low)
        right, left = self._beside(right, out, lane, 1), self._beside(left, into, lane, -1)
        lane = self._lane(min(left, right), max(left, right), low)
        way = (right, out), (right, lane), (left, lane), (left, into)
        return (start[0] + WIDTH, out), *way, (end[0], into)

    def _beside(self, x: float, top: float, bottom: float, side: int) -> float:
        """The nearest x, to the right (1) or left (-1), at which the way down is free."""
        for left in self._lefts if side > 0 else reversed(self._lefts):
            if self._free(x, top, bottom):
                break
            edge = left + WIDTH + _BESIDE if side > 0 else left - _BESIDE
            x = edge if (edge - x) * side > 0 else x
        return x

    def _free(self, x: float, top: float, bottom: float) -> bool:
        """Whether no node lies on a way up or down; what only begins or ends there does not count."""
        first, last = bisect_right(self._lefts, x - WIDTH), bisect_left(self._lefts, x)
        return not any(y < bottom and y + HEIGHT > top for _, y in self._corners[first:last])

    def _lane(self, left: float, right: float, top: float) -> float:
        first = bisect_right(self._lefts, left - _MARGIN - WIDTH)
        last = bisect_left(self._lefts, right + _MARGIN)
        rows = sorted(y for _, y in self._corners[first:last])
        lane = top + _LANE
        for y in rows:
            if y - _MARGIN < lane < y + HEIGHT + _MARGIN:
                lane = y + HEIGHT + _LANE
        return lane


def _through(bends: Sequence[Point]) -> Iterator[Point]:
    half = WIDTH / 2 + _MARGIN
    for x, y in bends:
        yield (x - half, y)
        yield (x + half, y)


def _level(at: Point, into: Point, x: float) -> float:
    """The height of the straight way at an x."""
    if into[0] <= at[0]:
        return into[1]
    part = min(1.0, max(0.0, (x - at[0]) / (into[0] - at[0])))
    return at[1] + (into[1] - at[1]) * part


def _grouped(corners: Sequence[Point]) -> Iterator[_Column]:
    """Corners from left to right as columns that do not overlap."""
    group: list[Point] = []
    for corner in corners:
        if group and corner[0] > group[-1][0] + WIDTH:
            yield _column(group)
            group = []
        group.append(corner)
    if group:
        yield _column(group)


def _column(corners: Sequence[Point]) -> _Column:
    blocked: list[tuple[float, float]] = []
    for _, y in sorted(corners, key=lambda corner: corner[1]):
        top, bottom = y - _MARGIN, y + HEIGHT + _MARGIN
        if blocked and top <= blocked[-1][1]:
            blocked[-1] = (blocked[-1][0], max(bottom, blocked[-1][1]))
        else:
            blocked.append((top, bottom))
    return _Column(corners[0][0] - _MARGIN, corners[-1][0] + WIDTH + _MARGIN, tuple(blocked))
