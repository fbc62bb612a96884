"""The way of every link: from the right of its source to the left of its target, around nodes in between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.desktop.canvas.graph import HEIGHT, WIDTH, GraphLink, LinkKey, Point

_MARGIN = 10.0  # kept between a link and a node that it passes
_LANE = 18.0  # how far below the nodes a loop runs
_CELL = WIDTH + 88.0

Route = tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class _Column:
    """Nodes that share a range of x, as the stretches of y that they block."""

    left: float
    right: float
    blocked: tuple[tuple[float, float], ...]

    def gap(self, low: float, high: float) -> float | None:
        """The y to pass at, nearest to the middle of both; None when the straight way is free."""
        if not any(top < high and low < bottom for top, bottom in self.blocked):
            return None
        wanted = (low + high) / 2
        edges = [edge for stretch in self.blocked for edge in stretch]
        free = [edge for edge in edges if not any(top < edge < bottom for top, bottom in self.blocked)]
        return min(free, key=lambda edge: abs(edge - wanted))


class Router:
    """Finds ways between nodes that stand at ``positions`` (upper left corners)."""

    def __init__(self, positions: Mapping[str, Point]) -> None:
        self._positions = positions
        self._cells: dict[int, list[str]] = {}
        for id, (x, _) in positions.items():
            for cell in range(int(x // _CELL), int((x + WIDTH) // _CELL) + 1):
                self._cells.setdefault(cell, []).append(id)

    def route(self, link: GraphLink, bends: Sequence[Point] = ()) -> Route:
        """The points of a link; ``bends`` are places that the layout kept free for it."""
        start, end = self._positions[link.source], self._positions[link.target]
        if link.kind == "loop" or end[0] < start[0] + WIDTH:
            return self._back(link, start, end)
        out, into = (start[0] + WIDTH, start[1] + HEIGHT / 2), (end[0], end[1] + HEIGHT / 2)
        if bends:
            return (out, *_through(bends), into)
        return (out, *self._around(out, into, {link.source, link.target}), into)

    def _around(self, out: Point, into: Point, ends: set[str]) -> Iterator[Point]:
        """The points at which the straight way has to leave for a gap."""
        at = out
        for column in self._columns(out[0], into[0], ends):
            low, high = sorted((_level(at, into, column.left), _level(at, into, column.right)))
            y = column.gap(low, high)
            if y is not None:
                left, right = max(column.left, out[0]), min(column.right, into[0])
                yield (left, y)
                at = (right, y)
                yield at

    def _columns(self, left: float, right: float, ends: set[str]) -> Iterator[_Column]:
        near = {
            id
            for cell in range(int(left // _CELL), int(right // _CELL) + 1)
            for id in self._cells.get(cell, ())
        }
        corners = sorted(self._positions[id] for id in near - ends)
        inside = [(x, y) for x, y in corners if x < right - 1 and x + WIDTH > left + 1]
        group: list[Point] = []
        for corner in inside:
            if group and corner[0] > group[-1][0] + WIDTH:
                yield _column(group)
                group = []
            group.append(corner)
        if group:
            yield _column(group)

    def _back(self, link: GraphLink, start: Point, end: Point) -> Route:
        """Out of the bottom, along a free lane, and up into the bottom of the target."""
        source, target = start[0] + WIDTH / 2, end[0] + WIDTH / 2
        left, right = sorted((source, target))
        y = self._lane(left, right, max(start[1], end[1]) + HEIGHT)
        return (source, start[1] + HEIGHT), (source, y), (target, y), (target, end[1] + HEIGHT)

    def _lane(self, left: float, right: float, top: float) -> float:
        cells = range(int(left // _CELL), int(right // _CELL) + 1)
        near = {id for cell in cells for id in self._cells.get(cell, ())}
        corners = [self._positions[id] for id in near]
        rows = sorted(y for x, y in corners if x < right + _MARGIN and x + WIDTH > left - _MARGIN)
        lane = top + _LANE
        for y in rows:
            if y - _MARGIN < lane < y + HEIGHT + _MARGIN:
                lane = y + HEIGHT + _LANE
        return lane


def routes(
    links: Iterable[GraphLink], positions: Mapping[str, Point], bends: Mapping[LinkKey, Sequence[Point]]
) -> dict[LinkKey, Route]:
    """The ways of all links whose ends have a place."""
    router = Router(positions)
    known = (link for link in links if link.source in positions and link.target in positions)
    return {link.key: router.route(link, bends.get(link.key, ())) for link in known}


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


def _column(corners: Sequence[Point]) -> _Column:
    stretches = [(y - _MARGIN, y + HEIGHT + _MARGIN) for _, y in corners]
    left, right = corners[0][0] - _MARGIN, corners[-1][0] + WIDTH + _MARGIN
    return _Column(left, right, tuple(stretches))
