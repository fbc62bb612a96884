"""Branches and loops of a DAG: what belongs to a branch, what runs again, which loops could never go on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from engine.model.codes import planning as codes
from engine.model.findings import Finding, error
from engine.planning.dag import Upstream, cycles, turned
from engine.planning.graph import Graph, node_path
from engine.planning.outline import Key
from engine.planning.shape import BranchLoop

Branches = Mapping[Key, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Loops:
    """All loops of a task, and the branches that they can reach; see :class:`Plan`."""

    loops: Mapping[Key, BranchLoop]
    branches: Branches
    inner: Branches


class LoopFinder:
    """Works the loops out of a graph without cycles."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._children = turned(graph.outline.parents)
        self._upstream = Upstream(graph.outline.parents)

    def find(self) -> Loops:
        """Every loop. A task without one costs nothing."""
        again = {(c, key): branch for c, key, branch in self._graph.conditions() if branch.again}
        paths = {key: self._path(key[0], branch.from_) for key, branch in again.items()}
        branches = self._branches({c for path in paths.values() for c in path})
        loops = {key: self._loop(key, paths[key], branches) for key in again}
        inner: dict[Key, set[str]] = {}
        for loop in loops.values():
            for key in self._around(loop.condition, loop.path, branches):
                if key not in loops:
                    inner.setdefault(key, set()).add(loop.condition)
        return Loops(loops, branches, {key: frozenset(found) for key, found in inner.items()})

    def _path(self, condition: str, start: str | None) -> frozenset[str]:
        """The nodes on the ways from ``start`` to the condition, both included; just that without a start."""
        ahead = [start] if start is not None and self._upstream.holds(start, condition) else []
        found = {condition, *ahead}
        while ahead:
            for child in self._children[ahead.pop()]:
                if child not in found and self._upstream.holds(child, condition):
                    found.add(child)
                    ahead.append(child)
        return frozenset(found)

    def _branches(self, among: Iterable[str]) -> dict[Key, frozenset[str]]:
        """The whole of each branch of the conditions ``among`` and of the conditions in those branches."""
        found: dict[Key, frozenset[str]] = {}
        ahead = [id for id in among if self._graph.branches(id)]
        while ahead:
            condition = ahead.pop()
            for key in self._graph.branches(condition):
                if (condition, key) not in found:
                    found[condition, key] = self._closure((condition, key))
                    ahead.extend(id for id in found[condition, key] if self._graph.branches(id))
        return found

    def _closure(self, key: Key) -> frozenset[str]:
        """The nodes of a branch and what is reachable only through them."""
        gates, parents = self._graph.outline.gates, self._graph.outline.parents
        found = dict.fromkeys(id for id in self._children[key[0]] if gates.get(id) == key)
        ahead = list(found)
        while ahead:
            for child in self._children[ahead.pop()]:
                gate = gates.get(child)
                belongs = gate[0] in found if gate else all(parent in found for parent in parents[child])
                if belongs and child not in found:
                    found[child] = None
                    ahead.append(child)
        return frozenset(found)

    def _loop(self, key: Key, path: frozenset[str], branches: Branches) -> BranchLoop:
        condition = key[0]
        on_the_way = (other for owner in path - {condition} for other in self._keys(owner))
        inner = {id for other in on_the_way for id in branches[other]}
        around = self._around(condition, path, branches)
        waiting = [id for each in (key, *around) for id in exits(self._graph, self._children, each)]
        after = self._upstream.mask(waiting)
        holding = {condition, *(owner for owner, _ in around)}
        body = {id for id in (inner | path) - holding if not self._upstream.behind(id, after)}
        return BranchLoop(*key, branches[key], path, branches[key] | body)

    def _around(self, condition: str, path: frozenset[str], branches: Branches) -> list[Key]:
        """The branches of conditions on the path that hold the loop's condition itself."""
        return [key for owner in path for key in self._keys(owner) if condition in branches[key]]

    def _keys(self, condition: str) -> Iterator[Key]:
        return ((condition, key) for key in self._graph.branches(condition))


def exits(graph: Graph, children: Mapping[str, list[str]], key: Key) -> list[str]:
    """What waits until a condition has left the loop of this branch."""
    return [child for child in children[key[0]] if graph.outline.gates.get(child) != key]


def deadlocks(graph: Graph, loops: Loops) -> Iterator[Finding]:
    """Loops whose next round waits for what starts only when the loop is left.

    To the arrows of the DAG come those of leaving: everything that a held branch must see ended comes before
    the branch's own point (its key), and that before all that waits for the condition to leave the loop.
    """
    for cycle in cycles(_waits(graph, loops)):
        names = [point if isinstance(point, str) else point[0] for point in cycle]
        path = " -> ".join((*names, names[0]))
        message = "a loop of task '{task}' waits for what comes only after it: {path}"
        yield error(codes.LOOP_WAITS, message, node_path(graph.task, names[0]), task=graph.task.id, path=path)


Point = str | Key


def _waits(graph: Graph, loops: Loops) -> dict[Point, list[Point]]:
    waits: dict[Point, list[Point]] = {id: list(parents) for id, parents in graph.outline.parents.items()}
    held = {**loops.inner, **{key: loop.body for key, loop in loops.loops.items()}}
    points: dict[str, list[Key]] = {}
    for key in held:
        points.setdefault(key[0], []).append(key)
    children = turned(graph.outline.parents)
    for key, members in held.items():
        waits[key] = [point for id in sorted(members) for point in (id, *points.get(id, ()))]
    for key in held:
        others = [other for other in points[key[0]] if other != key]
        for id in _held_back(graph, children, key, others, loops.branches):
            waits[id].append(key)
        for point, members in held.items() if others else ():
            if point[0] != key[0] and any(members & loops.branches[other] for other in others):
                waits[point].append(key)
    return waits


def _held_back(
    graph: Graph, children: Mapping[str, list[str]], key: Key, others: list[Key], branches: Branches
) -> Iterator[str]:
    """The nodes that wait for the condition; of its other held branches only what follows them.

    (Two branches of one condition do not wait for each other: only one is taken at a time.)
    """
    for child in exits(graph, children, key):
        if graph.outline.gates.get(child) not in others:
            yield child
    for other in others:
        yield from {c for id in branches[other] for c in children[id] if c not in branches[other]}
