"""From a task as it stands in a definition file to its picture, however much is wrong in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.desktop.canvas.graph import Graph, GraphLink, GraphNode, Point

Tree = Mapping[str, Any]


def graph_of(task: Tree, jobs: Tree) -> Graph:
    """The picture of a task's tree; ``jobs`` are those that its nodes may name."""
    nodes = {str(id): map_of(node) for id, node in map_of(task.get("nodes")).items()}
    links = dict.fromkeys(
        each for each in _links(nodes, jobs) if each.source in nodes and each.target in nodes
    )
    drawn = tuple(graph_node(id, node, jobs) for id, node in nodes.items())
    return Graph(drawn, tuple(links))


def graph_node(id: str, node: Tree, jobs: Tree) -> GraphNode:
    """One node as it is drawn."""
    job = job_of(node, jobs)
    named = str(node["job"]) if "job" in node else ""
    title = str(node.get("name") or id)
    below = named if named and named != id else str(job.get("name") or "") if named else ""
    type = str(job.get("type") or "")
    faint = node.get("enabled") is False
    return GraphNode(id, title, type, below or type, None, tuple(badges(node)), position(node), faint=faint)


def job_of(node: Tree, jobs: Tree) -> Tree:
    """The job's keys: the node's own, or those of the job that it names."""
    return map_of(jobs.get(str(node["job"]))) if "job" in node else node


def badges(node: Tree) -> Iterator[str]:
    """The marks of a node: a batch, a for-each, a condition of its own."""
    params = node.get("params")
    if isinstance(params, list):
        yield f"×{len(params)}"
    if node.get("for_each") is not None:
        yield "×n"
    if node.get("when") is not None or node.get("run_if", "all_succeeded") != "all_succeeded":
        yield "?"


def position(node: Tree) -> Point | None:
    """Where the node says that it stands."""
    match node.get("position"):
        case [int() | float() as x, int() | float() as y]:
            return float(x), float(y)
    return None


def branches_of(node: Tree, jobs: Tree) -> dict[str, Tree]:
    """The branches of a condition by key, each as a map with ``run``; nothing for other nodes."""
    job = job_of(node, jobs)
    if job.get("type") != "condition":
        return {}
    found = map_of(job.get("branches"))
    return {branch_key(key): map_of(each) or {"run": each or []} for key, each in found.items()}


def branch_key(key: object) -> str:
    """Keys are compared as text: ``true`` in the file is 'true'."""
    return str(key).lower() if isinstance(key, bool) else str(key)


def _links(nodes: Mapping[str, Tree], jobs: Tree) -> Iterator[GraphLink]:
    branched = set()
    for id, node in nodes.items():
        for key, branch in branches_of(node, jobs).items():
            for target in _texts(branch.get("run")):
                branched.add((id, target))
                yield GraphLink(id, target, "branch", key)
            if branch.get("again"):
                yield GraphLink(id, str(branch.get("from") or id), "loop", key)
    for id, node in nodes.items():
        for source in _texts(node.get("after")):
            if (source, id) not in branched:
                yield GraphLink(source, id)


def map_of(value: Any) -> Tree:
    """A map as it is, anything else as an empty one."""
    return value if isinstance(value, Mapping) else {}


def _texts(value: Any) -> list[str]:
    """A list of ids, also where a single one stands instead."""
    if isinstance(value, str):
        return [value]
    return [str(each) for each in value] if isinstance(value, (list, tuple)) else []
