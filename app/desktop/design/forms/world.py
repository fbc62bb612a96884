"""What a form knows: the definitions being edited over those of the workspace, and the installed types."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.desktop.design.tree import Tree, get
from engine.plugins.job_type import JobType
from engine.plugins.registry import JobTypes, ResourceTypes


@dataclass(frozen=True, slots=True)
class World:
    """One task in its surroundings. ``standing`` are the workspace's own definitions, by section."""

    tree: Tree
    task: str
    job_types: JobTypes
    resource_types: ResourceTypes
    standing: Tree = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    owner: str = ""  # the job of the library that is edited, when it is one

    def section(self, name: str) -> dict[str, Any]:
        """The definitions of a section by id: the edited ones over the workspace's."""
        return {**get(self.standing, (name,), {}), **get(self.tree, (name,), {})}

    @property
    def raw_task(self) -> Tree:
        """The task's own part of the tree."""
        found = get(self.tree, ("tasks", self.task)) or get(self.standing, ("tasks", self.task))
        return found if isinstance(found, Mapping) else {}

    @property
    def nodes(self) -> Mapping[str, Any]:
        """The nodes of the task."""
        found = self.raw_task.get("nodes")
        return found if isinstance(found, Mapping) else {}

    def node(self, id: str) -> Tree:
        """A node's part of the tree; empty when there is none."""
        found = self.nodes.get(id)
        return found if isinstance(found, Mapping) else {}

    def member(self, node: str, index: int) -> Tree:
        """A member of a group; empty when there is none."""
        found = get(self.job_of(self.node(node)), ("jobs", index))
        return found if isinstance(found, Mapping) else {}

    def job(self, id: object) -> Tree:
        """A job of the library; empty when there is none."""
        key = str(id)
        found = get(self.tree, ("jobs", key)) or get(self.standing, ("jobs", key))
        return found if isinstance(found, Mapping) else {}

    def job_of(self, node: Tree) -> Tree:
        """The job of a node or group member: the one it names, else itself."""
        return self.job(node["job"]) if "job" in node else node

    def type_of(self, job: Tree) -> JobType | None:
        """The type of a job; None while it has none that is installed."""
        kind = job.get("type")
        return self.job_types.get(kind) if isinstance(kind, str) else None

    def parents(self, id: str) -> tuple[str, ...]:
        """The nodes that come right before one: those it is after, and the conditions that lead to it."""
        return self._parents(id, self._gates())

    def _parents(self, id: str, gates: Mapping[str, list[str]]) -> tuple[str, ...]:
        after = self.node(id).get("after")
        named = [each for each in after if isinstance(each, str)] if isinstance(after, list) else []
        return tuple(each for each in dict.fromkeys((*named, *gates.get(id, ()))) if each in self.nodes)

    def _gates(self) -> dict[str, list[str]]:
        """The conditions that lead to each node."""
        found: dict[str, list[str]] = {}
        for condition in self.nodes:
            for id in self.branched(condition):
                found.setdefault(id, []).append(condition)
        return found

    def branched(self, id: str) -> tuple[str, ...]:
        """The nodes that a condition's branches name."""
        branches = self.job_of(self.node(id)).get("branches")
        return tuple(_run(branches)) if isinstance(branches, Mapping) else ()

    def upstream(self, id: str) -> tuple[str, ...]:
        """Everything before a node, the nearest first."""
        gates = self._gates()
        return _reached(id, lambda each: self._parents(each, gates))

    def downstream(self, id: str) -> tuple[str, ...]:
        """Everything after a node, the nearest first."""
        gates, children = self._gates(), dict[str, list[str]]()
        for child in self.nodes:
            for parent in self._parents(child, gates):
                children.setdefault(parent, []).append(child)
        return _reached(id, lambda each: children.get(each, ()))

    def users(self, job: str) -> tuple[str, ...]:
        """The nodes of this task that use a job of the library."""
        return tuple(id for id in self.nodes if str(self.node(id).get("job", "")) == job)


def _reached(start: str, near: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    ahead = deque(near(start))
    while ahead:
        each = ahead.popleft()
        if each not in found and each != start:
            found[each] = None
            ahead.extend(near(each))
    return tuple(found)


def _run(branches: Mapping[str, Any]) -> Iterator[str]:
    for branch in branches.values():
        run = branch.get("run") if isinstance(branch, Mapping) else branch
        for each in run if isinstance(run, list) else ():
            yield str(each)
