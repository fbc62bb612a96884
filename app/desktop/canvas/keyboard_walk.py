"""Going from node to node with the keyboard: the nearest in a direction, the next as the task runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from app.desktop.canvas.graph import CanvasGraph, Point
from app.desktop.canvas.layers import longest_paths, without_cycles
from engine.planning.dag import way_to, ways_from

Direction = Literal["left", "right", "up", "down"]
_STEPS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


def nearest(positions: Mapping[str, Point], here: str, direction: Direction) -> str | None:
    """The node that a person would call the next one in a direction; None at the edge."""
    x, y = positions[here]
    dx, dy = _STEPS[direction]
    best, least = None, float("inf")
    for id, (left, top) in positions.items():
        along = (left - x) * dx + (top - y) * dy
        aside = abs((left - x) * dy) + abs((top - y) * dx)
        if along > 1 and aside <= along * 3 and along + aside * 2 < least:
            best, least = id, along + aside * 2
    return best


def in_order(graph: CanvasGraph, positions: Mapping[str, Point]) -> list[str]:
    """All nodes as the task runs them: by longest path, then from the top."""
    ids = [node.id for node in graph.nodes]
    numbers = {id: number for number, id in enumerate(ids)}
    forward = [link.key for link in graph.links if link.kind != "loop"]
    links = [(numbers[a], numbers[b]) for a, b in forward if a in numbers and b in numbers]
    ranks = longest_paths(len(ids), without_cycles(len(ids), links))
    return sorted(ids, key=lambda id: (ranks[numbers[id]], positions[id][1], positions[id][0]))


def ways(graph: CanvasGraph, source: str, target: str) -> list[str]:
    """A way along the links from one node to another, both included; empty when there is none."""
    behind: dict[str, list[str]] = {}
    for link in graph.links:
        if link.kind != "loop":
            behind.setdefault(link.source, []).append(link.target)
    return way_to(target, ways_from(source, behind))
