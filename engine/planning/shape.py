"""The frozen result of planning: nodes in order, branches and loops; what a run follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.model.definitions import Definitions
from engine.model.findings import Finding
from engine.model.job import Job
from engine.model.task import Node, Task
from engine.planning.outline import Key


@dataclass(frozen=True, slots=True)
class PlanNode:
    """One node with its job found and its place in the DAG.

    ``parents`` are the nodes of ``after`` and the condition whose branch names it, without doubles;
    ``sort`` is the longest distance from a root, whose own is 1; ``branch`` is the condition and
    key that name it.
    """

    id: str
    node: Node
    job: Job
    parents: tuple[str, ...]
    children: tuple[str, ...]
    sort: int
    branch: Key | None = None


@dataclass(frozen=True, slots=True)
class BranchLoop:
    """A branch with ``again``: what it runs, what has to end, and what then runs again.

    ``branch`` is its nodes and what is reachable only through them; ``path`` the nodes on the ways
    from ``from`` to the condition, both included; ``body`` all that has to have ended before the
    next round: the branch, the path, and the branches of conditions on the path.
    """

    condition: str
    key: str
    branch: frozenset[str]
    path: frozenset[str]
    body: frozenset[str]


@dataclass(frozen=True, slots=True)
class Plan:
    """A task that can run. ``nodes`` is in topological order, the lowest sort first.

    ``job_nodes`` is job id -> the nodes that use it. ``branches`` is the whole of each branch
    (its nodes and what is reachable only through them) of the conditions that a loop can reach.
    ``inner`` is for branches that hold loops which lead back before their own condition: the
    conditions of those loops; such a branch counts as taken when they have left their loops.
    ``handlers`` are the nodes of ``on_end``, by id; they are no part of the graph.
    """

    task: Task
    nodes: Mapping[str, PlanNode]
    depth: int
    job_nodes: Mapping[str, tuple[str, ...]]
    definitions: Definitions
    loops: Mapping[Key, BranchLoop] = field(default_factory=dict)
    branches: Mapping[Key, frozenset[str]] = field(default_factory=dict)
    inner: Mapping[Key, frozenset[str]] = field(default_factory=dict)
    handlers: Mapping[str, PlanNode] = field(default_factory=dict)

    def node(self, id: str) -> PlanNode | None:
        """A node of the graph, or a handler."""
        return self.nodes.get(id) or self.handlers.get(id)


@dataclass(frozen=True, slots=True)
class Planning:
    """A plan, or None where a finding is an error; and every finding."""

    plan: Plan | None
    findings: tuple[Finding, ...]
