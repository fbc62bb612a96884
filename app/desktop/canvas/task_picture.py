"""From a task in a definition file to its picture, however much is wrong in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.desktop.canvas.graph import CanvasGraph, GraphLink, GraphNode, Point
from engine.model.names import HANDLER
from engine.planning.outline import Arrow, Tree, arrows_of, job_of, map_of, nodes_of


def graph_of(task: Tree, jobs: Tree) -> CanvasGraph:
    """The picture of a task's tree; ``jobs`` are those that its nodes may name."""
    nodes = nodes_of(task)
    drawn = tuple(graph_node(id, node, jobs) for id, node in nodes.items())
    return CanvasGraph(drawn, tuple(_links(arrows_of(task, jobs))))


def with_handlers(graph: CanvasGraph, task: Tree, jobs: Tree) -> CanvasGraph:
    """The same with the handlers of the task's end, which belong to its runs; each leads to ``always``."""
    own = {HANDLER + str(name): map_of(node) for name, node in map_of(task.get("on_end")).items()}
    last = HANDLER + "always"
    links = (GraphLink(id, last, "after", "") for id in own if id != last and last in own)
    nodes = (graph_node(id, node, jobs) for id, node in own.items())
    return replace(graph, nodes=(*graph.nodes, *nodes), links=(*graph.links, *links))


def _links(arrows: Sequence[Arrow]) -> Iterator[GraphLink]:
    """A link for each arrow; where a node is after a condition whose branch names it, the branch alone."""
    branched = {(each.source, each.target) for each in arrows if each.kind == "branch"}
    for each in arrows:
        if each.kind != "after" or (each.source, each.target) not in branched:
            yield GraphLink(each.source, each.target, each.kind, each.label)


def graph_node(id: str, node: Tree, jobs: Tree) -> GraphNode:
    job = job_of(node, jobs)
    named = str(node["job"]) if "job" in node else ""
    title = str(node.get("name") or id)
    below = named if named and named != id else str(job.get("name") or "") if named else ""
    type = str(job.get("type") or "")
    faint, position = node.get("enabled") is False, point(node.get("position"))
    return GraphNode(id, title, type, below or type, None, tuple(badges(node)), position, faint=faint)


def badges(node: Tree) -> Iterator[str]:
    """The marks of a node: a batch, a for-each, a condition of its own."""
    params = node.get("params")
    if isinstance(params, list):
        yield f"×{len(params)}"
    if node.get("for_each") is not None:
        yield "×n"
    if node.get("when") is not None or node.get("run_if", "all_succeeded") != "all_succeeded":
        yield "?"


def point(value: object) -> Point | None:
    """A pair of numbers as a point; None of anything else."""
    match value:
        case [int() | float() as x, int() | float() as y]:
            return float(x), float(y)
    return None
