"""The order of each layer from the top: barycentres and swaps, so that few links cross.

The effort is counted in steps, not in seconds: the same graph gives the same picture everywhere.
"""

from __future__ import annotations

import random
from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise

from app.desktop.canvas.layers import Layered

_EFFORT = 60_000  # visits of a link; about a tenth of a second
_SWEEPS = 12  # of one trial
_SWAPS_BELOW = 2_500  # vertices; swapping pays in small pictures, where each crossing is seen

Layers = list[list[int]]


def ordered(graph: Layered) -> Layers:
    """The layers in the best order that the effort finds."""
    cost = sum(map(len, graph.behind)) + len(graph.behind) + 1
    sweeps = max(2, min(_SWEEPS, _EFFORT // cost))
    trials = max(1, min(8, _EFFORT // (cost * sweeps)))
    chance = random.Random(7)
    best, fewest = graph.layers, -1
    for trial in range(trials):
        layers, count = _trial(graph, _start(graph, trial, chance), sweeps)
        if fewest < 0 or count < fewest:
            best, fewest = layers, count
        if not fewest:
            break
    return best


def _start(graph: Layered, trial: int, chance: random.Random) -> Layers:
    layers = [list(layer) for layer in graph.layers]
    if trial:
        for layer in layers:
            chance.shuffle(layer)
    return layers


def _trial(graph: Layered, layers: Layers, sweeps: int) -> tuple[Layers, int]:
    places = [0] * len(graph.behind)
    _number(layers, places)
    best, fewest = [list(layer) for layer in layers], crossings(layers, graph.behind)
    for sweep in range(sweeps):
        if sweep % 2:
            _sweep(layers[-2::-1], graph.behind, places)
        else:
            _sweep(layers[1:], graph.before, places)
        if sweep >= 2 and len(places) <= _SWAPS_BELOW:
            _swap(graph, layers, places)
        count = crossings(layers, graph.behind)
        if count < fewest:
            best, fewest = [list(layer) for layer in layers], count
        if not fewest:
            break
    return best, fewest


def _number(layers: Layers, places: list[int]) -> None:
    for layer in layers:
        for place, vertex in enumerate(layer):
            places[vertex] = place


def _sweep(layers: Layers, neighbours: Sequence[Sequence[int]], places: list[int]) -> None:
    """Sort each layer by the mean place of its neighbours in the one that was sorted before."""
    for layer in layers:
        means = {}
        for vertex in layer:
            near = neighbours[vertex]
            means[vertex] = sum([places[each] for each in near]) / len(near) if near else places[vertex]
        layer.sort(key=means.__getitem__)
        for place, vertex in enumerate(layer):
            places[vertex] = place


def _swap(graph: Layered, layers: Layers, places: list[int]) -> None:
    """Swap neighbours in a layer where that takes crossings away."""
    for layer in layers:
        for i in range(len(layer) - 1):
            upper, lower = layer[i], layer[i + 1]
            if _gain(graph, upper, lower, places) > 0:
                layer[i], layer[i + 1] = lower, upper
                places[upper], places[lower] = i + 1, i


def _gain(graph: Layered, upper: int, lower: int, places: Sequence[int]) -> int:
    gain = 0
    for neighbours in (graph.before, graph.behind):
        above = [places[each] for each in neighbours[upper]]
        below = [places[each] for each in neighbours[lower]]
        gain += sum((a > b) - (a < b) for a in above for b in below)
    return gain


def crossings(layers: Layers, behind: Sequence[Sequence[int]]) -> int:
    """How many pairs of links cross between neighbouring layers."""
    count = 0
    for left, right in pairwise(layers):
        places = {vertex: place for place, vertex in enumerate(right)}
        seen: list[int] = []
        for vertex in left:
            ends = sorted([places[each] for each in behind[vertex]])
            count += sum([len(seen) - bisect_right(seen, end) for end in ends])
            for end in ends:
                insort(seen, end)
    return count
