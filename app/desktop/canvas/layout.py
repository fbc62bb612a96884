"""Positions of nodes that have none: in layers; the same graph gives the same picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from app.desktop.canvas.coordinates import heights
from app.desktop.canvas.graph import GRID, HEIGHT, WIDTH, CanvasGraph, LinkKey, Point
from app.desktop.canvas.layers import layered
from app.desktop.canvas.ordering import ordered

COLUMN = WIDTH + 88.0  # from one layer to the next
ROW = HEIGHT + 24.0
_LANE = 20.0  # the height that a passing link needs
_LONELY = 6  # nodes without links are in rows of so many


@dataclass(frozen=True, slots=True)
class Layout:
    """Upper left corners of nodes, and the points that long links pass between them."""

    positions: Mapping[str, Point]
    bends: Mapping[LinkKey, tuple[Point, ...]] = field(default_factory=dict)


def arrange(graph: CanvasGraph, pinned: Mapping[str, Point] | None = None) -> Layout:
    """Place every node; those in ``pinned`` stay where they are and the others make room."""
    joined = {end for link in graph.links for end in link.key if link.source != link.target}
    linked = [node.id for node in graph.nodes if node.id in joined]
    free = [node.id for node in graph.nodes if node.id not in joined]
    layout = _layers(linked, graph)
    bottom = max((y for _, y in layout.positions.values()), default=-ROW) + ROW * (1.5 if linked else 1)
    positions = {**layout.positions, **_rows(free, bottom)}
    if not pinned:
        return Layout(positions, layout.bends)
    return Layout(_around(positions, {id: at for id, at in pinned.items() if id in positions}))


def _layers(ids: list[str], graph: CanvasGraph) -> Layout:
    numbers = {id: number for number, id in enumerate(ids)}
    links = [(numbers[s], numbers[t]) for s, t in _forward(graph) if s in numbers and t in numbers]
    cut = layered(len(ids), links)
    layers = ordered(cut)
    middles = heights(cut, layers, lambda vertex: ROW if vertex < cut.real else _LANE)
    columns = {vertex: rank for rank, layer in enumerate(layers) for vertex in layer}
    top = min((middles[number] for number in range(cut.real)), default=0.0)
    positions = {id: (columns[i] * COLUMN, _snapped(middles[i] - top)) for id, i in numbers.items()}
    bends = {}
    for (source, target), chain in cut.chains.items():
        points = tuple(
            (columns[each] * COLUMN + WIDTH / 2, middles[each] - top + HEIGHT / 2) for each in chain
        )
        bends[ids[source], ids[target]] = points
        bends[ids[target], ids[source]] = points[::-1]
    return Layout(positions, {key: bends[key] for key in _forward(graph) if bends.get(key)})


def _forward(graph: CanvasGraph) -> Iterable[LinkKey]:
    return [link.key for link in graph.links if link.kind != "loop"]


def _rows(ids: Iterable[str], top: float) -> dict[str, Point]:
    return {id: ((i % _LONELY) * COLUMN, top + (i // _LONELY) * ROW) for i, id in enumerate(ids)}


def _snapped(value: float) -> float:
    return round(value / GRID) * GRID


def _around(positions: Mapping[str, Point], pinned: Mapping[str, Point]) -> dict[str, Point]:
    """The layout moved as a whole to where the pinned nodes are; a node on top of another moves down."""
    if not pinned:
        return dict(positions)
    right = _snapped(sum(pinned[id][0] - positions[id][0] for id in pinned) / len(pinned))
    down = _snapped(sum(pinned[id][1] - positions[id][1] for id in pinned) / len(pinned))
    placed, taken = dict(pinned), _Taken(pinned.values())
    for id, (x, y) in positions.items():
        if id not in pinned:
            placed[id] = taken.free((x + right, y + down))
            taken.add(placed[id])
    return {id: placed[id] for id in positions}


class _Taken:
    """The positions that are taken, by cells of the size of a node."""

    def __init__(self, points: Iterable[Point]) -> None:
        self._cells: dict[tuple[int, int], list[Point]] = {}
        for point in points:
            self.add(point)

    def add(self, point: Point) -> None:
        self._cells.setdefault((int(point[0] // COLUMN), int(point[1] // ROW)), []).append(point)

    def free(self, point: Point) -> Point:
        """The nearest place at or below ``point`` where a node fits."""
        x, y = point
        while (other := self._at(x, y)) is not None:
            y = _snapped(other[1] + ROW)
        return x, y

    def _at(self, x: float, y: float) -> Point | None:
        column, row = int(x // COLUMN), int(y // ROW)
        near = ((column + i, row + j) for i in (-1, 0, 1) for j in (-1, 0, 1))
        points = (point for cell in near for point in self._cells.get(cell, ()))
        return next(
            (p for p in points if abs(p[0] - x) < WIDTH + GRID and abs(p[1] - y) < HEIGHT + GRID), None
        )


def free_place(taken: Iterable[Point], wanted: Point) -> Point:
    """The nearest place at or below ``wanted``, on the grid, where a further node fits."""
    return _Taken(taken).free((_snapped(wanted[0]), _snapped(wanted[1])))
