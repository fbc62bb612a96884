"""The shape of a task: in which order its nodes are shown, and what each of them waits for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Parents = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Shape:
    """``order``: the place of each node in lists. ``parents``: what it comes after, conditions included."""

    order: Mapping[str, int] = field(default_factory=dict)
    parents: Parents = field(default_factory=dict)


def shape_of(raw: Mapping[str, Any], task: str) -> Shape:
    """The shape of ``task`` in a tree of definitions; an empty one when the tree does not have it."""
    nodes = (raw.get("tasks") or {}).get(task, {}).get("nodes") or {}
    jobs = raw.get("jobs") or {}
    parents = {id: _listed(node.get("after")) for id, node in nodes.items()}
    for id, node in nodes.items():
        for child in _branched(node, jobs):
            if child in parents and id not in parents[child]:
                parents[child] = (*parents[child], id)
    ranked = sorted(nodes, key=_depths(parents).__getitem__)  # stable: the file's order within a depth
    return Shape({id: place for place, id in enumerate(ranked)}, parents)


def _branched(node: Mapping[str, Any], jobs: Mapping[str, Any]) -> Iterable[str]:
    """The nodes that the branches of a condition name; its keys may stand in a job of the file."""
    keys = jobs.get(str(node.get("job")), node)
    branches = keys.get("branches") or {}
    for branch in branches.values():
        yield from _listed(branch.get("run") if isinstance(branch, Mapping) else branch)


def _depths(parents: Parents) -> dict[str, int]:
    """How far each node is from the roots; what stands on a cycle comes last."""
    waiting = {id: {each for each in after if each in parents} for id, after in parents.items()}
    children: dict[str, list[str]] = {id: [] for id in parents}
    for id, after in waiting.items():
        for parent in after:
            children[parent].append(id)
    depths = dict.fromkeys(parents, len(parents))
    level, depth = [id for id, after in waiting.items() if not after], 0
    while level:
        depths.update(dict.fromkeys(level, depth))
        level, depth = _released(level, children, waiting), depth + 1
    return depths


def _released(level: list[str], children: Mapping[str, list[str]], waiting: dict[str, set[str]]) -> list[str]:
    free = []
    for parent in level:
        for child in children[parent]:
            waiting[child].discard(parent)
            if not waiting[child]:
                free.append(child)
    return free


def _listed(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(str(each) for each in value) if isinstance(value, (list, tuple)) else (str(value),)
