"""Heights of ordered layers: near their neighbours, never closer than a gap, in the order given."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.desktop.canvas.layers import Layered

_PASSES = 8
_FIRST = 2  # passes that look one way only


def heights(graph: Layered, layers: Sequence[Sequence[int]], room: Callable[[int], float]) -> list[float]:
    """The middle of every vertex; ``room`` is the height that one needs, its gap included."""
    found = [0.0] * len(graph.behind)
    for layer in layers:
        _stack(layer, found, room)
    both = [[*left, *right] for left, right in zip(graph.before, graph.behind, strict=True)]
    for sweep in range(_PASSES):
        backwards = sweep % 2 == 1
        neighbours = both if sweep >= _FIRST else graph.behind if backwards else graph.before
        for layer in reversed(layers) if backwards else layers:
            _settle(layer, neighbours, graph.real, found, room)
    return found


def _stack(layer: Sequence[int], found: list[float], room: Callable[[int], float]) -> None:
    """One below the other around zero."""
    at = -sum(map(room, layer)) / 2
    for vertex in layer:
        found[vertex] = at + room(vertex) / 2
        at += room(vertex)


def _settle(
    layer: Sequence[int],
    neighbours: Sequence[Sequence[int]],
    real: int,
    found: list[float],
    room: Callable[[int], float],
) -> None:
    """Move a layer as near to its neighbours as its order and the gaps allow."""
    wanted, weights, offsets, offset = [], [], [], 0.0
    last = 0.0
    for vertex in layer:
        near = neighbours[vertex]
        offset += (last + room(vertex)) / 2
        last = room(vertex)
        offsets.append(offset)
        middle = sum([found[each] for each in near]) / len(near) if near else found[vertex]
        wanted.append(middle - offset)
        straight = vertex >= real and bool(near) and near[0] >= real
        weights.append(8.0 if straight else 1.0 if near else 0.2)
    for vertex, level, shift in zip(layer, rising(wanted, weights), offsets, strict=True):
        found[vertex] = level + shift


def rising(wanted: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The nearest values (least weighted squares) that never fall: pool adjacent violators.

    >>> rising([3.0, 1.0, 4.0], [1.0, 1.0, 1.0])
    [2.0, 2.0, 4.0]
    """
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for value, weight in zip(wanted, weights, strict=True):
        mean, total, many = value, weight, 1
        while pools and pools[-1][0] > mean:
            above, heavy, count = pools.pop()
            mean = (mean * total + above * heavy) / (total + heavy)
            total, many = total + heavy, many + count
        pools.append((mean, total, many))
    return [mean for mean, _, many in pools for _ in range(many)]
