"""The picture of a task as an instance ran it: from its captured definition to the canvas' values; pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.desktop.canvas.graph import Graph, GraphLink, GraphNode, LinkKey, Point
from app.desktop.run.states import NodeState
from engine.api.documents import JobDocument


def graph_of(raw: Mapping[str, Any], task: str) -> Graph:
    """The nodes and arrows of a task in a tree of definitions; empty when the tree does not have it."""
    nodes = (raw.get("tasks") or {}).get(task, {}).get("nodes") or {}
    jobs = raw.get("jobs") or {}
    links = {link.key: link for id, node in nodes.items() for link in _links(id, node, jobs)}
    known = tuple(link for link in links.values() if link.source in nodes and link.target in nodes)
    return Graph(tuple(_node(id, node, jobs) for id, node in nodes.items()), known, name=task)


def _node(id: str, node: Mapping[str, Any], jobs: Mapping[str, Any]) -> GraphNode:
    keys = _keys(node, jobs)
    kind = str(keys.get("type", ""))
    job = node.get("job")
    subtitle = f"{job} · {kind}" if isinstance(job, str) and job != id else kind
    return GraphNode(
        id,
        str(node.get("name") or keys.get("name") or id),
        kind,
        subtitle=subtitle,
        badges=tuple(_marks(node)),
        position=_position(node.get("position")),
        faint=node.get("enabled") is False,
    )


def _keys(node: Mapping[str, Any], jobs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Where the keys of a node's job stand: in a job of the file, or in the node itself."""
    found: Mapping[str, Any] = jobs.get(str(node.get("job")), node)
    return found


def _marks(node: Mapping[str, Any]) -> Iterator[str]:
    params = node.get("params")
    if isinstance(params, list):
        yield f"×{len(params)}"
    elif node.get("for_each") is not None:
        yield "×n"


def _position(value: Any) -> Point | None:
    if (
        isinstance(value, Sequence)
        and len(value) == 2
        and all(isinstance(each, (int, float)) for each in value)
    ):
        return float(value[0]), float(value[1])
    return None


def _links(id: str, node: Mapping[str, Any], jobs: Mapping[str, Any]) -> Iterator[GraphLink]:
    for parent in _listed(node.get("after")):
        yield GraphLink(parent, id)
    for key, branch in (_keys(node, jobs).get("branches") or {}).items():
        run = _listed(branch.get("run") if isinstance(branch, Mapping) else branch)
        yield from (GraphLink(id, each, "branch", str(key)) for each in run)
        if isinstance(branch, Mapping) and branch.get("again"):
            back = str(branch.get("from") or id)
            yield from (GraphLink(each, back, "loop", str(key)) for each in run)


def _listed(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else (str(value),)


def badges(node: GraphNode, state: NodeState | None, branch: str | None = None) -> tuple[str, ...]:
    """What a node says besides its status: members that have ended, its round, the branch it took."""
    if state is None:
        return node.badges
    found = []
    if state.batch or node.badges:
        found.append(f"{state.ended}/{state.members}")
    if state.round > 1:
        found.append(f"↻{state.round}")
    if branch is not None:
        found.append(f"→ {branch}")
    return tuple(found)


def branches_taken(jobs: Iterable[JobDocument]) -> dict[str, str]:
    """The key that each condition took last."""
    found: dict[str, str] = {}
    for job in sorted(jobs, key=lambda job: job["round"]):
        if job["status"] == "succeeded" and "branch" in job["results"]:
            found[job["node"]] = str(job["results"]["branch"])
    return found


def shown_as(
    node: GraphNode, states: Mapping[str, NodeState], taken: Mapping[str, str]
) -> tuple[str, tuple[str, ...]]:
    """The status and badges of a node; what has no state is yet to come."""
    state = states.get(node.id)
    return "pending" if state is None else state.status, badges(node, state, taken.get(node.id))


def with_states(graph: Graph, states: Mapping[str, NodeState], taken: Mapping[str, str]) -> Graph:
    """The picture with its states."""
    nodes = []
    for node in graph.nodes:
        status, own = shown_as(node, states, taken)
        nodes.append(replace(node, status=status, badges=own))
    return replace(graph, nodes=tuple(nodes))


def strong_links(graph: Graph, taken: Mapping[str, str], node: str | None) -> frozenset[LinkKey]:
    """What is drawn strongly: the branches that were taken, and the links of the selected node."""
    found = set()
    for link in graph.links:
        branch = link.kind == "branch" and link.source in taken
        if taken[link.source] == link.label if branch else node in link.key:
            found.add(link.key)
    return frozenset(found)
