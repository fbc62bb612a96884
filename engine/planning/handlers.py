"""The handlers of a task: nodes beside its graph, which run when the outcome is known (contract 2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from engine.model.definitions import Definitions
from engine.model.job import Job
from engine.model.names import HANDLER
from engine.model.states import InstanceState
from engine.model.task import Defaults, Node, Task
from engine.planning import graph as graphs
from engine.planning.graph import Graph
from engine.planning.inherited import of_node
from engine.planning.shape import Plan, PlanNode
from engine.plugins.registry import JobTypes

TIMEOUT: Final = 300.0  # seconds, of one that names none
_ALWAYS = HANDLER + "always"
_OF_STATE: Final = {
    InstanceState.SUCCEEDED: HANDLER + "succeeded",
    InstanceState.CANCELLED: HANDLER + "cancelled",
}


def graph_of(task: Task, definitions: Definitions) -> Graph:
    """The handlers as the nodes of a graph without arrows, for what is checked of any node."""
    nodes = {node.id: node for node in task.on_end.values()}
    return graphs.read(task.model_copy(update={"nodes": nodes, "sequence": False}), definitions)


def planned(graph: Graph, job_types: JobTypes) -> dict[str, PlanNode]:
    """The nodes of a graph of handlers, by id. ``defaults`` of the task are not theirs."""
    task = graph.task.model_copy(update={"defaults": Defaults()})
    return {
        id: PlanNode(id, node, _job(of_node(graph.jobs[id], node, task, job_types)), (), (), 1)
        for id, node in task.nodes.items()
    }


def _job(job: Job) -> Job:
    return job if job.timeout is not None else job.model_copy(update={"timeout": TIMEOUT})


def at_end(plan: Plan, state: InstanceState) -> Plan:
    """The plan of what runs at the end in that state: the handler of the outcome, then ``always``."""
    wanted = (_OF_STATE.get(state, HANDLER + "failed"), _ALWAYS)
    ids = [id for id in wanted if id in plan.handlers]
    nodes: Mapping[str, PlanNode] = {id: _in_line(plan.handlers[id], ids) for id in ids}
    own = {"nodes": {id: each.node for id, each in nodes.items()}, "on_failure": "finish_branches"}
    task = plan.task.model_copy(update=own)
    return replace(plan, task=task, nodes=nodes, depth=len(nodes), loops={}, branches={}, inner={})


def _in_line(each: PlanNode, ids: list[str]) -> PlanNode:
    at = ids.index(each.id)
    before, after = tuple(ids[max(at - 1, 0) : at]), tuple(ids[at + 1 : at + 2])
    node: Node = each.node.model_copy(update={"after": before, "run_if": "all_done"})
    return replace(each, node=node, parents=before, children=after, sort=at + 1)
