"""The outline of a task's graph: its arrows, what each node waits for, and the order of the nodes.

The planner makes it of a task that was read, everything else of the task's tree, which may be unfinished:
what has not the form of a definition file is left out.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from engine.planning.dag import distances, reach, turned
from engine.planning.sequence import in_sequence

Tree = Mapping[str, Any]
Key = tuple[str, str]  # a condition's node and one key of its branches


class Arrow(NamedTuple):
    """``target`` comes after ``source``, belongs to a branch of it, or is where its loop begins again.

    ``label`` is the key of the branch or loop.
    """

    source: str
    target: str
    kind: Literal["after", "branch", "loop"] = "after"
    label: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """The arrows between nodes that exist, each once.

    ``parents``: the nodes that each comes after, then the conditions whose branches name it. ``gates``: a
    node named in a branch -> the condition and key, the first that names it. ``sorts``: the longest distance
    from a root, whose own is 1, in topological order, without what lies on a cycle or behind one. ``order``:
    the position of every node: by distance, then as in the file; cycles come last.
    """

    arrows: tuple[Arrow, ...] = ()
    parents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gates: Mapping[str, Key] = field(default_factory=dict)
    sorts: Mapping[str, int] = field(default_factory=dict)
    order: Mapping[str, int] = field(default_factory=dict)

    def upstream(self, node: str) -> tuple[str, ...]:
        """Everything before a node, the nearest first."""
        return _beyond(node, self.parents)

    def downstream(self, node: str) -> tuple[str, ...]:
        """Everything after a node, the nearest first."""
        return _beyond(node, turned(self.parents))


def outline(nodes: Iterable[str], arrows: Iterable[Arrow]) -> Outline:
    """The outline of these nodes; arrows from or to others are left out."""
    parents: dict[str, dict[str, None]] = {id: {} for id in nodes}
    drawn = _drawn(parents, arrows)
    gates: dict[str, Key] = {}
    for arrow in sorted(drawn, key=lambda arrow: arrow.kind == "branch"):
        if arrow.kind != "loop":
            parents[arrow.target][arrow.source] = None
        if arrow.kind == "branch":
            gates.setdefault(arrow.target, (arrow.source, arrow.label))
    whole = {id: tuple(each) for id, each in parents.items()}
    sorts = distances(whole)
    ordered = sorted(whole, key=lambda id: sorts.get(id, len(whole) + 1))  # stable: as in the file
    forward = {id: sorts[id] for id in ordered if id in sorts}
    return Outline(drawn, whole, gates, forward, {id: index for index, id in enumerate(ordered)})


def arrows_of(task: Tree, jobs: Tree) -> tuple[Arrow, ...]:
    """The arrows of an outline alone, for who draws them: a third of what all of it takes."""
    return _drawn(nodes_of(task), _arrows(task, jobs))


def _drawn(nodes: Container[str], arrows: Iterable[Arrow]) -> tuple[Arrow, ...]:
    return tuple(dict.fromkeys(each for each in arrows if each.source in nodes and each.target in nodes))


def outline_of(task: Tree, jobs: Tree) -> Outline:
    """The outline of a task's tree; ``jobs`` are those that its nodes may name."""
    return outline(nodes_of(task), _arrows(task, jobs))


def outline_in(definitions: Tree, task: str) -> Outline:
    """The outline of a task in a tree of definitions; an empty one where the tree does not have it."""
    return outline_of(map_of(map_of(definitions.get("tasks")).get(task)), map_of(definitions.get("jobs")))


def afters(task: Tree, jobs: Tree) -> dict[str, list[str]]:
    """What each node comes after: what it says, or by its place in a task that is a sequence."""
    nodes = nodes_of(task)
    own = {id: ids_of(node.get("after")) for id, node in nodes.items() if "after" in node}
    if task.get("sequence") is not True:
        return own
    branches = (each for node in nodes.values() for each in branches_of(node, jobs).values())
    return {**in_sequence(nodes, own, {id for each in branches for id in each["run"]}), **own}


def _arrows(task: Tree, jobs: Tree) -> Iterator[Arrow]:
    for id, node in nodes_of(task).items():
        for key, branch in branches_of(node, jobs).items():
            yield from (Arrow(id, target, "branch", key) for target in branch["run"])
            if branch.get("again"):
                yield Arrow(id, str(branch.get("from") or id), "loop", key)
    for id, sources in afters(task, jobs).items():
        yield from (Arrow(source, id) for source in sources)


def _beyond(node: str, edges: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    graph = {id: tuple(others) for id, others in edges.items()}
    return tuple(id for id in reach(graph.get(node, ()), graph) if id != node)


def map_of(value: Any) -> Tree:
    """A map as it is, anything else as an empty one."""
    return value if isinstance(value, Mapping) else {}


def nodes_of(task: Tree) -> dict[str, Tree]:
    return {str(id): map_of(node) for id, node in map_of(task.get("nodes")).items()}


def job_of(node: Tree, jobs: Tree) -> Tree:
    """The job's keys: the node's own, or those of the job that it names."""
    return map_of(jobs.get(str(node["job"]))) if "job" in node else node


def ids_of(value: Any) -> list[str]:
    """A list of ids, also of one by itself; whatever can be no id is left out.

    >>> ids_of(["a", 5, None]), ids_of("load")
    (['a', '5'], ['load'])
    """
    listed = value if isinstance(value, (list, tuple)) else [value]
    return [str(each) for each in listed if isinstance(each, (str, int)) and not isinstance(each, bool)]


def branches_of(node: Tree, jobs: Tree) -> dict[str, dict[str, Any]]:
    """The branches of a condition by key, each a map with the list ``run``; nothing for other nodes."""
    job = job_of(node, jobs)
    if job.get("type") != "condition":
        return {}
    found = {branch_key(key): each for key, each in map_of(job.get("branches")).items()}
    return {
        key: {**map_of(each), "run": ids_of(each.get("run") if isinstance(each, Mapping) else each)}
        for key, each in found.items()
    }


def branch_key(key: object) -> str:
    """Keys are compared as text: ``true`` in the file is 'true'."""
    return str(key).lower() if isinstance(key, bool) else str(key)
