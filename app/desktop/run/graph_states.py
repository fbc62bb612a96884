"""How a run shows in the picture of its task: states, badges, the branches that were taken; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from app.desktop.canvas.graph import CanvasGraph, GraphNode, LinkKey
from app.desktop.run.node_states import NodeState
from app.desktop.run.waiting_words import next_moment
from engine.api.documents import JobDocument
from engine.model.names import is_handler

Extra = Mapping[str, tuple[str, ...]]  # what a node says besides, by its id


def badges(node: GraphNode, state: NodeState | None, extra: tuple[str, ...] = ()) -> tuple[str, ...]:
    """What a node says besides its status: members that have ended, its round, then what is ``extra``."""
    if state is None:
        return node.badges
    found = []
    if state.batch or any(each.startswith("×") for each in node.badges):
        found.append(f"{state.ended}/{state.members}")
    if state.round > 1:
        found.append(f"↻{state.round}")
    return (*found, *extra)


def extra_badges(
    taken: Mapping[str, str], jobs: Iterable[JobDocument], places: Mapping[str, str] = {}
) -> Extra:
    """The branch that a condition took; the time for which a job waits, of a batch of the first that does.

    ``places``: by node where it ran.
    """
    found = {node: (f"→ {branch}",) for node, branch in taken.items()}
    for job in jobs:
        moment = next_moment(job)
        if moment is not None:
            found.setdefault(job["node"], (moment.badge,))
    return found | {node: (*found.get(node, ()), place) for node, place in places.items()}


def branches_taken(jobs: Iterable[JobDocument]) -> dict[str, str]:
    """The key that each condition took last."""
    found: dict[str, str] = {}
    for job in sorted(jobs, key=lambda job: job["round"]):
        if job["status"] == "succeeded" and "branch" in job["results"]:
            found[job["node"]] = str(job["results"]["branch"])
    return found


def shown_as(node: GraphNode, states: Mapping[str, NodeState], extra: Extra) -> tuple[str, tuple[str, ...]]:
    """The status and badges of a node; what has no state is yet to come, of handlers perhaps never."""
    state, unknown = states.get(node.id), "" if is_handler(node.id) else "pending"
    return unknown if state is None else state.status, badges(node, state, extra.get(node.id, ()))


def with_states(graph: CanvasGraph, states: Mapping[str, NodeState], extra: Extra) -> CanvasGraph:
    nodes = []
    for node in graph.nodes:
        status, own = shown_as(node, states, extra)
        nodes.append(replace(node, status=status, badges=own))
    return replace(graph, nodes=tuple(nodes))


def strong_links(graph: CanvasGraph, taken: Mapping[str, str], node: str | None) -> frozenset[LinkKey]:
    """What is drawn strongly: the branches that were taken, and the links of the selected node."""
    found = set()
    for link in graph.links:
        branch = link.kind == "branch" and link.source in taken
        if taken[link.source] == link.label if branch else node in link.key:
            found.add(link.key)
    return frozenset(found)
