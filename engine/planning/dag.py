"""Directed graphs of ids: order, longest distances, cycles, reachability; linear, without recursion."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

V = TypeVar("V", bound=Hashable)
Graph = Mapping[V, Sequence[V]]  # each vertex and its parents, or each vertex and its children


def turned(graph: Graph[V]) -> dict[V, list[V]]:
    """The same edges the other way round: parents become children."""
    around: dict[V, list[V]] = {vertex: [] for vertex in graph}
    for vertex, others in graph.items():
        for other in others:
            around[other].append(vertex)
    return around


def distances(parents: Graph[V]) -> dict[V, int]:
    """The longest distance from a root, whose own is 1; in topological order.

    What lies on a cycle or behind one is left out.
    """
    children = turned(parents)
    waits_for = {vertex: len(others) for vertex, others in parents.items()}
    found = {vertex: 1 for vertex, count in waits_for.items() if not count}
    ready = deque(found)
    while ready:
        vertex = ready.popleft()
        for child in children[vertex]:
            found[child] = max(found.get(child, 1), found[vertex] + 1)
            waits_for[child] -= 1
            if not waits_for[child]:
                ready.append(child)
    settled = [vertex for vertex, count in waits_for.items() if not count]
    return {vertex: found[vertex] for vertex in sorted(settled, key=found.__getitem__)}


def reach(starts: Iterable[V], graph: Graph[V]) -> dict[V, None]:
    """The starts and everything that the edges lead to from them, nearest first."""
    found = dict.fromkeys(starts)
    ready = deque(found)
    while ready:
        for other in graph[ready.popleft()]:
            if other not in found:
                found[other] = None
                ready.append(other)
    return found


def ways_from(start: V, graph: Mapping[V, Sequence[V]]) -> dict[V, V]:
    """All that the edges lead to, each with the vertex before it on a shortest way; the start with itself."""
    came = {start: start}
    ready = deque(came)
    while ready:
        here = ready.popleft()
        for other in graph.get(here, ()):
            if other not in came:
                came[other] = here
                ready.append(other)
    return came


def way_to(end: V, came: Mapping[V, V]) -> list[V]:
    """The way that ``ways_from`` found, both ends included; empty where there is none."""
    if end not in came:
        return []
    way = [end]
    while came[way[-1]] != way[-1]:
        way.append(came[way[-1]])
    return way[::-1]


def cycles(parents: Graph[V]) -> list[tuple[V, ...]]:
    """Cycles that share no vertex, each in the direction of the edges, until none is left over.

    A cycle ``a -> b -> a`` is ``(a, b)``, beginning with the vertex that comes first in ``parents``.
    """
    position = {vertex: index for index, vertex in enumerate(parents)}
    found: list[tuple[V, ...]] = []
    core = _core(dict.fromkeys(parents), parents)
    while core:
        these = [_beginning_with_first(cycle, position) for cycle in _apart(core, parents)]
        found.extend(these)
        seen = {vertex for cycle in these for vertex in cycle}
        core = _core({vertex: None for vertex in core if vertex not in seen}, parents)
    return sorted(found, key=lambda cycle: position[cycle[0]])


def _core(among: dict[V, None], parents: Graph[V]) -> dict[V, None]:
    """What remains when everything before and behind the cycles is cut off."""
    ahead = {vertex: [p for p in parents[vertex] if p in among] for vertex in among}
    reached = distances(ahead)
    left = {vertex: None for vertex in among if vertex not in reached}
    back = turned({vertex: [p for p in ahead[vertex] if p in left] for vertex in left})
    ended = distances(back)
    return {vertex: None for vertex in left if vertex not in ended}


def _apart(core: dict[V, None], parents: Graph[V]) -> Iterator[list[V]]:
    """The cycles that one walks into when each vertex leads to one parent only."""
    back = {vertex: next(parent for parent in parents[vertex] if parent in core) for vertex in core}
    walk_of: dict[V, V] = {}
    for start in core:
        walked: dict[V, int] = {}
        vertex = start
        while vertex not in walk_of:
            walk_of[vertex] = start
            walked[vertex] = len(walked)
            vertex = back[vertex]
        if vertex in walked:
            yield list(walked)[walked[vertex] :][::-1]  # walked against the edges


def _beginning_with_first(cycle: list[V], position: Mapping[V, int]) -> tuple[V, ...]:
    first = cycle.index(min(cycle, key=position.__getitem__))
    return tuple(cycle[first:] + cycle[:first])


class Upstream(Generic[V]):
    """Who comes before whom, as one bit set for each vertex (a megabyte or three for 5,000 of them)."""

    def __init__(self, parents: Graph[V]) -> None:
        self._bit: dict[V, int] = {}
        self._above: dict[V, int] = {}
        for vertex in distances(parents):
            self._bit[vertex] = 1 << len(self._bit)
            above = 0
            for parent in parents[vertex]:
                above |= self._above[parent] | self._bit[parent]
            self._above[vertex] = above

    def holds(self, earlier: V, later: V) -> bool:
        """Whether a way leads from ``earlier`` to ``later``."""
        return bool(self._above.get(later, 0) & self._bit.get(earlier, 0))

    def mask(self, vertices: Iterable[V]) -> int:
        """Several vertices as one set, for ``behind``."""
        found = 0
        for vertex in vertices:
            found |= self._bit[vertex]
        return found

    def behind(self, vertex: V, mask: int) -> bool:
        """Whether the vertex is in the set, or a way leads to it from one that is."""
        return bool((self._above[vertex] | self._bit[vertex]) & mask)
