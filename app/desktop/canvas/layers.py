"""A graph cut into layers: every vertex in the column of its longest path, long links through dummies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Links = Sequence[tuple[int, int]]


@dataclass(slots=True)
class Layered:
    """Vertices by number; those from ``real`` on are dummies that long links pass through.

    ``layers`` lists them column by column from the top, ``before`` and ``behind`` are their
    neighbours one column to the left and right. ``chains`` leads a link through its dummies; links of
    one source share them.
    """

    real: int
    layers: list[list[int]]
    before: list[list[int]]
    behind: list[list[int]]
    chains: dict[tuple[int, int], tuple[int, ...]]


def layered(count: int, links: Links) -> Layered:
    """Cut the graph of ``count`` vertices; links that close a cycle are turned for the drawing."""
    forward = without_cycles(count, links)
    ranks = _drawn_in(longest_paths(count, forward), forward)
    layers: list[list[int]] = [[] for _ in range(max(ranks, default=-1) + 1)]
    for vertex, rank in enumerate(ranks):
        layers[rank].append(vertex)
    made = Layered(count, layers, [[] for _ in range(count)], [[] for _ in range(count)], {})
    _thread(made, ranks, forward)
    return made


def _drawn_in(ranks: Sequence[int], links: Links) -> list[int]:
    """Roots are placed right before the first that needs them: the picture stays small."""
    nearest: dict[int, int] = {}
    for source, target in links:
        nearest[source] = min(ranks[target], nearest.get(source, ranks[target]))
    return [nearest[v] - 1 if not rank and v in nearest else rank for v, rank in enumerate(ranks)]


def _thread(made: Layered, ranks: Sequence[int], links: Links) -> None:
    """Lead every link from column to column, over dummies where it crosses one."""
    dummies: dict[tuple[int, int], int] = {}
    for source, target in links:
        chain, last = [], source
        for rank in range(ranks[source] + 1, ranks[target]):
            known = dummies.get((source, rank))
            if known is None:
                known = dummies[source, rank] = _dummy(made, rank)
                _join(made, last, known)
            chain.append(known)
            last = known
        _join(made, last, target)
        made.chains[source, target] = tuple(chain)


def _dummy(made: Layered, rank: int) -> int:
    number = len(made.before)
    made.before.append([])
    made.behind.append([])
    made.layers[rank].append(number)
    return number


def _join(made: Layered, left: int, right: int) -> None:
    made.behind[left].append(right)
    made.before[right].append(left)


def without_cycles(count: int, links: Links) -> list[tuple[int, int]]:
    """The links without doubles and self-loops; one that closes a cycle is turned around."""
    behind: list[list[int]] = [[] for _ in range(count)]
    for source, target in dict.fromkeys(links):
        if source != target:
            behind[source].append(target)
    place = {vertex: i for i, vertex in enumerate(_finished(count, behind))}
    turned = [(s, t) if place[s] > place[t] else (t, s) for s in range(count) for t in behind[s]]
    return list(dict.fromkeys(turned))


def _finished(count: int, behind: Sequence[Sequence[int]]) -> Iterable[int]:
    """The vertices as a depth-first search leaves them; no recursion, chains may be long."""
    seen = [False] * count
    for root in range(count):
        stack = [] if seen[root] else [(root, iter(behind[root]))]
        seen[root] = True
        while stack:
            vertex, rest = stack[-1]
            step = next((each for each in rest if not seen[each]), None)
            if step is None:
                stack.pop()
                yield vertex
            else:
                seen[step] = True
                stack.append((step, iter(behind[step])))


def longest_paths(count: int, links: Links) -> list[int]:
    """How many links the longest way from a root to each vertex has; the links have no cycle."""
    behind: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for source, target in links:
        behind[source].append(target)
        missing[target] += 1
    ranks = [0] * count
    ready = [vertex for vertex in range(count) if not missing[vertex]]
    while ready:
        vertex = ready.pop()
        for target in behind[vertex]:
            ranks[target] = max(ranks[target], ranks[vertex] + 1)
            missing[target] -= 1
            if not missing[target]:
                ready.append(target)
    return ranks
